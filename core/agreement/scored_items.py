"""Scores of items to set beside human ratings: a wide CSV (one column per metric) or `core score --items` (long).

A file may also bring the item's texts: claim, gold and predicted label, reference and predicted evidence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.agreement.pasted_evidence import unescaped
from core.agreement.ratings import read_verdict, whole_id
from core.annotations import parse_label
from core.confined import confined
from core.errors import BadInput, BadRecord
from core.tabular.sheets import Sheet, read_sheet
from core.types import Label
from core.wording import counted

_TEXT_COLUMNS = {
    "item": ("id", "item", "claim_id"),
    "claim_id": ("claim_id",),
    "system": ("system",),
    "rank": ("sys_rank", "rank", "leaderboard_#"),
    "gold": ("gold_label", "gold", "label"),
    "predicted": ("predicted_label", "pred_label"),
    "claim": ("claim",),
    "reference": ("reference_evidence", "gold_evidence"),
    "evidence": ("predicted_evidence", "evidence", "evi"),
}


@dataclass(frozen=True)
class ScoredItem:
    """One system's answer to one item and its scores by metric; `system` and `claim_id` are "" where not named."""

    item: str
    system: str = ""
    rank: int | None = None
    gold: Label | None = None
    predicted: Label | None = None
    claim: str = ""
    reference: str = ""
    evidence: str = ""
    scores: tuple[tuple[str, float], ...] = ()
    claim_id: str = ""


@dataclass(frozen=True)
class ScoredItems:
    """Items by (item, system), the metrics in order of appearance, and the unusable rows."""

    items: dict[tuple[str, str], ScoredItem]
    metrics: tuple[str, ...]
    notes: tuple[str, ...]


def read_scored_items(files: Sequence[tuple[str, bytes]]) -> ScoredItems:
    """Return the items of one or several files, (name, content) each, joined by id and system.

    A file without a system column adds to all systems of its ids. Raises BadInput where a file is no table or has no
    id. Raises BadRecord where two rows disagree on one item, system and metric.
    """
    parsed = [confined(_read, name, content) for name, content in files]
    items: dict[tuple[str, str], ScoredItem] = {}
    for item in (item for part, _, _ in parsed for item in part):
        key = (item.item, item.system)
        items[key] = _merged(items[key], item) if key in items else item
    for key in [key for key in items if not key[1]]:
        named = [other for other in items if other[0] == key[0] and other[1]]
        for other in named:
            items[other] = _merged(items[other], replace(items[key], system=other[1]))
        if named:
            del items[key]
    metrics = tuple(dict.fromkeys(metric for _, metrics, _ in parsed for metric in metrics))
    return ScoredItems(items, metrics, tuple(note for _, _, notes in parsed for note in notes))


def read_control_key(name: str, content: bytes) -> dict[str, Label | None]:
    """Return control item → gold verdict from a CSV with columns id and label; None where no label is given.

    Raises BadInput if there is no id column or a label is none of the four verdicts.
    """
    sheet = read_sheet(name, content)
    columns = _text_columns(sheet)
    if "item" not in columns:
        raise BadInput(f"{name} has no column 'id' that names the control items.")
    key: dict[str, Label | None] = {}
    for number, row in sheet.rows:
        item = _item(row, columns, [])
        text = row[columns["gold"]].strip() if "gold" in columns else ""
        if text and item.gold is None:
            raise BadRecord(f"{name}, row {number}: the label {text[:40]!r} is none of the four verdicts.")
        key[item.item] = item.gold
    return key


def _text_columns(sheet: Sheet) -> dict[str, int]:
    titles = [re.sub(r"\s+", "_", title.lower()) for title in sheet.header]
    found = {
        meaning: next((titles.index(name) for name in names if name in titles), None)
        for meaning, names in _TEXT_COLUMNS.items()
    }
    if found["claim_id"] == found["item"]:
        found["claim_id"] = None  # the items are the claims
    return {meaning: column for meaning, column in found.items() if column is not None}


def _read(name: str, content: bytes) -> tuple[list[ScoredItem], tuple[str, ...], tuple[str, ...]]:
    sheet = read_sheet(name, content)
    columns = _text_columns(sheet)
    if "item" not in columns:
        raise BadInput(f"{name} has no column 'id', so its scores cannot be joined with ratings.")
    titles = [title.lower() for title in sheet.header]
    long = {"metric", "value"} <= set(titles)
    items, metrics, notes = _long(name, sheet, columns, titles) if long else _wide(name, sheet, columns)
    return items, metrics, (*notes, *_label_notes(name, sheet, columns))


