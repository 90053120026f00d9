"""Read a row of a table with the heads of its columns: "Millgate: visits 2019: 48,000; visits 2022: 60,000."."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from core.types import Span

_FEWEST, _MOST_CELLS = 3, 30
_TWO_CELLS = re.compile(r"[ |]*([^|\t]*[^|\t ]) *[|\t] *([^|\t]*[^|\t ])[ |]*")
_ENTRY = re.compile(r"([^\W\d_][^:|\t\n]{0,39}): (\S[^|\t\n]{0,59})")
"""A line such as "Child single: 6 euros"."""

_LONGEST = 2000
"""The most characters of a row that is compared with the others of its table."""

_RULE = re.compile(r"[\s|:=-]+")
_ABOVE = 50_000
"""How many characters above a row its heads are looked for."""


def row_with_heads(text: str, span: Span) -> str:
    """Return the sentence of a document at a span; a row of a table with the head of each cell.

    Cells are parted by "|", tabs, or commas and semicolons without a blank behind. A row is a whole line. One of two
    cells keeps its length, so that its characters are at the document's places.
    """
    sentence = text[slice(*span)]
    start = text.rfind("\n", 0, span[0]) + 1
    if (two := _TWO_CELLS.fullmatch(sentence)) and not _RULE.fullmatch(sentence):
        label = f"{sentence[: two.end(1)]}:".replace("|", " ")
        return label.ljust(two.start(2)) + two.group(2).ljust(len(sentence) - two.start(2))
    cells = _cells(sentence)
    if len(cells) < _FEWEST or text[start : span[0]].strip() or _RULE.fullmatch(sentence):
        return sentence
    heads: list[str] = []
    for line in reversed(text[max(0, start - _ABOVE) : start].split("\n")[:-1]):
        if not _RULE.fullmatch(line):
            above = _cells(line)
            if len(above) != len(cells):
                break
            heads = above
    if not heads or any(re.fullmatch(r"[\d.,]+ ?%?", head) and not re.fullmatch(r"\d{4}", head) for head in heads):
        return sentence
    told = [f"{_small(head)}: {cell}" if head else cell for head, cell in zip(heads[1:], cells[1:], strict=True)]
    return f"{cells[0]}: {'; '.join(told)}."


@dataclass(frozen=True)
class Row:
    """A row of a table: its first cell, and the others."""

    label: str
    values: str


def rows_beside(text: str, place: int) -> tuple[Row | None, tuple[Row, ...]]:
    """Return the row at a character of a text, None for another line, and all rows of its table.

    Lines such as "Child single: 6 euros" are rows too, where two follow each other.
    """
    return _rows(text).get(text.rfind("\n", 0, place) + 1, (None, ()))


@lru_cache(maxsize=64)
def _rows(text: str) -> dict[int, tuple[Row, tuple[Row, ...]]]:
    """Return each row by the place of its line, with all rows of its table."""
    tables: list[dict[int, Row]] = [{}]
    start = 0
    for line in text.split("\n"):
        if row := _row(line):
            tables[-1][start] = row
        elif line.strip() and not _RULE.fullmatch(line):
            tables.append({})
        start += len(line) + 1
    found = {}
    for table in tables:
        rows = tuple(table.values())
        found.update({start: (row, rows) for start, row in table.items() if len(rows) > 1})
    return found


def _row(line: str) -> Row | None:
    line = line.strip()
    if _RULE.fullmatch(line) or len(line) > _LONGEST:
        return None
    if found := _TWO_CELLS.fullmatch(line) or _ENTRY.fullmatch(line):
        return Row(*found.groups())
    cells = _cells(line)
    return Row(cells[0], " | ".join(cells[1:])) if cells else None


def _cells(line: str) -> list[str]:
    """Return the cells of a line, none if it is no row."""
    line = line.strip()
    sign = next((sign for sign in "|\t;," if line.count(sign) >= _FEWEST - 1 and f"{sign} " not in line.strip("|")), "")
    if "|" in line:
        sign = "|" if line.strip("|").count("|") >= _FEWEST - 1 else ""
    cells = [cell.strip() for cell in line.strip("|").split(sign)] if sign else []
    return cells if len(cells) <= _MOST_CELLS else []


def _small(head: str) -> str:
    """Return a head with a small first letter, where it is no name of capitals."""
    return head[0].lower() + head[1:] if head[1:2].islower() else head
