"""Read the text layer of PDF files with pypdf."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from io import BytesIO
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from core.documents.dateline import dated_by_text
from core.documents.knowledge_store import printable
from core.documents.text import is_small_figure, marked, settled, unwrap
from core.errors import BadInput
from core.types import Document

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

MAX_PAGES = 2000
MAX_SECONDS = 60.0
"""A page of text takes 0.03 s; without this limit, a hostile page takes minutes."""

_SMALL = 0.85
"""The size of a raised figure beside that of its line, at most."""

_SHOWING = (b"Tj", b"TJ", b"'", b'"')
"""The operators of a PDF that show text."""


def read_pdf(name: str, content: bytes) -> Document:
    """Return the text of a PDF file, with lines joined to paragraphs, its title and page starts.

    The date is read from the first lines, because the date in a PDF's metadata is often much later. Raises BadInput if
    the file is broken or encrypted, has no text, or takes more than MAX_PAGES or MAX_SECONDS.
    """
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # pypdf warns of every small fault that it repairs
    try:
        reader = PdfReader(BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):  # many files are encrypted only to prevent changes
            raise BadInput(_encrypted(name))
        if len(reader.pages) > MAX_PAGES:
            raise BadInput(f"{name}: this PDF has {len(reader.pages):,} pages; split it into parts of {MAX_PAGES:,}.")
        pages, title = _pages(name, reader), _title(reader)
        pages[-1:] = ["\n".join([*pages[-1:], *_form(reader)])]
    except BadInput:
        raise
    except (DependencyError, FileNotDecryptedError) as error:
        raise BadInput(_encrypted(name)) from error
    except Exception as error:  # pypdf raises KeyError, TypeError, RecursionError and more for broken files
        raise BadInput(f"{name}: this PDF is broken and cannot be read; save or download it again.") from error
    if not any(character.isalnum() for page in pages for character in page):
        raise BadInput(
            f"{name}: this PDF has no text, only pictures of pages. "
            "Run text recognition (OCR) on it, for instance with ocrmypdf, and add the result."
        )
    text = unwrap("\n".join(pages), hyphens=True)
    return dated_by_text(Document(url=name, text=text, title=title, pages=page_starts(pages, text)), "\n".join(pages))


def page_starts(pages: Sequence[str], text: str) -> tuple[int, ...]:
    """Return the character of the joined text at which each page begins; an empty page begins where the next does.

    Joining lines changes only spaces and hyphens, so all other characters are counted.
    """
    before = list(accumulate((sum(map(_is_solid, page)) for page in pages), initial=0))[:-1]
    positions = (at for at, sign in enumerate(text) if _is_solid(sign))
    starts: list[int] = []
    for count, at in enumerate(positions):
        while len(starts) < len(before) and before[len(starts)] == count:
            starts.append(at)
    return (*starts, *[len(text)] * (len(before) - len(starts)))


def _is_solid(sign: str) -> bool:
    return sign != "-" and not sign.isspace()


def _pages(name: str, reader: PdfReader) -> list[str]:
    """Return the text of each page. Raises BadInput when it takes longer than MAX_SECONDS."""
    deadline = time.process_time() + MAX_SECONDS

    def look_at_clock(*_: object) -> None:
        if time.process_time() > deadline:
            raise BadInput(f"{name}: reading this PDF takes more than {MAX_SECONDS:g} seconds; split it.")

    return [printable(_text_of(page, look_at_clock)) for page in reader.pages]


def _text_of(page: PageObject, look_at_clock: Callable[..., None]) -> str:
    """Return a page's text, with settled raised figures; the lines of two mixed columns in the order of reading."""
    lines: list[PlacedLine] = []
    rise = shown = 0.0

    def before(operator: bytes, operands: Sequence[float], *_: object) -> None:
        nonlocal rise, shown
        look_at_clock()
        if operator == b"Ts":
            rise = float(operands[0])
        elif operator in _SHOWING:
            shown = rise

    def note(text: str, _: object, matrix: Sequence[float], __: object, size: float) -> None:
        lines.append(PlacedLine(text, matrix[4], matrix[5], size * abs(matrix[3]), shown))

    text = page.extract_text(visitor_operand_before=before, visitor_text=note)
    read = _with_raised(lines)
    joined = "".join(one.text for one in read)
    return settled(in_reading_order(read) or (joined if joined != "".join(one.text for one in lines) else text))


