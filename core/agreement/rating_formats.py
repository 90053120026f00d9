"""The shapes of exported ratings: titles of a form's columns, our own JSON lines, and the times that forms write."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from core.errors import BadRecord
from core.records import parse_json
from core.tabular.sheets import Sheet

# The shared task's scales, both editions. A form may have more: see `custom_scales`.
SCALES = ("semantic_coverage", "coherence", "redundancy", "consistency", "relevance")
SCALE_TITLES = {
    "semantic_coverage": "Semantic coverage",
    "coherence": "Coherence",
    "redundancy": "Redundancy",
    "consistency": "Consistency",
    "relevance": "Relevance",
}


def _is(*names: str) -> Callable[[str], bool]:
    return lambda title: title in names


def _asks(*words: str) -> Callable[[str], bool]:
    return lambda title: any(word in title for word in words)


# In order: the first test that a title passes gives its meaning, the first title with a meaning keeps it.
_MEANINGS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("timestamp", _is("timestamp", "time", "submitted")),
    ("rater", _is("email address", "e-mail address", "email", "username", "rater", "annotator", "user")),
    ("team", _is("team", "team name", "your team")),
    ("error", _asks("major errors", "predicted evidence errors")),
    ("support", _asks("please copy from the field", "supporting text")),
    ("verdict", _asks("decide if the claim")),
    ("verdict", _is("label", "label majority", "verdict", "label human eval")),
    ("item", _is("id", "claim id", "item", "enter claim id below")),
    ("claim", _is("claim", "enter claim below")),
    ("evidence", _is("predicted evidence", "enter the predicted evidence text below")),
    ("reference", _is("reference evidence")),
    ("predicted", _is("predicted label", "pred label")),
    ("system", _is("system", "rated system")),
    ("comment", _is("comment", "comments")),
    ("control", _is("control", "control item")),
    ("semantic_coverage", _is("semantic coverage", "coverage")),
    ("coherence", _is("coherence")),
    ("redundancy", _is("redundancy")),
    ("consistency", _is("consistency")),
    ("relevance", _is("relevance", "relevance to claim")),
)


def meanings(titles: Sequence[str]) -> dict[str, int]:
    """Return meaning → column for the titles that are understood; the first of several with one meaning.

    A claim's id is the item's, unless another column names the item.
    """
    found: dict[str, int] = {}
    plain_titles = [_plain(title) for title in titles]
    item_named = any(plain in ("id", "item") for plain in plain_titles)
    for column, plain in enumerate(plain_titles):
        meaning = next((name for name, test in _MEANINGS if test(plain)), None)
        if plain == "claim id" and item_named:
            meaning = "claim_id"
        if meaning is not None:
            found.setdefault(meaning, column)
    return found


def custom_scales(titles: Sequence[str], rows: Sequence[Sequence[str]], known: Sequence[int]) -> dict[str, int]:
    """Return name → column of further scales: columns that hold nothing but whole numbers from 1 to 10."""
    found: dict[str, int] = {}
    for column, title in enumerate(titles):
        cells = [row[column].strip() for row in rows if row[column].strip()]
        if column not in known and title and cells and all(re.fullmatch(r"([1-9]|10)(\.0+)?", cell) for cell in cells):
            found.setdefault(_plain(title).replace(" ", "_"), column)
    return found


def _plain(title: str) -> str:
    """Return a title in lower case without numbering, brackets, stars and final punctuation."""
    text = re.sub(r"^\s*\d+[.)]\s*", "", title.lower())
    text = re.sub(r"[\[\]*_:]", " ", text)
    return " ".join(text.split()).rstrip(" .?")


LINE_FIELDS = (
    "timestamp",
    "team",
    "rater",
    "id",
    "claim_id",
    "system",
    "control",
    "claim",
    "error",
    "verdict",
    "support",
    "comment",
    "evidence",
)
BY_NAME = ("ratings", "own")
LINE_TITLES = {"error": "Major errors", "support": "Supporting text", "evidence": "Predicted evidence"}
"""The column titles of the fields that are not named as their columns are."""


def is_rating_lines(content: bytes) -> bool:
    """Tell whether a file begins as JSON lines do."""
    return content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"


def read_rating_lines(name: str, content: bytes) -> Sheet:
    """Return one row per line, its number the line's; every scale is a column. Raises BadRecord naming a bad line."""
    records = [(n, _record(name, n, line)) for n, line in enumerate(content.splitlines(), start=1) if line.strip()]
    scales = tuple(dict.fromkeys(scale for _, record in records for scale in {**record["ratings"], **record["own"]}))
    rows = (
        (n, (*(_cell(record.get(field)) for field in LINE_FIELDS), *_ratings(record, scales))) for n, record in records
    )
    return Sheet((*(LINE_TITLES.get(field, field) for field in LINE_FIELDS), *scales), tuple(rows))


def _record(name: str, number: int, line: bytes) -> dict[str, Any]:
    try:
        record = parse_json(name, line.decode("utf-8-sig"), line=number)
    except UnicodeDecodeError as error:
        raise BadRecord(f"{name}, line {number}: no JSON in UTF-8 ({error}).") from error
    if not isinstance(record, dict) or not all(isinstance(record.setdefault(one, {}), dict) for one in BY_NAME):
        raise BadRecord(f"{name}, line {number}: expected an object with 'ratings' by scale, or 'own' by question.")
    return record


def _ratings(record: dict[str, Any], scales: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_cell({**record["ratings"], **record["own"]}.get(scale)) for scale in scales)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


YEAR_FIRST = "%Y/%m/%d %I:%M:%S %p"
MONTH_FIRST = ("%m/%d/%Y %H:%M:%S", "%m/%d/%Y %H:%M", YEAR_FIRST)
DAY_FIRST = ("%d/%m/%Y %H:%M:%S", "%d/%m/%Y %H:%M", YEAR_FIRST)
"""How spreadsheets write the time of a form's submission, where it is not ISO 8601."""


def time_formats(texts: Sequence[str]) -> Sequence[str]:
    """Return the formats of a file's times: those that read most of them, month first where both read as many."""
    return max(
        (MONTH_FIRST, DAY_FIRST), key=lambda formats: sum(read_time(text, formats) is not None for text in texts)
    )


def read_time(text: str, formats: Sequence[str] = MONTH_FIRST) -> float | None:
    """Return the seconds since 1970 of a written time (UTC where it names no zone), None if it cannot be read."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        moments = (_parsed(text.strip(), form) for form in formats)
        found = next((moment for moment in moments if moment), None)
        if found is None:
            return None
        moment = found
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _parsed(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form)
    except ValueError:
        return None