def _wide(
    name: str, sheet: Sheet, columns: Mapping[str, int]
) -> tuple[list[ScoredItem], tuple[str, ...], tuple[str, ...]]:
    others = [i for i, title in enumerate(sheet.header) if title and i not in columns.values()]
    metrics = [i for i in others if _numeric(row[i] for _, row in sheet.rows)]
    ignored = [sheet.header[i] for i in others if i not in metrics]
    notes = [f"{name}: column {title!r} is no number and was not read" for title in ignored]
    items = []
    for _, row in sheet.rows:
        values = [(sheet.header[i], _number(row[i])) for i in metrics]
        items.append(_item(row, columns, [(metric, value) for metric, value in values if value is not None]))
    endless = {sheet.header[i]: sum(_endless(row[i]) for _, row in sheet.rows) for i in metrics}
    notes += [f"{name}: {counted(n, 'infinite value')} of {title} left out" for title, n in endless.items() if n]
    empty = {sheet.header[i]: sum(_number(row[i]) is None for _, row in sheet.rows) for i in metrics}
    notes += [
        f"{name}: {counted(count, 'item has', 'items have')} no {metric} score"
        for metric, count in empty.items()
        if count
    ]
    return items, tuple(sheet.header[i] for i in metrics), tuple(notes)


def _long(
    name: str, sheet: Sheet, columns: Mapping[str, int], titles: Sequence[str]
) -> tuple[list[ScoredItem], tuple[str, ...], tuple[str, ...]]:
    metric, value = titles.index("metric"), titles.index("value")
    items, unscored = [], 0
    for _, row in sheet.rows:
        number = _number(row[value])
        unscored += number is None
        items.append(_item(row, columns, [] if number is None else [(row[metric].strip(), number)]))
    notes = (f"{name}: {counted(unscored, 'row has', 'rows have')} no value (unscored items)",) if unscored else ()
    return items, tuple(dict.fromkeys(row[metric].strip() for _, row in sheet.rows)), notes


def _item(row: Sequence[str], columns: Mapping[str, int], scores: list[tuple[str, float]]) -> ScoredItem:
    cells = {meaning: row[column].strip() for meaning, column in columns.items()}
    rank = _number(cells.get("rank", ""))
    return ScoredItem(
        item=whole_id(cells["item"]),
        system=cells.get("system", ""),
        rank=None if rank is None else int(rank),
        gold=_label(cells.get("gold", "")),
        predicted=_label(cells.get("predicted", "")),
        claim=unescaped(cells.get("claim", "")),
        reference=cells.get("reference", ""),
        evidence=cells.get("evidence", ""),
        scores=tuple(scores),
        claim_id=whole_id(cells.get("claim_id", "")),
    )


def _label(text: str) -> Label | None:
    """Return the verdict that files or the form's answers mean by `text`."""
    return parse_label(text) or read_verdict(text)


def _label_notes(name: str, sheet: Sheet, columns: Mapping[str, int]) -> tuple[str, ...]:
    """Say which labels could not be read: nothing is compared with them."""
    notes = []
    for column in (columns[kind] for kind in ("gold", "predicted") if kind in columns):
        unread = [text for _, row in sheet.rows if (text := row[column].strip()) and _label(text) is None]
        if unread:
            rows = counted(len(unread), "row")
            notes.append(f"{name}: {sheet.header[column]!r} is none of the four verdicts in {rows}: {unread[0][:40]!r}")
    return tuple(notes)


def _merged(known: ScoredItem, new: ScoredItem) -> ScoredItem:
    scores = dict(known.scores)
    for metric, value in new.scores:
        if scores.setdefault(metric, value) != value:
            where = f"item {new.item}" + (f", system {new.system}" if new.system else "")
            raise BadRecord(f"Two rows give {where} different {metric} scores: {scores[metric]} and {value}.")
    return ScoredItem(
        item=known.item,
        system=known.system,
        rank=known.rank if known.rank is not None else new.rank,
        gold=known.gold or new.gold,
        predicted=known.predicted or new.predicted,
        claim=known.claim or new.claim,
        reference=known.reference or new.reference,
        evidence=known.evidence or new.evidence,
        scores=tuple(scores.items()),
        claim_id=known.claim_id or new.claim_id,
    )


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _numeric(cells: Iterable[str]) -> bool:
    """Tell whether a column is a metric: every filled cell is a number or a usual word for none."""
    filled = [cell.strip().lower() for cell in cells if cell.strip()]
    return any(_number(c) is not None or _endless(c) for c in filled) and all(
        _number(c) is not None or _endless(c) or c in {"nan", "na", "n/a", "none", "null"} for c in filled
    )


def _endless(text: str) -> bool:
    try:
        return math.isinf(float(text.replace("∞", "inf")))
    except ValueError:
        return False
