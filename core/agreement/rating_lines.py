"""Our own JSON lines of ratings (`ratings_jsonl`), read as the table that other exports are."""

from __future__ import annotations

import json
from typing import Any

from core.errors import BadRecord
from core.tabular.sheets import Sheet

FACTS = ("timestamp", "team", "rater", "id", "system", "claim", "error", "verdict", "support", "comment", "evidence")
TITLES = {"error": "Major errors", "support": "Supporting text", "evidence": "Predicted evidence"}
"""The column titles of the fields that are not named as their columns are."""


def is_rating_lines(content: bytes) -> bool:
    """Tell whether a file begins as JSON lines do."""
    return content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"


def read_rating_lines(name: str, content: bytes) -> Sheet:
    """Return one row a line, its number the line's; every scale is a column. Raises BadRecord naming a bad line."""
    records = [(n, _record(name, n, line)) for n, line in enumerate(content.splitlines(), start=1) if line.strip()]
    scales = tuple(dict.fromkeys(scale for _, record in records for scale in record["ratings"]))
    rows = ((n, (*(_cell(record.get(field)) for field in FACTS), *_ratings(record, scales))) for n, record in records)
    return Sheet((*(TITLES.get(field, field) for field in FACTS), *scales), tuple(rows))


def _record(name: str, number: int, line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise BadRecord(f"{name}, line {number}: no JSON in UTF-8 ({error}).") from error
    if not isinstance(record, dict) or not isinstance(record.setdefault("ratings", {}), dict):
        raise BadRecord(f"{name}, line {number}: expected an object with 'ratings' by scale.")
    return record


def _ratings(record: dict[str, Any], scales: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_cell(record["ratings"].get(scale)) for scale in scales)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
