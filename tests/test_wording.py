import re

import pytest

from core.wording import searchable, time_words

NO_BREAK, NARROW = "\u00a0", "\u202f"


@pytest.mark.parametrize(
    "written", ["8,848.86", "8 848.86", f"8{NO_BREAK}848,86", "8'848.86", f"8{NARROW}848.86", "８８４８.86", "8.848,86"]
)
def test_a_number_is_one_however_it_is_written(written: str) -> None:
    assert searchable(written) == "8848.86"


def test_a_date_a_list_and_letters_are_left_alone() -> None:
    assert searchable("On 1, 2 and 12.5.2020: STRASSE") == "on 1, 2 and 12.5.2020: strasse"
    assert searchable("1,200 and 3,5") == "1200 and 3.5"


def test_lengths_of_time_are_rounded_as_people_do() -> None:
    assert [re.findall(r"[\d.]+ \w+", time_words(seconds)) for seconds in (0.2, 75, 600, 9000)] == [
        ["1 s"], ["75 s"], ["10 min"], ["2.5 h"]
    ]  # fmt: skip
