from io import BytesIO
from typing import Any

import docx
from docx.oxml.ns import qn

from core.verification.report.case_report import CaseReport
from core.verification.report.word import right_to_left, to_docx
from tests.verification.report.conftest import ARABIC, CHINESE, HEBREW, PAINT


def opened(report: CaseReport) -> Any:
    return docx.Document(BytesIO(to_docx(report)))


def test_word_opens_it_with_headings_quotations_and_tables(plain: CaseReport) -> None:
    word = opened(plain)
    by_style: dict[str, list[str]] = {}
    for paragraph in word.paragraphs:
        by_style.setdefault(paragraph.style.name, []).append(paragraph.text)
    assert by_style["Title"] == ["The tower is painted every seven years."]
    assert by_style["Heading 1"] == [
        "Conclusion",
        "Sources",
        "Asked and not found",
        "How it was done",
        "Appendix",
    ]
    assert [one.text for one in word.paragraphs if one.paragraph_format.page_break_before] == ["Appendix"]
    assert by_style["Quote"] == ["It is painted every seven years."]
    listed, hashes = word.tables
    assert hashes.rows[1].cells[1].text == PAINT.digest
    assert [cell.text for cell in listed.rows[1].cells] == [
        "1",
        "How the tower is painted\nhttps://www.example.org/paint",
        "2 January 2019",
        "2",
        "1",
        "wrong",
    ]
    assert word.core_properties.author == "Ada"


def test_a_web_address_opens_and_nothing_else_does(plain: CaseReport, hostile: CaseReport) -> None:
    for report, most in ((plain, 1), (hostile, 100)):
        word = opened(report)
        links = [one for one in word.part.rels.values() if one.is_external]
        assert len(links) == most
        assert all(one.target_ref.startswith(("https://www.example.org", "https://example.org/")) for one in links)


def test_hostile_text_is_kept_without_what_xml_forbids(hostile: CaseReport) -> None:
    word = opened(hostile)
    text = "\n".join(paragraph.text for paragraph in word.paragraphs)
    assert "</script></title><script>alert(1)</script>" in text
    assert "\ufffe" not in text
    assert CHINESE in text


def test_a_text_from_right_to_left_is_set_so(hostile: CaseReport) -> None:
    headings = [one.text for one in opened(hostile).paragraphs if one.style.name == "Heading 3"]
    questions = [text for text in headings if text.endswith(HEBREW)]
    assert len(questions) == 50
    notes = next(one for one in opened(hostile).paragraphs if one.text == HEBREW)
    assert notes._p.pPr.find(qn("w:bidi")) is not None
    assert all(run.font.rtl for run in notes.runs)
    assert right_to_left(f"1. “{ARABIC}")
    assert not right_to_left("1. the tower")
    assert not right_to_left("")
