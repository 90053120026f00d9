"""Read text files of records, recognised by content: JSON array, JSON lines, CSV."""

from __future__ import annotations

import csv
import io
import json
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from core.confined import confined
from core.errors import BadInput, BadRecord
from core.files import HALF, read_bounded

MAX_BYTES = 256 * 1024 * 1024
MAX_TOML = 50_000
"""The most characters of a TOML file."""

MAX_DOTS = 100
"""The most dots in a line of TOML: Python's reader needs quadratic time and memory for a key's parts."""

CSV_COLUMNS = ("id", "claim", "evi", "label")


@dataclass(frozen=True)
class RecordFile:
    """A decoded file: its records, each with its place in the file ("line 7", "record 3").

    `format` is "json", "jsonl" or "csv"; `encoding` is "utf-8", "utf-16" or "windows-1252". `separator` is that of a
    CSV's cells.
    """

    name: str
    format: str
    encoding: str
    records: tuple[tuple[str, dict[str, Any]], ...]
    separator: str = ","


def read_bytes(path: Path) -> bytes:
    """Return the content of a file, or of standard input for "-".

    Raises BadInput if it is absent, unreadable or larger than MAX_BYTES.
    """
    if str(path) == "-":
        return standard_input()
    if path.is_file():
        check_size(path.name, path.stat().st_size)
    return read_bounded(path, MAX_BYTES)


@cache
def standard_input() -> bytes:
    """Return the content of standard input, kept because a command may read it twice."""
    content = sys.stdin.buffer.read(MAX_BYTES + 1)
    check_size("Standard input", len(content))
    return content


def read_text(path: Path) -> str:
    """Return the text of a file. Raises BadInput as `read_bytes`, and if it is not in UTF-8."""
    return parse_text(str(path), read_bytes(path))