def _with_raised(lines: Sequence[PlacedLine]) -> list[PlacedLine]:
    """Return pieces of text, each raised or lowered figure joined to its line; raised ones are marked."""
    found: list[PlacedLine] = []
    goes_on = False
    for one in lines:
        last = found[-1] if found else one
        if not one.text.strip() and found:
            found[-1] = replace(last, text=last.text + one.text)
        elif is_small_figure(one.text) and one.size < _SMALL * last.size and 0 < abs(_height(one, last)) < last.size:
            figure = marked(one.text.strip()) if _height(one, last) > 0 else one.text.strip()
            end = "\n" if one.text.endswith("\n") else ""
            found[-1] = replace(last, text=last.text.rstrip("\n") + figure + end)
            goes_on = True
        elif goes_on and one.base == last.base:
            gap = " " if one.text.startswith(" ") else ""
            found[-1] = replace(last, text=last.text.rstrip("\n") + gap + one.text.lstrip(" "))
            goes_on = False
        else:
            found.append(one)
            goes_on = False
    return found


def _height(one: PlacedLine, last: PlacedLine) -> float:
    """Return how far a piece is above the line of the one before it, in points."""
    return one.base + one.rise - last.base - last.rise


def _form(reader: PdfReader) -> list[str]:
    """Return the filled fields of a form as one text, "Number of members: 140" a line; none without such fields."""
    fields = (reader.get_fields() or {}).items()
    lines = [f"{_label(name, field)}: {said}." for name, field in fields if (said := _said(field))]
    return [printable("\n".join(lines))] if lines else []


def _label(name: str, field: Any) -> str:
    """Return the words that a form shows for a field, else its name."""
    return str(field.get("/TU") or name).strip().rstrip(":")


def _said(field: Any) -> str:
    """Return a field's value; "yes" and "no" of a box to tick."""
    value = field.value
    if field.field_type == "/Btn":
        return "" if value is None else "no" if str(value) == "/Off" else "yes"
    return str(value).strip().removeprefix("/").rstrip(".") if value else ""


def _encrypted(name: str) -> str:
    return f"{name}: this PDF is encrypted; save a copy without a password and add that."


def _title(reader: PdfReader) -> str:
    """Return the title in the file's metadata, or "" if missing or broken."""
    try:
        title = reader.metadata.title if reader.metadata else ""
        return " ".join(printable(title).split()) if isinstance(title, str) else ""
    except Exception:  # as above; broken metadata does not affect the text
        return ""


LEAST_LINES = 6
"""Lines that begin at one place and make a column."""

LEAST_APART = 150.0
"""Points between the beginnings of two columns; cells of a table are often nearer."""

LEAST_LENGTH = 20
"""Mean characters of a column's lines; cells of a table have fewer."""

LEAST_SHARE = 0.7
"""The share of a page's lines that the two columns have."""


@dataclass(frozen=True)
class PlacedLine:
    """A piece of text as the file gives it, with its place and size in points.

    `left` and `base` are where it begins, from the left and from below. `rise` is how far it is raised from there.
    """

    text: str
    left: float
    base: float = 0.0
    size: float = 0.0
    rise: float = 0.0


def in_reading_order(lines: Sequence[PlacedLine]) -> str | None:
    """Return the text of a page if its file mixes the lines of two columns; None for any other page.

    Lines above the columns come first. A line inside a column belongs to the column that begins left of it.
    """
    written = [one for one in lines if one.text.strip()]
    begins = sorted(place for place, count in Counter(round(one.left) for one in written).most_common(2))
    if len(begins) < 2 or begins[1] - begins[0] < LEAST_APART:
        return None
    columns = [[one for one in written if round(one.left) == place] for place in begins]
    held = sum(map(len, columns))
    if any(not _is_column(one) for one in columns) or held < LEAST_SHARE * len(written):
        return None
    sides = [begins.index(round(one.left)) for one in written if round(one.left) in begins]
    if sum(one != other for one, other in pairwise(sides)) < LEAST_LINES:
        return None  # the file has one column after the other
    first = next(at for at, one in enumerate(written) if round(one.left) == begins[1])
    above, rest = written[: max(0, first - 1)], written[max(0, first - 1) :]
    left = [one for one in rest if one.left < begins[1] - 1]
    right = [one for one in rest if one.left >= begins[1] - 1]
    return "\n".join(one.text.strip("\n") for one in (*above, *left, *right))


def _is_column(lines: Sequence[PlacedLine]) -> bool:
    return len(lines) >= LEAST_LINES and sum(len(one.text) for one in lines) >= LEAST_LENGTH * len(lines)
