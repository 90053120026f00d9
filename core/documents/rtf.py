"""Read RTF files with striprtf."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.documents.dateline import dated_by_text
from core.documents.knowledge_store import printable
from core.documents.text import unwrap
from core.errors import BadInput
from core.types import Document

# \\ is an escaped backslash, followed by text.
_NUMBERED = re.compile(r"\\\\|\\(bin|uc|u)(-?\d+)?(?![a-z\d]) ?")
_SKIPPED = 9
"""The most signs after a letter that replace it in old programs; more would be text."""

_TITLE = re.compile(r"\{\\title ([^{}\\]{1,500})\}")


def read_rtf(name: str, content: bytes) -> Document:
    """Return the text of an RTF file, with title and date as in Word files. Raises BadInput if broken or empty."""
    from striprtf.striprtf import rtf_to_text

    source = content.decode("latin-1")  # RTF is ASCII; other letters are escapes in a code page
    try:
        text = printable(rtf_to_text("".join(_honest(source)), errors="replace"))  # type: ignore[no-untyped-call]
    except Exception as error:  # striprtf raises LookupError, ValueError and more for broken files
        raise BadInput(f"{name}: this RTF file is broken and cannot be read; save it again as DOCX.") from error
    if not any(character.isalnum() for character in text):
        raise BadInput(f"{name}: this RTF file has no text.")
    title = _TITLE.search(source)
    document = Document(url=name, text=unwrap(text.strip()), title=title.group(1).strip() if title else "")
    return dated_by_text(document, text)


def _honest(source: str) -> Iterator[str]:
    """Yield the source without binary data, and without numbers that make striprtf skip text."""
    at = 0
    for found in _NUMBERED.finditer(source):
        word, number = found.groups()
        if found.start() < at or word is None:
            continue
        count = int((number or "0")[:10])
        if word == "bin":
            yield source[at : found.start()]
            at = _end_of_data(source, found.end(), count)
        elif count > (_SKIPPED if word == "uc" else 0xFFFF):
            yield source[at : found.start()] + (r"\uc1 " if word == "uc" else "\\u65533 ")
            at = found.end()
    yield source[at:]


def _end_of_data(source: str, start: int, count: int) -> int:
    """Return the end of binary data, or skip nothing if its group does not end there."""
    end = start + max(count, 0)
    return end if source[end : end + 3].lstrip()[:1] == "}" else start
