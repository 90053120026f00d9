"""The date that a text gives itself: which first lines say it, and which only look so."""

from datetime import date, timedelta

import pytest

from core.documents.dateline import FIRST_LINES, TEXT, stated_date
from tests.files import docx, pdf, read_file

DAY = date(2023, 5, 8)
PROSE = "The council of Tarrow voted for the bridge by nine to four, after a debate of three hours."


@pytest.mark.parametrize(
    "line",
    [
        "Published: 8 May 2023",
        "Published on Monday, 8 May 2023",
        "First published: Mon 8 May 2023 at 09.00",
        "PUBLISHED MAY 8, 2023",
        "Date: 2023-05-08",
        "date: '2023-05-08T10:00:00Z'",
        "**Published:** 8 May 2023",
        "Published: 8 May 2023 | Updated: 9 May 2023",
        "Updated 9 May 2023 · Published 8 May 2023",
        "By Jane Doe | Published 8 May 2023 | 4 min read",
        "8 May 2023",
        "Monday, 8 May 2023",
        "May 8, 2023",
        "2023-05-08",
        "_8 May 2023_",
        "Tarrow, 8 May 2023",
        "Saint-Étienne, May 8, 2023",
        "By Jane Doe | 8 May 2023",
        "By Jane Doe, 8 May 2023",
        "Posted by Jane Doe on my blog, 8 May 2023",
        "8 May 2023 | Updated 9 May 2023",
        "8 May 2023 — The council of Tarrow voted for the bridge.",
        "TARROW, May 8, 2023 (AP) -- The council of Tarrow voted for the bridge.",
        f"Tarrow, 8 May 2023 — {PROSE} {PROSE}",
    ],
)
def test_a_first_line_that_dates_its_text(line: str) -> None:
    assert stated_date(f"The bridge is to be built\n\n{line}\n\n{PROSE}\n") == DAY


@pytest.mark.parametrize(
    "line",
    [
        "Updated 8 May 2023",
        "Last modified on 8 May 2023",
        "Retrieved 8 May 2023",
        "Printed: 8 May 2023",
        "On 8 May 2023 the council voted.",
        "The council voted on 8 May 2023",
        "By 8 May 2023 the bridge must be built.",
        "By Monday, 8 May 2023",
        "Published 8 May 2023 in Nature, the study says otherwise.",
        "The study – published 8 May 2023 – says otherwise.",
        "The exhibition is open from 8 May 2023",
        "8 May 2023 – 12 May 2023",
        "8 May 2023 to 12 May 2023",
        "From 8 May 2023 – 12 May 2023",
        "# Tarrow, 8 May 2023",
        "Minutes of the meeting, 8 May 2023",
        "31 June 2023",
        "May 2023",
        "Published: 2023",
        "Published: 05/08/2023",
        "Report 2023-05-081",
    ],
)
def test_a_first_line_that_does_not(line: str) -> None:
    assert stated_date(f"The bridge is to be built\n\n{line}\n\n{PROSE}\n") is None


def test_a_date_below_the_first_lines_is_one_of_the_story() -> None:
    above = "\n".join([PROSE] * FIRST_LINES)
    assert stated_date(f"{above}\nPublished: 8 May 2023\n") is None


def test_several_days_are_a_list_of_events_unless_one_is_said_to_be_that_of_publication() -> None:
    events = "8 May 2023 — The council voted.\n9 May 2023 — The mayor resigned.\n"
    assert stated_date(events) is None
    assert stated_date(f"Published: 10 May 2023\n{events}") == date(2023, 5, 10)


def test_a_day_to_come_is_no_day_of_publication() -> None:
    later = date.today() + timedelta(days=2)
    assert stated_date(f"Published: {later.isoformat()}\n{PROSE}") is None


LONG_TITLE = "The council of Tarrow votes for a new bridge over the river Ash"
LINES = (LONG_TITLE, "Tarrow, 8 May 2023", PROSE)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "\n".join(LINES).encode()),
        ("a.md", f"---\ntitle: {LONG_TITLE}\ndate: 2023-05-08\n---\n\n# {LONG_TITLE}\n\n{PROSE}\n".encode()),
        ("a.docx", docx(*LINES)),
        ("a.pdf", pdf("\n".join(LINES))),
        ("a.rtf", ("{\\rtf1 " + "\\par ".join(LINES) + "}").encode()),
    ],
)
def test_files_of_each_kind_are_dated_by_their_first_lines_and_say_so(name: str, content: bytes) -> None:
    (document,) = read_file(name, content)
    assert (document.published, document.date_source) == (DAY, TEXT)
