import pytest

from core.verification.stance.quantities import Quantity, agrees, comparable, quantities
from core.verification.stance.words import words_of


def read(text: str) -> list[Quantity]:
    return quantities(text, words_of(text))


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("It has 12.4 million inhabitants.", 12.4e6, ""),
        ("It has 12,400,000 inhabitants.", 12.4e6, ""),
        ("It cost $3bn.", 3e9, "dollar"),
        ("Prices rose 7 percent.", 7.0, "percent"),
        ("Prices rose 7% again.", 7.0, "percent"),
        ("She saw twelve ships.", 12.0, ""),
        ("It opened in 1937.", 1937.0, "calendar"),
        ("It has 1937 seats.", 1937.0, ""),
        ("The mountain is 8,848.86 metres high.", 8848.86, "metre"),
    ],
)
def test_a_number_is_read_whatever_its_spelling(text: str, value: float, unit: str) -> None:
    (quantity,) = read(text)
    assert (quantity.value, quantity.unit) == (pytest.approx(value), unit)


@pytest.mark.parametrize(
    "text", ["COVID-19 spread.", "It began on 15 April.", "As shown before.[12]", "At 10:30 it rang."]
)
def test_days_times_names_and_references_are_no_quantities(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("claimed", "told", "same"),
    [
        ("12.4 million people", "12.4 million people", True),
        ("12 million people", "12.4 million people", True),
        ("10.1 million people", "12.4 million people", False),
        ("8,849 metres", "8,848.86 metres", True),
        ("13 ships", "12 ships", False),
        ("about 100 ships", "97 ships", True),
        ("more than 200 ships", "212 ships", True),
        ("more than 200 ships", "150 ships", False),
        ("in 1937", "in 1938", False),
    ],
)
def test_numbers_agree_within_what_is_written(claimed: str, told: str, same: bool) -> None:
    assert agrees(read(claimed)[0], read(told)[0]) is same


def test_only_numbers_of_one_kind_are_compared() -> None:
    assert comparable(*read("8 metres high, 12 metres wide"))
    assert not comparable(*read("8 metres high, 12 kilograms"))
    assert not comparable(*read("8 ships and 12 planes"))
