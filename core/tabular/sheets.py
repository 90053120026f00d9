"""Tables as people send them: CSV in any common dialect and encoding, or an XLSX workbook's first sheet."""

from __future__ import annotations

import csv
import io
import zipfile
from dataclasses import dataclass
from datetime import datetime

from core.confined import confined
from core.errors import BadInput

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would compute a cell for that begins so; exports put an apostrophe before it."""

# A cell may hold a whole scraped page; csv's own limit of 131,072 characters is process-wide.
CELL_LIMIT = 32 * 2**20
# An XLSX file is a zip: what it unpacks to is bounded, not what it weighs.
UNPACKED_LIMIT = 512 * 2**20

_Rows = list[tuple[int, tuple[str, ...]]]


@dataclass(frozen=True)
class Sheet:
    """A header and its rows, as text. Each row comes with its number in the file, the header being row 1.

    Rows are as long as the header. `notes` says what had to be guessed: encoding, separator, short rows.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    notes: tuple[str, ...] = ()


def read_sheet(name: str, content: bytes) -> Sheet:
    """Return the table in a CSV, TSV or XLSX file; told apart by content, `name` is for messages.

    Raises BadInput if the file is empty, not a table, or an XLSX file that cannot be read.
    """
    return confined(_read_sheet, name, content)


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
    width = len(header)
    odd = sum(len(row) < width or any(cell.strip() for cell in row[width:]) for _, row in filled[1:])
    if odd:
        notes = (*notes, f"{odd} rows have more or fewer cells than there are column titles")
    fitted = tuple((number, (*row[:width], *[""] * (width - len(row)))) for number, row in filled[1:])
    return Sheet(header, fitted, notes)


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
        return [(number, tuple(map(_unguarded, row))) for number, row in enumerate(reader, start=1)], notes
    except csv.Error as error:
        raise BadInput(f"{name}, line {reader.line_num}: not readable as CSV ({error}).") from error


def _unguarded(cell: str) -> str:
    """Return a cell without the apostrophe that keeps spreadsheets from computing it, as our exports write it."""
    return cell[1:] if cell[:1] == "'" and cell[1:].startswith(FORMULA_STARTS) else cell


def _xlsx_rows(name: str, content: bytes) -> tuple[_Rows, tuple[str, ...]]:
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > UNPACKED_LIMIT:
            raise BadInput(f"{name} unpacks to {unpacked >> 20} MiB, more than the {UNPACKED_LIMIT >> 20} allowed.")
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        sheet = book.worksheets[0]
        values = enumerate(sheet.iter_rows(values_only=True), start=1)
        rows = [(number, tuple(map(_text, row))) for number, row in values]
    except (zipfile.BadZipFile, InvalidFileException, KeyError, ValueError, IndexError) as error:
        raise BadInput(f"{name} is not a readable XLSX workbook ({error}). Export it as CSV instead.") from error
    others = len(book.worksheets) - 1
    return rows, (f"read the first sheet, {sheet.title!r}, and not the other {others}",) if others else ()


def _text(cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ")
    return str(cell)
