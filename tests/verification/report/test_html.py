from html.parser import HTMLParser
from itertools import pairwise

from core.types import is_web_address
from core.verification.report.case_report import CaseReport
from core.verification.report.html import report_body, to_html
from tests.verification.report.conftest import ARABIC, HEBREW

VOID = {"meta", "br"}


class Reader(HTMLParser):
    """Notes which elements a page has, its text, and whether each that opens is closed in its turn."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        assert not [name for name, _ in attrs if name.startswith("on")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_file_needs_nothing_else_and_runs_nothing(plain: CaseReport) -> None:
    page = to_html(plain)
    read = Reader(page)
    assert page.startswith("<!doctype html>")
    assert read.open == []
    assert not {"script", "img", "link", "iframe"} & set(read.names)
    assert read.links == ["https://www.example.org/paint"]
    assert "@import" not in page
    assert "url(" not in page


def test_all_that_a_report_says_is_in_it(plain: CaseReport) -> None:
    text = Reader(report_body(plain)).text
    for words in (
        "Fact-check, 22 November 2026",
        "Signed: Ada",
        "The program’s own verdict is “Supported”.",
        "How often is it painted?",
        "[1]",
        "Marked as wrong.",
        "No passage was named.",
        "copy of 5 April 2020",
        "Left out, and why",
        "ab" * 32,
    ):
        assert words in text, words


def test_hostile_text_is_text(hostile: CaseReport) -> None:
    read = Reader(to_html(hostile))
    assert read.open == []
    assert not {"script", "img"} & set(read.names)
    assert all(address.startswith("https://example.org/") for address in read.links)
    assert "</script></title><script>alert(1)</script>" in read.text
    assert "{{ 7 * 7 }}" in read.text
    assert read.text.count(HEBREW) > 100
    assert ARABIC in read.text


def test_headings_come_in_order(plain: CaseReport) -> None:
    levels = [int(name[1]) for name in Reader(report_body(plain)).names if name in ("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later - level <= 1 for level, later in pairwise(levels))


def test_only_web_addresses_are_links() -> None:
    assert is_web_address("https://example.org/a")
    assert not any(map(is_web_address, ("javascript:alert(1)", "file.pdf", "http://", "http://[x", "data:text/html,x")))
