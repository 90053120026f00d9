"""RTF files, by striprtf."""

from __future__ import annotations

import re

from core.documents.dateline import dated_by_text
from core.documents.knowledge_store import printable
from core.documents.text import unwrap
from core.errors import BadInput
from core.types import Document

_TITLE = re.compile(r"\{\\title ([^{}\\]{1,500})\}")


def read_rtf(name: str, content: bytes) -> Document:
    """Return the text of an RTF file with its title, dated as Word files are. Raises BadInput if broken or empty."""
    from striprtf.striprtf import rtf_to_text

    source = content.decode("latin-1")  # RTF is ASCII: other letters stand in it as escapes, with their code page
    try:
        text = printable(rtf_to_text(source, errors="replace"))  # type: ignore[no-untyped-call]
    except Exception as error:  # it lets LookupError, ValueError and more out of broken files
        raise BadInput(f"{name}: this RTF file is broken and cannot be read; save it again as DOCX.") from error
    if not any(character.isalnum() for character in text):
        raise BadInput(f"{name}: this RTF file has no text.")
    title = _TITLE.search(source)
    document = Document(url=name, text=unwrap(text.strip()), title=title.group(1).strip() if title else "")
    return dated_by_text(document, text)
