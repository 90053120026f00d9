"""Read tables from CSV in any common dialect and encoding, or from an XLSX workbook's first sheet."""

from __future__ import annotations

import csv
import io
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from core.confined import confined
from core.errors import BadInput
from core.wording import counted, readable_name

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""First characters that make a spreadsheet compute a cell; exports put an apostrophe before it."""

# The most characters of a cell, such as a scraped page; csv's own limit of 131,072 is process-wide.
CELL_LIMIT = 32 * 2**20
# The limit of an XLSX file's unpacked size.
MAX_BYTES = 128 * 2**20
UNPACKED_LIMIT = 128 * 2**20
MAX_COLUMNS = 1000
MAX_ROWS = 500_000
MAX_CELLS = 20_000_000
"""Including empty cells: a workbook may have a single cell in the last row of the last column."""

_Rows = list[tuple[int, tuple[str, ...]]]
Row = TypeVar("Row", bound=Sequence[Any])


@dataclass(frozen=True)
class Sheet:
    """A header and its rows, as text. Each row comes with its number in the file, the header being row 1.

    Rows are as long as the header. `notes` names each guess: encoding, separator, short rows.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    notes: tuple[str, ...] = ()


def read_sheet(name: str, content: bytes) -> Sheet:
    """Return the table in a CSV, TSV or XLSX file, detected by content; `name` is for messages.

    Raises BadInput if the file is empty, not a table, has a column twice, or is an unreadable XLSX file.
    """
    check_sheet_size(name, content)
    return confined(_read_sheet, name, content)


def check_sheet_size(name: str, content: bytes) -> None:
    """Raise BadInput if a file is too large for a table of ratings or scores."""
    if len(content) > MAX_BYTES:
        large, most = len(content) >> 20, MAX_BYTES >> 20
        raise BadInput(f"{name} is {large} MB; the limit is {most} MB. Leave out columns of long texts, or split it.")


def _read_sheet(name: str, content: bytes) -> Sheet:
    if content[:4] == b"PK\x03\x04":
        rows, notes = _xlsx_rows(name, content)
    else:
        rows, notes = _csv_rows(name, content)
    filled = [(number, row) for number, row in rows if any(cell.strip() for cell in row)]
    if not filled:
        raise BadInput(f"{name} is empty: it needs a row of column titles and a row for each rating or score.")
    header = tuple(title.strip() for title in filled[0][1])
    while header and not header[-1]:
        header = header[:-1]
    check_titles(name, header)
    width = len(header)
    odd = sum(len(row) < width or any(cell.strip() for cell in row[width:]) for _, row in filled[1:])
    if odd:
        notes = (*notes, f"{counted(odd, 'row has', 'rows have')} more or fewer cells than there are column titles")
    fitted = tuple((number, (*row[:width], *[""] * (width - len(row)))) for number, row in filled[1:])
    return Sheet(header, fitted, notes)


def check_titles(name: str, titles: Sequence[str]) -> None:
    """Raise BadInput if two columns have the same title, ignoring capitals."""
    counts = Counter(title.casefold() for title in titles if title)
    twice = next((title for title, count in counts.items() if count > 1), None)
    if twice:
        raise BadInput(f"{name} has two columns {twice[:80]!r}: which of the two counts? Remove the other.")


def _decoded(name: str, content: bytes) -> tuple[str, tuple[str, ...]]:
    if b"\x00" in content[:4096] and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadInput(f"{name} is neither CSV nor XLSX. Export the sheet as one of the two and try again.")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace"), ("read as UTF-16",)
    try:
        return content.decode("utf-8-sig"), ()
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace"), ("not UTF-8: read as Windows-1252",)


def _csv_rows(name: str, content: bytes) -> tuple[_Rows, tuple[str, ...]]:
    text, notes = _decoded(name, content)
    first = text.lstrip("\r\n").split("\n", 1)[0]
    separator = max(",;\t", key=first.count)
    if separator != ",":
        notes = (*notes, "cells are separated by tabs" if separator == "\t" else "cells are separated by ;")
    csv.field_size_limit(CELL_LIMIT)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        return [(number, tuple(map(_unguarded, row))) for number, row in _bounded(name, reader)], notes
    except csv.Error as error:
        raise BadInput(f"{name}, line {reader.line_num}: not readable as CSV ({error}).") from error


def _unguarded(cell: str) -> str:
    """Return a cell without the apostrophe that our exports add against formulas."""
    return cell[1:] if cell[:1] == "'" and cell[1:].lstrip(" ").startswith(FORMULA_STARTS) else cell


def _xlsx_rows(name: str, content: bytes) -> tuple[_Rows, tuple[str, ...]]:
    import openpyxl

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > UNPACKED_LIMIT:
            most = UNPACKED_LIMIT >> 20
            raise BadInput(f"{name} unpacks to {unpacked >> 20} MiB, more than {most}: export it as CSV.")
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        sheet = book.worksheets[0]
        rows = [(n, tuple(map(_text, row))) for n, row in _bounded(name, sheet.iter_rows(values_only=True)) if any(row)]
    except (BadInput, MemoryError):
        raise
    except Exception as error:  # openpyxl, expat and zlib raise many errors: broken XML, entities, a wrong password
        raise BadInput(f"{name} is not a readable XLSX workbook ({_why(error)}). Export it as CSV instead.") from error
    others = len(book.worksheets) - 1
    return rows, (f"read the first sheet, {sheet.title!r}, and not the other {others}",) if others else ()


def _bounded(name: str, rows: Iterable[Row]) -> Iterator[tuple[int, Row]]:
    """Number the rows of a sheet from 1. Raises BadInput for too many rows, columns or cells."""
    cells = 0
    for number, row in enumerate(rows, start=1):
        width = len(row) if len(row) <= MAX_COLUMNS else _filled_width(row)
        cells += len(row)
        if width > MAX_COLUMNS or number > MAX_ROWS or cells > MAX_CELLS:
            raise BadInput(
                f"{name} has more than {MAX_ROWS:,} rows, {MAX_COLUMNS:,} columns or {MAX_CELLS:,} cells, empty ones "
                f"between others included: leave out cells neither rated nor scored."
            )
        yield number, row


def _filled_width(row: Sequence[object]) -> int:
    return next((i + 1 for i in range(len(row) - 1, -1, -1) if row[i] not in (None, "")), 0)


def _why(error: Exception) -> str:
    return readable_name(str(error))[:200] or type(error).__name__


def _text(cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ")
    return str(cell)
