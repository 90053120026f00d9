import math

import pytest

from core.verification.stance.text_dates import Period, day_number, periods


def only(text: str) -> Period:
    (found,) = periods(text)
    return found


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("on 22 November 1968", (1968, 11, 22), (1968, 11, 22)),
        ("on November 22nd, 1968", (1968, 11, 22), (1968, 11, 22)),
        ("on 1968-11-22", (1968, 11, 22), (1968, 11, 22)),
        ("on 22.11.1968", (1968, 11, 22), (1968, 11, 22)),
        ("on 11/22/1968", (1968, 11, 22), (1968, 11, 22)),
        ("on 3/4/1968", (1968, 1, 1), (1968, 12, 31)),
        ("April 19-28, 2020", (2020, 4, 19), (2020, 4, 28)),
        ("in July 2016", (2016, 7, 1), (2016, 7, 31)),
        ("in 2006", (2006, 1, 1), (2006, 12, 31)),
        ("the 2013–14 season", (2013, 1, 1), (2014, 12, 31)),
        ("between 2019 and 2022", (2019, 1, 1), (2022, 12, 31)),
        ("in the 1990s", (1990, 1, 1), (1999, 12, 31)),
        ("in 44 BC", (-44, 1, 1), (-44, 12, 31)),
    ],
)
def test_a_date_is_an_interval_of_days(text: str, first: tuple[int, int, int], last: tuple[int, int, int]) -> None:
    assert (only(text).first, only(text).last) == (day_number(*first), day_number(*last))


def test_before_and_since_leave_one_end_open() -> None:
    assert only("before 2006").last < day_number(2006)
    assert only("by 2006").last == day_number(2006, 12, 31)
    assert only("after July 2016").first > day_number(2016, 7, 31)
    assert only("since 2016").last == math.inf


def test_may_is_a_month_only_after_a_word_that_leads_a_date() -> None:
    assert periods("It may rain. May I?") == []
    assert only("It opens in May.").cycle == "year"


@pytest.mark.parametrize("text", ["1937 seats", "more than 2000 cases", "2000 people", "$2006", "1402 AH", "5784 AM"])
def test_numbers_and_years_of_other_calendars_are_no_dates(text: str) -> None:
    assert periods(text) == []


def test_the_year_before_is_counted_from_the_year_named_last() -> None:
    named, before = periods("It lost money in 2022, after a profit the year before.")
    assert before.last < named.first
    assert before.first == day_number(2021)


def test_a_day_without_a_year_is_compared_without_years() -> None:
    march, full, other = only("6 March"), only("6 March 2020"), only("7 March 2020")
    assert full.within(march)
    assert march.overlaps(full)
    assert not march.overlaps(other)
    assert not march.within(full)
    assert only("in 2020").overlaps(march)


def test_a_year_that_opens_a_sentence_counts_no_plural() -> None:
    assert only("In 2022 sales grew.").first // 372 == 2022
    assert periods("It had 2022 sales.") == []
