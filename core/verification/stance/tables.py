"""Read a row of a table with the heads of its columns: "Millgate: visits 2019: 48,000; visits 2022: 60,000."."""

from __future__ import annotations

import re

from core.types import Span

_FEWEST, _MOST_CELLS = 3, 30
_RULE = re.compile(r"[\s|:=-]+")
_ABOVE = 50_000
"""How many characters above a row its heads are looked for."""


def row_with_heads(text: str, span: Span) -> str:
    """Return the sentence of a document at a span; a row of a table with the head of each cell.

    Cells are parted by "|", tabs, or commas and semicolons without a blank behind. A row is a whole line.
    """
    sentence = text[slice(*span)]
    start = text.rfind("\n", 0, span[0]) + 1
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
