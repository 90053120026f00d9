"""Read text and title of Word files (DOCX), which are XML in a ZIP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.documents.archive import check, parsed, part, title_in
from core.documents.dateline import dated_by_text
from core.documents.knowledge_store import printable
from core.documents.text import marked, settled
from core.errors import BadInput
from core.types import Document

TEXT = "word/document.xml"
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_RAISED = f"{_W}rPr/{_W}vertAlign[@{_W}val='superscript']"
_GAPS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}


def read_docx(name: str, content: bytes) -> Document:
    """Return the text of a Word file: paragraphs and tables in order, one row per line, with its title.

    Tracked insertions are read, tracked deletions are not. The date is read from the first lines, because the file's
    own date is often its template's. Raises BadInput if the file is broken, protected or a ZIP bomb, or has no text.
    """
    check(name, content)
    body = parsed(name, part(name, content, TEXT)).find(f"{_W}body")
    if body is None:
        raise BadInput(f"{name}: this Word file is broken and cannot be read; save it again as DOCX.")
    text = printable("\n".join(_blocks(body)))
    if not any(character.isalnum() for character in text):
        raise BadInput(f"{name}: this Word file has no text.")
    return dated_by_text(
        Document(url=name, text=text.strip(), title=title_in(name, content, "docProps/core.xml")), text
    )


def _blocks(element: Any) -> Iterator[str]:
    """Yield the text of each paragraph and of each table row below `element`, an lxml element of the body."""
    for child in element:
        if child.tag == f"{_W}p":
            if text := settled("".join(_pieces(child))).strip():
                yield text
        elif child.tag == f"{_W}tr":
            cells = [" ".join(_blocks(cell)) for cell in child.iter(f"{_W}tc") if cell.getparent() is child]
            if any(cells):
                yield " | ".join(cells)
        elif isinstance(child.tag, str) and child.tag != _FALLBACK:
            yield from _blocks(child)


def _pieces(element: Any) -> Iterator[str]:
    """Yield the text of one paragraph, without the copies stored for old programs."""
    for child in element:
        if child.tag == f"{_W}t":
            yield child.text or ""
        elif child.tag in _GAPS:
            yield _GAPS[child.tag]
        elif child.tag == f"{_W}p":  # a paragraph of a text box
            yield from ("\n", *_pieces(child), "\n")
        elif isinstance(child.tag, str) and child.tag not in (_FALLBACK, f"{_W}pPr", f"{_W}rPr"):
            pieces = _pieces(child)
            yield from (marked("".join(pieces)),) if child.find(_RAISED) is not None else pieces
