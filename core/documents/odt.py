"""Read OpenDocument texts (ODT), which are XML in a ZIP, as Word files are read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.documents.archive import parsed, part, title_in
from core.documents.dateline import dated_by_text
from core.documents.knowledge_store import printable
from core.errors import BadInput
from core.types import Document

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_BLOCKS = (f"{_TEXT}p", f"{_TEXT}h")
_UNSEEN = (f"{_TEXT}tracked-changes", f"{_OFFICE}annotation", f"{_TEXT}sequence-decls")
_GAPS = {f"{_TEXT}tab": "\t", f"{_TEXT}line-break": "\n"}
MAX_SPACES = 1000
"""The most spaces of one element; hostile files ask for millions."""


def read_odt(name: str, content: bytes) -> Document:
    """Return the text of an OpenDocument text: paragraphs and tables in order, one row per line, with its title.

    Deleted text and margin comments are not read. The date is read as in Word files. Raises BadInput if the file is
    broken, encrypted, a ZIP bomb, or has no text.
    """
    body = parsed(name, part(name, content, "content.xml")).find(f".//{_OFFICE}text")
    if body is None:
        raise BadInput(f"{name}: this OpenDocument file is no text document; save it as PDF.")
    text = printable("\n".join(_blocks(body))).strip()
    if not any(character.isalnum() for character in text):
        raise BadInput(f"{name}: this OpenDocument file has no text.")
    return dated_by_text(Document(url=name, text=text, title=title_in(name, content, "meta.xml")), text)


def _blocks(element: Any) -> Iterator[str]:
    for child in element:
        if child.tag in _BLOCKS:
            if text := "".join(_pieces(child)).strip():
                yield text
        elif child.tag == f"{_TABLE}table-row":
            cells = [" ".join(_blocks(cell)) for cell in child]
            if any(cells):
                yield " | ".join(cells)
        elif isinstance(child.tag, str) and child.tag not in _UNSEEN:
            yield from _blocks(child)


def _pieces(element: Any) -> Iterator[str]:
    """Yield the text of one paragraph, including links, spans and notes."""
    yield element.text or ""
    for child in element:
        if child.tag in _GAPS:
            yield _GAPS[child.tag]
        elif child.tag == f"{_TEXT}s":
            count = child.get(f"{_TEXT}c", "1")
            yield " " * min(int(count[:9]), MAX_SPACES) if count.isdecimal() else " "
        elif isinstance(child.tag, str) and child.tag not in _UNSEEN:
            yield from _pieces(child)
        yield child.tail or ""