def parse_text(name: str, content: bytes) -> str:
    """Return the text of a file's content. Raises BadInput if it is not in UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{name} is not in UTF-8; save it with UTF-8 encoding.") from error


def check_size(name: str, size: int) -> None:
    """Raise BadInput if a file of `size` bytes is too large to hold in memory."""
    if size > MAX_BYTES:
        raise BadInput(
            f"{name} is {size / 2**20:.0f} MB; the limit is {MAX_BYTES // 2**20} MB. "
            "Leave out 'scraped_text': no score here needs it."
        )


def parse_records(name: str, content: bytes, *, csv_columns: Sequence[str] = CSV_COLUMNS) -> RecordFile:
    """Return the records of a JSON, JSON-lines or CSV file; a CSV must have `csv_columns`.

    Raises BadRecord naming file, line and reason if the content is none of the three.
    """
    check_size(name, len(content))
    return confined(_parse_records, name, content, tuple(csv_columns))


def _parse_records(name: str, content: bytes, csv_columns: Sequence[str]) -> RecordFile:
    text, encoding = _decode(name, content)
    file = _parse(name, text, encoding, csv_columns)
    if not file.records:
        raise BadInput(f"{name} holds no records.")
    return file


def _parse(name: str, text: str, encoding: str, csv_columns: Sequence[str]) -> RecordFile:
    first = text.lstrip()[:1]
    if not first:
        raise BadInput(f"{name} is empty.")
    if first == "[":
        return RecordFile(name, "json", encoding, _json_array(name, text))
    if first == "{":
        return _json_objects(name, text, encoding)
    separator = _separator(text)
    return RecordFile(name, "csv", encoding, tuple(_csv_rows(name, text, csv_columns, separator)), separator)


def _separator(text: str) -> str:
    """Return the character between the titles of a CSV: a comma, a semicolon or a tab."""
    titles = text.lstrip("\r\n").split("\n", 1)[0]
    return max(",;\t", key=titles.count)


def _decode(name: str, content: bytes) -> tuple[str, str]:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return content.decode("utf-16"), "utf-16"
        except UnicodeDecodeError as error:
            raise BadInput(
                f"{name} begins like UTF-16, but cannot be read as UTF-16 ({error.reason}). Save it in UTF-8."
            ) from error
    if b"\0" in content[:4096]:
        raise BadInput(f"{name} is not a text file in UTF-8 or UTF-16; JSON, JSON lines and CSV can be read.")
    try:
        return content.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        # Spreadsheets on Windows write this encoding, which includes Latin-1's letters. The caller reports it.
        return content.decode("cp1252", errors="replace"), "windows-1252"


def _json_array(name: str, text: str) -> tuple[tuple[str, dict[str, Any]], ...]:
    rows = parse_json(name, text, line=0)
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            raise BadRecord(f"{name}: record {number} must be an object, got {type(row).__name__}.")
    return tuple((f"record {number}", row) for number, row in enumerate(rows))


def _json_objects(name: str, text: str, encoding: str) -> RecordFile:
    first_line = text.lstrip().split("\n", 1)[0].rstrip()
    if first_line.endswith("}"):
        return RecordFile(name, "jsonl", encoding, tuple(_json_lines(name, text)))
    row = parse_json(name, text, line=0)
    return RecordFile(name, "json", encoding, (("record 0", row),))


def _json_lines(name: str, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    # Not splitlines(), which also splits at U+2028 and other characters inside JSON strings.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            row = parse_json(name, line, line=number)
            if not isinstance(row, dict):
                raise BadRecord(f"{name}: line {number} must be an object, got {type(row).__name__}.")
            yield f"line {number}", row


def parse_json(name: str, text: str, *, line: int = 0) -> Any:
    """Return the value of a user's JSON text; `line` is its line in the file `name`, 0 for a whole file.

    Raises BadRecord for invalid JSON, repeated keys in an object, deep nesting and very long numbers.
    """
    try:
        value = json.loads(text, object_pairs_hook=_object)
        if HALF.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        place = f"line {line or error.lineno}, column {error.colno}"
        raise BadRecord(f"{name}: {place} is not valid JSON: {error.msg}.") from error
    except _Refused as error:
        raise BadRecord(f"{name}: {f'line {line} ' if line else ''}{error}.") from error
    except UnicodeEncodeError as error:
        where = f"line {line}" if line else "the JSON"
        raise BadRecord(f"{name}: {where} holds half a character (a lone surrogate, \\ud800 to \\udfff).") from error
    except ValueError as error:  # a number with thousands of digits
        raise BadRecord(f"{name}: line {line or 1} holds a number that is too long.") from error
    except RecursionError as error:
        raise BadRecord(f"{name}: {f'line {line}' if line else 'the JSON'} is nested too deeply.") from error
    return value


def parse_toml(name: str, text: str) -> dict[str, Any]:
    """Return the table in a user's TOML text. Raises BadRecord if it is invalid, too long or too deeply nested."""
    if len(text) > MAX_TOML:
        raise BadRecord(f"{name} has {len(text):,} characters; the limit is {MAX_TOML:,}.")
    for number, line in enumerate(text.split("\n"), start=1):
        if (dots := line.count(".")) > MAX_DOTS:
            raise BadRecord(f"{name}: line {number} has {dots:,} dots; the limit is {MAX_DOTS}.")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise BadRecord(f"{name} is not TOML that can be read: it is nested too deeply.") from error
    except ValueError as error:  # includes TOMLDecodeError, and numbers with thousands of digits
        raise BadRecord(f"{name} is not TOML: {error}.") from error


class _Refused(Exception):
    """A construct that JSON allows and Veridesk refuses."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise _Refused(f"names '{twice[:80]}' twice in one object: which of the two is meant?")
    return record


def _csv_rows(name: str, text: str, columns: Sequence[str], separator: str) -> Iterator[tuple[str, dict[str, Any]]]:
    csv.field_size_limit(MAX_BYTES)
    rows = csv.reader(io.StringIO(text.lstrip("\r\n"), newline=""), strict=True, delimiter=separator)
    try:
        header = [cell.strip() for cell in next(rows)]
        twice = next((title for title, count in Counter(filter(None, header)).items() if count > 1), None)
        if twice:
            raise BadRecord(f"{name}: line 1 names two columns {twice[:80]!r}: which of the two counts?")
        missing = [column for column in columns if column not in header]
        if missing:
            raise BadRecord(
                f"{name}: line 1 must name the columns {', '.join(columns)} "
                f"({', '.join(missing)} missing), or the file must begin with '[' or '{{' (JSON)."
            )
        started = rows.line_num + 1
        for row in rows:
            if row and len(row) != len(header):
                raise BadRecord(f"{name}: line {started} has {len(row)} cells, its header {len(header)}.")
            if row:
                yield f"line {started}", dict(zip(header, row, strict=True))
            started = rows.line_num + 1
    except csv.Error as error:
        raise BadRecord(f"{name}: line {rows.line_num} is not valid CSV: {error}.") from error
