from datetime import date

import pytest

from core.dates import date_in_url, parse_date, published_before
from core.types import Document


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2020-10-31", date(2020, 10, 31)),
        ("2020-10-31T23:59:00+02:00", date(2020, 10, 31)),
        (" 2020-10-31 ", date(2020, 10, 31)),
        ("31-10-2020", date(2020, 10, 31)),
        ("1-2-2021", date(2021, 2, 1)),
        ("2020-13-01", None),
        ("2021-02-29", None),
        ("2020-10-311", None),
        ("31 October 2020", None),
        ("2020", None),
        ("", None),
    ],
)
def test_parse_date(text: str, expected: date | None) -> None:
    assert parse_date(text) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://edition.cnn.com/2020/10/31/politics/x/index.html", date(2020, 10, 31)),
        ("https://www.theguardian.com/world/2020/oct/31/x", date(2020, 10, 31)),
        ("https://a.example/news/2020-10-31-title", date(2020, 10, 31)),
        ("https://a.example/news/2020-10-31", date(2020, 10, 31)),
        ("https://a.example/2020/1/2", date(2020, 1, 2)),
        ("https://a.example/2020/10/31?page=2", date(2020, 10, 31)),
        ("https://web.archive.org/web/20211231000000/https://a.example/2020/10/31/x", date(2020, 10, 31)),
        ("https://web.archive.org/web/20211231000000/https://a.example/x", None),
        ("https://a.example/2020/13/31/x", None),
        ("https://a.example/2020/10/x", None),
        ("https://a.example/report-2020-10-31", None),
        ("https://a.example/x?day=/2020/10/31/", None),
        ("https://a.example/x#/2020/10/31/", None),
        ("https://a.example/12020/10/31/", None),
        ("https://a.example/2020/10/311/", None),
    ],
)
def test_date_in_url(url: str, expected: date | None) -> None:
    assert date_in_url(url) == expected


BEFORE = Document("u1", "before", published=date(2020, 10, 30))
SAME_DAY = Document("u2", "same day", published=date(2020, 10, 31))
AFTER = Document("u3", "after", published=date(2020, 11, 1))
UNDATED = Document("u4", "undated")


def test_documents_of_later_days_are_left_out_and_counted() -> None:
    found = published_before([AFTER, BEFORE, UNDATED, SAME_DAY, AFTER], date(2020, 10, 31))
    assert found == ([BEFORE, UNDATED, SAME_DAY], 2, 1)


def test_without_a_claim_date_all_are_kept() -> None:
    assert published_before([AFTER, UNDATED], None) == ([AFTER, UNDATED], 0, 1)
