from dataclasses import replace

from core.types import Evidence
from core.verification.report.case_report import CaseReport
from core.verification.report.markdown import line, paragraphs, to_markdown
from tests.verification.report.conftest import CASE, FIRST, SECOND, reported


def test_the_report_in_markdown(plain: CaseReport) -> None:
    written = to_markdown(plain)
    assert written.startswith(
        "Report on a claim, 22 November 2026\n\n# The tower is painted every seven years\\.\n\n"
        "* **Said by:** Jane Doe\n"
    )
    assert "## Conclusion of Ada\n\n**Refuted**\n\nIt is six years\\.\n\n### Notes" in written
    assert "> It is painted every seven years\\." in written
    assert "<https://www.example.org/paint>\\\n" in written
    assert "| 2 | A copy | https\\://web\\.archive\\.org/" in written
    assert written.endswith("\n")


def test_answers_to_one_question_stand_under_it_and_a_passage_may_stand_without_one() -> None:
    asked = "How often is it painted?"
    whole = Evidence(asked, SECOND.text, SECOND)
    pairs = (Evidence(asked, "every seven years", FIRST), Evidence("", "So it is."), whole)
    written = to_markdown(reported(replace(CASE, evidence=pairs)))
    assert written.count("How often is it painted?") == 1
    first, second, third = (f"**\\[{number}\\]**" for number in (1, 2, 3))
    order = [
        "### How often",
        f"{first} every seven years\n",
        f"{third}\n\n> ",
        "### Quoted without",
        f"{second} So it is",
    ]
    assert sorted(order, key=written.index) == order
    assert written.count(line(SECOND.text)) == 1  # an answer that is the whole passage is not said twice


def test_signs_mean_nothing() -> None:
    assert line("1. a|b *c* <d> [e](f) # g") == r"1\. a\|b \*c\* \<d\> \[e\]\(f\) \# g"
    assert paragraphs("one\n\n# two") == "one\n\n\\# two"


def test_hostile_text_opens_no_element_and_breaks_no_table(hostile: CaseReport) -> None:
    written = to_markdown(hostile)
    assert "<script" not in written.replace("\\<", "")
    assert "](javascript" not in written.replace("\\]", "")
    rows = [row for row in written.splitlines() if row.startswith("| ") and "example" in row]
    assert len(rows) == 100
    assert {row.replace("\\|", "").count("|") for row in rows} == {9}
