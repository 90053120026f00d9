"""Numbers and dates as people write them: glued units, fractions, raised figures, years in words, centuries."""

import pytest

from core.verification.stance.amounts import amounts
from core.verification.stance.text_dates import day_number, periods


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("The mast is 218m high.", "length", 218.0),
        ("The deal is worth 218m pounds.", "pound sterling", 218e6),
        ("She is 6 feet 2 inches tall.", "length", 1.8796),
        ("She is 5 ft 9 in tall.", "length", 1.7526),
        ("Three-quarters of pupils came.", "share", 75.0),
        ("2/5 of pupils came.", "share", 40.0),
        ("3/4 of them came.", "share", 75.0),
        ("Critics gave it 3/5.", "rating of 5", 3.0),
        ("About 10⁹ cells were counted.", "count", 1e9),
        ("There were 48\u2009200 boxes.", "count", 48_200.0),
        ("There were 48’200 boxes.", "count", 48_200.0),
    ],
)
def test_an_amount_is_read_as_it_is_written(text: str, kind: str, value: float) -> None:
    (found,) = amounts(text)
    assert (found.kind, found.value) == (kind, pytest.approx(value))


@pytest.mark.parametrize("text", ["It opens at 12.45 pm.", "It opens at 9.05 a.m."])
def test_a_time_of_day_may_have_a_point(text: str) -> None:
    assert amounts(text) == ()


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("It opened in nineteen eighty-seven.", [(1987, 1987)]),
        ("It opened in twenty twenty.", [(2020, 2020)]),
        ("It opened in twenty seventeen.", [(2017, 2017)]),
        ("The season 1999–00 was wet.", [(1999, 2000)]),
        ("The season 1998/99 was wet.", [(1998, 1999)]),
        ("In the sixteenth century", [(1500, 1600)]),
        ("In the 16th and 17th centuries", [(1500, 1600), (1600, 1700)]),
    ],
)
def test_years_and_centuries_in_words(text: str, years: list[tuple[int, int]]) -> None:
    assert [(one.first, one.last) for one in periods(text)] == [
        (day_number(first), day_number(last, 12, 31)) for first, last in years
    ]


def test_twenty_four_is_no_year() -> None:
    assert [one.value for one in amounts("Twenty four ships left, and twenty men.")] == [24.0, 20.0]
