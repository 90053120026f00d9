"""The report as a Word file (DOCX), by python-docx."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from io import BytesIO
from typing import Any

from core.verification.report.case_report import (
    Answer,
    CaseReport,
    Exhibit,
    Fact,
    MachineVerdict,
    OwnVerdict,
    RankedPassage,
)
from core.verification.report.html import is_web_address
from core.verification.report.sources import CitedSource, day

NOT_XML = re.compile("[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Signs that XML 1.0 does not have."""
LINK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"


def to_docx(report: CaseReport) -> bytes:
    """Return the report as a DOCX file: headings are Word's own, so that its outline works."""
    from docx import Document as new_document

    word = new_document()
    word.core_properties.title = clean(report.claim)[:255]
    word.core_properties.author = clean(report.own.name)[:255] if report.own else ""
    word.core_properties.comments = ""
    _text(word, f"Report on a claim, {day(report.made)}")
    _heading(word, report.claim, 0)
    _facts(word, report.facts)
    if report.own:
        _own(word, report.own)
    _finding(word, report.finding)
    _heading(word, "Evidence", 1)
    for exhibit in report.evidence:
        _exhibit(word, exhibit)
    _heading(word, "Passages found", 1)
    _listed(word, report.listed)
    _bullets(word, "Left out, and why", report.left_out)
    if report.protocol:
        _heading(word, "What was searched for", 1)
    for grid in report.protocol:
        _heading(word, grid.title, 2)
        _table(word, grid.columns, grid.rows)
    _heading(word, "How this was made", 1)
    _text(word, report.method)
    _facts(word, report.made_with)
    _bullets(word, "Limits", report.limits)
    file = BytesIO()
    word.save(file)
    return file.getvalue()


def clean(words: str) -> str:
    """Return words without signs that no XML file may hold."""
    return NOT_XML.sub("", words)


def right_to_left(words: str) -> bool:
    """Whether the first letter of a text is of a script that is written from right to left."""
    strong = next((kind for kind in map(unicodedata.bidirectional, words) if kind in ("L", "R", "AL")), "L")
    return strong != "L"


def _text(word: Any, words: str, *, style: str | None = None, bold: bool = False) -> Any:
    paragraph = word.add_paragraph(style=style)
    paragraph.add_run(clean(words)).bold = bold or None
    return _turned(paragraph, words)


def _heading(word: Any, words: str, level: int) -> None:
    _turned(word.add_heading(clean(" ".join(words.split())), level), words)


def _turned(paragraph: Any, words: str) -> Any:
    """Return a paragraph, set from right to left where its text is."""
    if right_to_left(words):
        from docx.oxml import OxmlElement

        paragraph._p.get_or_add_pPr().append(OxmlElement("w:bidi"))
        for run in paragraph.runs:
            run.font.rtl = True
    return paragraph


def _facts(word: Any, facts: Iterable[Fact]) -> None:
    for name, value in facts:
        paragraph = word.add_paragraph()
        paragraph.add_run(f"{name}: ").bold = True
        paragraph.add_run(clean(value))


def _bullets(word: Any, title: str, sentences: Sequence[str]) -> None:
    if sentences:
        _heading(word, title, 1)
    for sentence in sentences:
        _text(word, sentence, style="List Bullet")


def _own(word: Any, own: OwnVerdict) -> None:
    _heading(word, f"Conclusion of {own.name}" if own.name else "Conclusion", 1)
    if own.word:
        _text(word, own.word, bold=True)
    if own.reason:
        _text(word, own.reason)
    if own.notes:
        _heading(word, "Notes", 2)
        _text(word, own.notes)


def _finding(word: Any, finding: MachineVerdict) -> None:
    _heading(word, "Verdict of the machine", 1)
    _text(word, finding.word, bold=True)
    _text(word, finding.meaning)
    if finding.reason:
        _text(word, finding.reason)
    if finding.shares:
        _table(word, ("Verdict", "Probability"), [(name, f"{share:.0%}") for name, share in finding.shares])
    _heading(word, "What this is worth", 2)
    for sentence in finding.worth:
        _text(word, sentence)


def _exhibit(word: Any, exhibit: Exhibit) -> None:
    _heading(word, exhibit.question, 2)
    for answer in exhibit.answers:
        _answer(word, answer)


def _answer(word: Any, answer: Answer) -> None:
    _text(word, f"[{answer.number}] {answer.text}".rstrip(), bold=True)
    if answer.passage:
        _text(word, answer.passage, style="Quote")
    if answer.source:
        _source(word, answer.source)
    else:
        _text(word, "No passage was named.")
    if answer.stance:
        _text(word, f"Read by the machine: {answer.stance}")
    if answer.mark:
        _text(word, f"Marked as {answer.mark}.")


def _source(word: Any, source: CitedSource) -> None:
    named = (source.title, source.site, source.published or "no date", source.page, source.snapshot)
    _text(word, " · ".join(part for part in named if part))
    if is_web_address(source.address):
        _link(word.add_paragraph(), source.address)
    elif source.address != source.site:
        _text(word, source.address)
    _text(word, f"Text as read, SHA-256: {source.digest}")


def _link(paragraph: Any, address: str) -> None:
    """Add an address that opens when clicked; python-docx has no call for it."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    run = paragraph.add_run(clean(address))
    run.font.underline = True
    link = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), paragraph.part.relate_to(clean(address), LINK, is_external=True))
    link.append(run._r)
    paragraph._p.append(link)


def _listed(word: Any, listed: Sequence[RankedPassage]) -> None:
    if not listed:
        _text(word, "The search found no passage in these documents.")
        return
    rows = [
        (
            str(one.rank),
            _named(one.source),
            one.source.published or "–",
            str(one.by_words or "–"),
            str(one.by_meaning or "–"),
            one.stance or "–",
            one.mark or "–",
        )
        for one in listed
    ]
    _table(word, ("Rank", "Document", "Date", "By words", "By meaning", "Read as", "Mark"), rows)


def _named(source: CitedSource) -> str:
    """Return what a source is and where, a line each."""
    lines = (source.title or source.site, source.address, source.page, source.snapshot)
    return "\n".join(line for line in dict.fromkeys(lines) if line)


def _table(word: Any, titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    table = word.add_table(rows=1, cols=len(titles), style="Table Grid")
    for cell, title in zip(table.rows[0].cells, titles, strict=True):
        cell.paragraphs[0].add_run(title).bold = True
    for row in rows:
        for cell, words in zip(table.add_row().cells, row, strict=True):
            cell.text = clean(words)
            _turned(cell.paragraphs[0], words)
