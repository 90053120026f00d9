"""The report as a Word file (DOCX), by python-docx."""

from __future__ import annotations

import re
import unicodedata
from io import BytesIO
from typing import Any

from core.verification.report import blocks
from core.verification.report.case_report import CaseReport
from core.verification.report.sources import Grid

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
    for block in blocks.in_order(report):
        _add(word, block)
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


def _add(word: Any, block: blocks.Block) -> None:
    match block:
        case blocks.Heading(words, level, apart):
            heading = word.add_heading(clean(" ".join(words.split())), level - 1)
            heading.paragraph_format.page_break_before = apart or None
            _turned(heading, words)
        case blocks.Paragraph(words, role):
            _text(word, words, bold=role == "verdict")
        case blocks.Quotation(words):
            _text(word, words, style="Quote")
        case blocks.WebAddress(address):
            _link(word.add_paragraph(), address)
        case blocks.Facts(facts):
            for name, value in facts:
                paragraph = word.add_paragraph()
                paragraph.add_run(f"{name}: ").bold = True
                paragraph.add_run(clean(value))
        case blocks.Bullets(sentences):
            for sentence in sentences:
                _text(word, sentence, style="List Bullet")
        case blocks.Numbered(number, words, parts):
            _text(word, f"[{number}] {words}".rstrip(), bold=True)
            for part in parts:
                _add(word, part)
        case Grid():
            _table(word, block)


def _text(word: Any, words: str, *, style: str | None = None, bold: bool = False) -> None:
    paragraph = word.add_paragraph(style=style)
    paragraph.add_run(clean(words)).bold = bold or None
    _turned(paragraph, words)


def _turned(paragraph: Any, words: str) -> None:
    """Set a paragraph from right to left where its text is."""
    if right_to_left(words):
        from docx.oxml import OxmlElement

        paragraph._p.get_or_add_pPr().append(OxmlElement("w:bidi"))
        for run in paragraph.runs:
            run.font.rtl = True


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


def _table(word: Any, grid: Grid) -> None:
    table = word.add_table(rows=1, cols=len(grid.columns), style="Table Grid")
    for cell, title in zip(table.rows[0].cells, grid.columns, strict=True):
        cell.paragraphs[0].add_run(title).bold = True
    for row in grid.rows:
        for cell, words in zip(table.add_row().cells, row, strict=True):
            cell.text = clean(words)
            _turned(cell.paragraphs[0], words)
