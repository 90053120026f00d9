"""Read plain text and Markdown, both unchanged."""

from __future__ import annotations

import codecs
import re
from itertools import pairwise

from core.documents.dateline import dated_by_text
from core.documents.knowledge_store import printable
from core.errors import BadInput, TooLarge
from core.types import Document

_BLANK_LINES = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
# Beginnings of items, headings, quotations, table rows and indented lines, which never continue the previous line.
_OWN_LINE = re.compile(r"[\s#>|•*+–—-]|\d{1,3}[.)]\s")
_SENTENCE_END = re.compile(r"""[.!?…:;。！？]["'”’»)\]]*$""")
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_BINARY = frozenset(range(32)) - frozenset(b"\t\n\v\f\r\x1b")
KINDS = "PDF, DOCX, ODT, RTF, EPUB, HTML, Markdown, plain text, a JSONL knowledge store or a ZIP of them."
MAX_BYTES = 20_000_000
WIDEST_COLUMN = 120
"""The longest line that a program may have broken; longer lines are the author's."""


class OldEncoding(BadInput):
    """The text is in an unnamed old encoding."""


def read_text(name: str, content: bytes) -> Document:
    """Return a plain text as a document. Raises BadInput if it is no text, OldEncoding if it is not UTF-8."""
    text = decode(name, content)
    return dated_by_text(Document(url=name, text=unwrap(text)), text)


def read_markdown(name: str, content: bytes) -> Document:
    """Return a Markdown file as a document, with its marks; its first heading is the title."""
    written = decode(name, content)
    text = unwrap(written)
    return dated_by_text(Document(url=name, text=text, title=_first_heading(text)), written)


def _first_heading(text: str) -> str:
    """Return the first heading with words, or "". Regular expressions took O(n³) here."""
    for line in text.split("\n"):
        words = line.lstrip("#")
        level = len(line) - len(words)
        if 1 <= level <= 6 and words[:1].isspace() and (title := words.strip().rstrip("#").rstrip()):
            return title
    return ""


def decode(name: str, content: bytes) -> str:
    """Return the characters of a text file in UTF-8, or UTF-16 with its byte order mark, lines ended by "\\n".

    Raises OldEncoding for other text, BadInput for other bytes and for more than MAX_BYTES.
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
            f"{name}: this text is not in UTF-8, and its encoding is unclear. Save it as UTF-8 and add it again."
        ) from error
    return printable(text.replace("\r\n", "\n").replace("\r", "\n"))


def is_binary(content: bytes) -> bool:
    """Return whether the first 4,096 bytes hold a control character foreign to text."""
    return not _BINARY.isdisjoint(content[:4096])


def unwrap(text: str, *, hyphens: bool = False) -> str:
    """Join lines that a program broke inside a sentence, as in PDF files and e-mails.

    A line is joined to the previous wide line if that ends no sentence. A line in lower case is joined too. Paragraphs,
    lists and headings stay apart. With `hyphens`, words divided at line ends are joined. In text with lines wider than
    WIDEST_COLUMN, only runs of blank lines change.
    """
    lines = _BLANK_LINES.sub("\n\n", text.strip("\n")).split("\n")
    widths = sorted(len(line) for line in lines if line.strip())
    widest = widths[len(widths) * 9 // 10] if widths else 0
    if widest > WIDEST_COLUMN:
        return "\n".join(lines)
    pieces = lines[:1]  # joined once at the end, because growing the text line by line would copy it each time
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


BEGINS, ENDS = "\x0e", "\x0f"
"""Characters around a raised text until it is settled; no document has them."""

_RAISED = re.compile(rf"(?P<before>[^\W_]*|\S?){BEGINS}(?P<text>[^{BEGINS}{ENDS}]*){ENDS}")
_MARK = re.compile(r"[\[(]?(?:\d{1,3}(?:\s?[,–-]\s?\d{1,3})*|[*†‡§]+|[a-z])[\])]?")
_FIGURES = re.compile(r"[-−]?\d{1,3}")
_HIGH = str.maketrans("0123456789-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")
_UNITS = frozenset("m km cm mm dm ft yd mi s h".split())


def marked(text: str) -> str:
    """Return a raised text with the characters around it that `settled` looks for."""
    return f"{BEGINS}{text}{ENDS}" if text.strip() else text


def is_small_figure(text: str) -> bool:
    """Say whether a text may be a mark of a footnote or a power, if it is small and raised."""
    return bool(_MARK.fullmatch(text.strip()) or _FIGURES.fullmatch(text.strip()))


def settled(text: str) -> str:
    """Return a text without its marks of footnotes, and with powers of units, letters and ten as raised figures.

    "34¹ people" has a mark, for no unit, letter or ten is before it; "5 m²", "10⁶" and "x²" have powers.
    """
    return _RAISED.sub(_settle, text).replace(BEGINS, "").replace(ENDS, "")


def _settle(found: re.Match[str]) -> str:
    before, text = found["before"], found["text"].strip()
    if _FIGURES.fullmatch(text) and (before in _UNITS or before == "10" or (len(before) == 1 and before.isalpha())):
        return before + text.translate(_HIGH)
    return before if _MARK.fullmatch(text) else before + text
