from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from core.types import Evidence
from core.verification.report.case_report import CaseReport
from core.verification.report.markdown import line, to_markdown
from tests.verification.report.conftest import CASE, FIRST, NASTY, SECOND, reported


def test_the_report_in_markdown(plain: CaseReport) -> None:
    written = to_markdown(plain)
    assert written.startswith(
        "Fact-check, 22 November 2026\n\n# The tower is painted every seven years.\n\nSaid by: Jane Doe · "
    )
    assert "## Conclusion\n\n**Refuted**\n\nIt is six years.\n\nSigned: Ada\n\n### Notes" in written
    assert "> It is painted every seven years.\n" in written
    assert "<https://www.example.org/paint>\n" in written
    assert "| 2 | A copy · https://web.archive.org/" in written
    assert "\\" not in written
    assert written.endswith("\n")


def test_answers_to_one_question_stand_under_it_and_a_passage_may_stand_without_one() -> None:
    asked = "How often is it painted?"
    whole = Evidence(asked, SECOND.text, SECOND)
    pairs = (Evidence(asked, "every seven years", FIRST), Evidence("", "So it is."), whole)
    written = to_markdown(reported(replace(CASE, evidence=pairs)))
    assert written.count("How often is it painted?") == 1
    first, second, third = (f"**[{number}]**" for number in (1, 2, 3))
    order = [
        "#### How often",
        f"{first} every seven years\n",
        f"{third}\n\n> ",
        f"{second} So it is",
    ]
    assert sorted(order, key=written.index) == order
    assert written.count(line(SECOND.text)) == 1  # an answer that is the whole passage is not said twice


def test_hostile_text_opens_no_element_and_breaks_no_table(hostile: CaseReport) -> None:
    written = to_markdown(hostile)
    assert "<script" not in written.replace("\\<", "")
    assert "](javascript" not in written.replace("\\]", "")
    rows = [row for row in written.splitlines() if row.startswith("| ") and "example" in row]
    assert len(rows) == 100
    assert {row.replace("\\|", "").count("|") for row in rows} == {6}


MEANINGFUL = (
    "# heading",
    "- bullet",
    "+ bullet",
    "1) first",
    "12. twelfth",
    "> quoted",
    "--- ***",
    "a_b_c __d__ ~~e~~ `f`",
    "![x](http://example.org/x.png)",
    "[x]: http://example.org/x",
    "<https://example.org> https://example.org www.example.org a@example.org",
    "&copy; &#169; &amp; A&B",
    "\\*kept\\* a\\",
    "==high== $x$ [^1] {#id} : term",
)


@pytest.mark.parametrize("words", [*MEANINGFUL, NASTY])
def test_a_reader_of_markdown_sees_the_words_and_nothing_else(words: str) -> None:
    reader = MarkdownIt("gfm-like", {"linkify": False})
    start, inline, end = reader.parse(line(words))
    assert (start.type, end.type) == ("paragraph_open", "paragraph_close")
    assert {child.type for child in inline.children or ()} <= {"text", "text_special"}
    assert "".join(child.content for child in inline.children or ()) == " ".join(words.replace("\0", "\ufffd").split())


def test_plain_words_carry_no_backslash() -> None:
    for words in (
        "It is 5.3 (per cent): so-called, C#, 1 + 1 = 2!",
        "AT&T said “no” – twice.",
        "a_b, 3 * 4 > 5, [1], $5 | see https://a.example, me@a.example",
    ):
        assert line(words) == words
