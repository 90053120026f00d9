"""Plain text and Markdown, both kept as they were written."""

from __future__ import annotations

import codecs
import re
from itertools import pairwise

from core.documents.dateline import dated_by_text
from core.documents.knowledge_store import printable
from core.errors import BadInput, TooLarge
from core.types import Document

_BLANK_LINES = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
# A line with this beginning is an item, a heading, a quotation, a table's row or indented.
# It never continues another line.
_OWN_LINE = re.compile(r"[\s#>|•*+–—-]|\d{1,3}[.)]\s")
_SENTENCE_END = re.compile(r"""[.!?…:;。！？]["'”’»)\]]*$""")
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_BINARY = frozenset(range(32)) - frozenset(b"\t\n\v\f\r\x1b")
KINDS = "PDF, DOCX, ODT, RTF, EPUB, HTML, Markdown, plain text, a JSONL knowledge store or a ZIP of them."
MAX_BYTES = 20_000_000
WIDEST_COLUMN = 120
"""Characters per line up to which text counts as broken into lines by a program, not by its author."""


class OldEncoding(BadInput):
    """A text in an encoding that does not name itself."""


def read_text(name: str, content: bytes) -> Document:
    """Return a plain text as a document. Raises BadInput if it is not text, OldEncoding if it is not in UTF-8."""
    text = decode(name, content)
    return dated_by_text(Document(url=name, text=unwrap(text)), text)


def read_markdown(name: str, content: bytes) -> Document:
    """Return a Markdown file as a document: its marks stay in the text, its first heading is the title."""
    written = decode(name, content)
    text = unwrap(written)
    return dated_by_text(Document(url=name, text=text, title=_first_heading(text)), written)


def _first_heading(text: str) -> str:
    """Return the first heading with words, "" where there is none. Without a pattern: those that did it took O(n³)."""
    for line in text.split("\n"):
        words = line.lstrip("#")
        level = len(line) - len(words)
        if 1 <= level <= 6 and words[:1].isspace() and (title := words.strip().rstrip("#").rstrip()):
            return title
    return ""


def decode(name: str, content: bytes) -> str:
    """Return the characters of a text file in UTF-8, or UTF-16 with its byte order mark, lines ended by "\\n".

    Raises OldEncoding for other text, BadInput for what is none and for more than MAX_BYTES.
    """
    if len(content) > MAX_BYTES:
        raise TooLarge(f"{name}: this text is larger than {MAX_BYTES // 1_000_000} MB; split it.")
    encoding = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), "utf-8")
    if is_binary(content) and encoding != "utf-16":
        raise BadInput(f"{name}: this is not a text file. {KINDS}")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        raise OldEncoding(
            f"{name}: this text is not in UTF-8, and can be read in several ways. Save it with UTF-8 encoding and add "
            "it again."
        ) from error
    return printable(text.replace("\r\n", "\n").replace("\r", "\n"))


def is_binary(content: bytes) -> bool:
    """Say whether the first 4,096 bytes hold a control character that UTF-8 text does not have."""
    return not _BINARY.isdisjoint(content[:4096])


def unwrap(text: str, *, hyphens: bool = False) -> str:
    """Join lines that a program broke in the middle of a sentence, as in PDF files and e-mails.

    A line is joined to a wide one before it that ends no sentence. It is also joined if it goes on in lower case.
    Paragraphs, lists and headings stay apart. With `hyphens`, words divided at the end of a line are put together. Text
    with lines wider than WIDEST_COLUMN was not broken by a program. Only its runs of blank lines change.
    """
    lines = _BLANK_LINES.sub("\n\n", text.strip("\n")).split("\n")
    widths = sorted(len(line) for line in lines if line.strip())
    widest = widths[len(widths) * 9 // 10] if widths else 0
    if widest > WIDEST_COLUMN:
        return "\n".join(lines)
    pieces = lines[:1]  # joined once at the end: a paragraph that grew line by line would be copied as often
    for last, line in pairwise(lines):
        if not _continues(last, line, widest):
            pieces += ("\n", line)
        elif hyphens and last.endswith("-") and line[:1].islower():
            pieces[-1] = pieces[-1][:-1]
            pieces.append(line)
        else:
            pieces[-1] = pieces[-1].rstrip()
            pieces += (" ", line)
    return "".join(pieces)


def _continues(last: str, line: str, widest: int) -> bool:
    if not last.strip() or not line.strip() or _OWN_LINE.match(line) or last.startswith("#"):
        return False
    if _SENTENCE_END.search(last.rstrip()):
        return False
    return line[0].islower() or len(last) >= max(30, 0.6 * widest)
