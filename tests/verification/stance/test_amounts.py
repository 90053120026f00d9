import math

import pytest

from core.verification.stance.amounts import Amount, amounts


def only(text: str, kind: str = "") -> Amount:
    (found,) = (one for one in amounts(text) if not kind or one.kind == kind)
    return found


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("It has 12.4 million inhabitants.", "count", 12.4e6),
        ("It has 12,400,000 inhabitants.", "count", 12.4e6),
        ("It has 12 400 000 inhabitants.", "count", 12.4e6),
        ("It has 13·5% of the votes.", "share", 13.5),
        ("It has 12'400'000 inhabitants.", "count", 12.4e6),
        ("It has 5 Mio. inhabitants.", "count", 5e6),
        ("It has two hundred and fifty thousand inhabitants.", "count", 250_000),
        ("It has twenty-five rooms.", "count", 25),
        ("It has one and a half million inhabitants.", "count", 1.5e6),
        ("It weighs 1,234.5 kg.", "mass", 1234.5),
        ("It weighs 1.234,5 kg.", "mass", 1234.5),
        ("It weighs 10 pounds.", "mass", 4.5359237),
        ("It cost 10 pounds.", "pound sterling", 10),
        ("It cost $3bn.", "dollar", 3e9),
        ("It is 6 feet, 2 inches tall.", "length", 1.8796),
        ("It holds 610 million cubic metres.", "volume", 610e6),
        ("It was 104 °F.", "temperature", 40),
        ("It was -5 °C.", "temperature", -5),
        ("It took 2 hours and 5 minutes.", "duration", 7500),
        ("Prices rose 7 percent.", "share", 7),
        ("Prices rose by 7 percentage points.", "points", 7),
        ("Two thirds of the voters agreed.", "share", 200 / 3),
        ("She is 37 years old.", "age", 37),
        ("It has a score of 6.4/10.", "rating of 10", 6.4),
        ("It is the sixth season.", "ordinal", 6),
        ("United won 3-1.", "score", 3001),
        ("It is twice as large.", "factor", 2),
        ("Half as many ships again call now.", "factor", 1.5),
        ("Half as many ships call now.", "factor", 0.5),
        ("Every fourth baby was a girl.", "share", 25),
        ("Only 54 of the 90 passed.", "share", 60),
    ],
)
def test_an_amount_is_read_in_the_first_unit_of_its_kind(text: str, kind: str, value: float) -> None:
    found = next(one for one in amounts(text) if one.kind == kind)
    assert found.value == pytest.approx(value)


@pytest.mark.parametrize(
    "text",
    [
        "COVID-19 spread.",
        "The F-16 and the A380 landed.",
        "As shown before.[12]",
        "At 10:30 it rang.",
        "Call +1 555 123 4567 or 555-123-4567.",
        "It needs version 1.2.3.",
        "ISBN 978-3-16-148410-0.",
        "Maroon 5 toured.",
        "Dunkirk (2017 film) won.",
        "It may rain.",
        "See https://example.org/2019/12.",
        "In 1402 AH it began.",
        "In Reiwa 4 it began.",
    ],
)
def test_codes_times_names_and_other_calendars_are_no_amounts(text: str) -> None:
    assert amounts(text) == ()


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("More than 200 ships.", "over"),
        ("No fewer than 200 ships.", "at least"),
        ("200 ships or more.", "at least"),
        ("Fewer than 200 ships.", "under"),
        ("Up to 200 ships.", "at most"),
        ("No more than 200 ships.", "at most"),
        ("About 200 ships.", "about"),
        ("Almost 200 ships.", "nearly"),
        ("Between 200 and 300 ships.", "between"),
        ("3–5 ships.", "between"),
        ("200 ships.", ""),
    ],
)
def test_a_bound_is_read_from_the_words_around(text: str, bound: str) -> None:
    assert only(text).bound == bound


def test_a_range_has_two_ends_of_one_scale() -> None:
    found = only("It cost $3-5 million.")
    assert (found.value, found.upper) == (3e6, 5e6)


def test_the_thing_counted_is_the_noun_after_the_number_whatever_its_word() -> None:
    assert only("640 hospital beds were free.").head == frozenset(["bed"])
    assert only("12 inhabitants left.").head == only("12 people left.").head
    assert only("Confirmed cases reached 77.").head == frozenset()


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("The floor grew from 1,800 to 2,700 square metres.", "area", [1800, 2700]),
        ("The path grew from 3 to 5 miles.", "length", [3 * 1609.344, 5 * 1609.344]),
        ("The share rose from 20 to 25 per cent.", "share", [20, 25]),
        ("It cost 11.2 million euros; 2.8 million of that is a grant.", "euro", [11.2e6, 2.8e6]),
        ("It cost 20 million euros, and 3 million people came.", "euro", [20e6]),
        ("Revenue rose from 3 to 5 million dollars.", "dollar", [5e6]),
    ],
)
def test_a_bare_number_has_the_unit_of_the_amount_that_it_belongs_to(text: str, kind: str, values: list[float]) -> None:
    assert [one.value for one in amounts(text) if one.kind == kind] == pytest.approx(values)


def test_decimals_are_not_continued_in_a_smaller_unit() -> None:
    found = amounts("It is at 8,848.86 metres, 86 centimetres more than before.")
    assert [one.value for one in found] == pytest.approx([8848.86, 0.86])


def test_every_second_day_is_no_share() -> None:
    assert amounts("He came every second day.") == ()


def test_a_share_of_two_numbers_is_computed() -> None:
    found = only("12 of the 48 schools closed.", "share")
    assert (found.value, found.parts) == (25.0, "12 of 48")


def test_an_amount_has_the_date_beside_it() -> None:
    first, second = (one for one in amounts("It made 3 tonnes in 2019 and 4 tonnes in 2022.") if one.kind == "mass")
    assert first.when.last < second.when.first


def test_profit_and_loss_rise_and_fall_are_read() -> None:
    assert only("It lost 18 million.").direction == "loss"
    assert only("It made a profit of 18 million.").direction == "profit"
    assert only("Prices rose by 5 per cent.").direction == "rise"
    assert only("There was a 5 per cent fall.").direction == "fall"
    assert only("Prices rose to 5 euros.").direction == ""
    assert only("Wages make up 5 euros of it.").direction == ""
    assert only("Rask scored a dozen goals fewer than the best.").direction == "fall"
    assert only("Rask sold 20 cars, fewer than Bo.").direction == ""


def test_amounts_keep_their_place_in_the_text() -> None:
    text = "Rain fell. About 9,800 people came, and $3bn was paid."
    assert [text[slice(*one.span)] for one in amounts(text)] == ["About 9,800", "$3bn"]


@pytest.mark.parametrize("text", ["", "\n", "1" * 5000, "|" * 3000, "1-" * 3000, "twenty-" * 500, "½" * 99, "-"])
def test_odd_texts_are_read_without_failure(text: str) -> None:
    assert all(math.isfinite(one.value) for one in amounts(text))
