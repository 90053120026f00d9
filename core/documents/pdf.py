"""PDF files, by their text layer (pypdf)."""

from __future__ import annotations

import logging
import re
import time
from datetime import date
from io import BytesIO
from typing import TYPE_CHECKING

from core.documents.knowledge_store import printable
from core.documents.text import unwrap
from core.errors import BadInput
from core.types import Document

if TYPE_CHECKING:
    from pypdf import PdfReader

MAX_PAGES = 2000
MAX_SECONDS = 60.0
"""A page of text takes 0.03 s; a page made to keep the reader busy takes minutes without this."""

_BROWSER = re.compile(r"Mozilla|Chrom|Safari|Firefox|Edge|Print To PDF", re.IGNORECASE)


def read_pdf(name: str, content: bytes) -> Document:
    """Return the text of a PDF file, its lines joined to paragraphs, with its title and date.

    The date is the file's creation, the nearest a PDF comes to stating its publication; for a page printed by
    a browser it would be the day of printing, and is left out. Raises BadInput if the file is broken,
    encrypted, has no text, or takes more than MAX_PAGES or MAX_SECONDS.
    """
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it tells of every small fault that it mends
    try:
        reader = PdfReader(BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):  # many files are encrypted only against changes
            raise BadInput(_encrypted(name))
        if len(reader.pages) > MAX_PAGES:
            raise BadInput(f"{name}: this PDF has {len(reader.pages):,} pages; split it into parts of {MAX_PAGES:,}.")
        text = _text(name, reader)
        title, published = _title(reader), _published(reader)
    except BadInput:
        raise
    except (DependencyError, FileNotDecryptedError) as error:
        raise BadInput(_encrypted(name)) from error
    except Exception as error:  # pypdf lets KeyError, TypeError, RecursionError and more out of broken files
        raise BadInput(f"{name}: this PDF is broken and cannot be read; save or download it again.") from error
    if not any(character.isalnum() for character in text):
        raise BadInput(
            f"{name}: this PDF has no text, only pictures of pages; "
            "run text recognition (OCR) on it, for instance with ocrmypdf, and add the result."
        )
    return Document(url=name, text=unwrap(text, hyphens=True), title=title, published=published)


def _text(name: str, reader: PdfReader) -> str:
    """Return the text of all pages. Raises BadInput when it takes longer than MAX_SECONDS."""
    deadline = time.monotonic() + MAX_SECONDS

    def look_at_clock(*_: object) -> None:
        if time.monotonic() > deadline:
            raise BadInput(f"{name}: reading this PDF takes more than {MAX_SECONDS:g} seconds; split it.")

    return printable("\n".join(page.extract_text(visitor_operand_before=look_at_clock) for page in reader.pages))


def _encrypted(name: str) -> str:
    return f"{name}: this PDF is encrypted; save a copy without a password and add that."


def _title(reader: PdfReader) -> str:
    title = reader.metadata.title if reader.metadata else None
    return printable(title or "").strip()


def _published(reader: PdfReader) -> date | None:
    information = reader.metadata
    if not information or _BROWSER.search(f"{information.creator} {information.producer}"):
        return None
    try:
        created = information.creation_date
    except ValueError:  # not written as PDF wants it
        return None
    return created.date() if created else None
