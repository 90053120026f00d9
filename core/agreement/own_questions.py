"""Questions of a form of one's own in files of ratings: their columns, and their answers as numbers for α."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.statistics.agreement import Level

BETWEEN_SYSTEMS = " | "
"""Divides the systems of an item that compares their evidence."""
BETWEEN = {"nominal": " | ", "ordinal": " < "}
"""Divides the labels in a column's title; no label has it."""
_TITLE = re.compile(r"([a-z][a-z0-9_]{0,39}) \[(nominal|ordinal|interval|choice|text|spans)(?:: (.*))?\]", re.DOTALL)


class Measure(StrEnum):
    """The meaning of a question's answers: how far two of them differ, or that they are no measurement.

    A choice is the id of one of the item's systems, or "tie". Spans are "pair:start-end", with blanks between. Pairs
    count from 1, characters of a pair's answer from 0; the end is not included.
    """

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    CHOICE = "choice"
    TEXT = "text"
    SPANS = "spans"


@dataclass(frozen=True)
class OwnQuestion:
    """A question as files of ratings have it. `labels` has the labels in their order; a scale's numbers have none."""

    name: str
    measure: Measure
    labels: tuple[str, ...] = ()

    @property
    def is_scale(self) -> bool:
        """Whether the answers are whole numbers."""
        return self.measure in (Measure.ORDINAL, Measure.INTERVAL) and not self.labels

    @property
    def level(self) -> Level | None:
        """The level of α, None where none is computed. The categories of a choice are the places of its systems."""
        if self.measure in (Measure.TEXT, Measure.SPANS):
            return None
        if self.measure is Measure.INTERVAL:
            return "interval"
        return "ordinal" if self.measure is Measure.ORDINAL else "nominal"

    @property
    def title(self) -> str:
        """The column's title, such as "tone [nominal: neutral | loaded]"; `own_question` reads it."""
        labels = f": {BETWEEN[self.measure].join(self.labels)}" if self.labels else ""
        return f"{self.name} [{self.measure}{labels}]"


def own_question(title: str) -> OwnQuestion | None:
    """Return the question that a column's title describes, None for every other title."""
    found = _TITLE.fullmatch(title.strip())
    if found is None:
        return None
    name, measure, labels = found[1], Measure(found[2]), found[3]
    return OwnQuestion(name, measure, tuple(labels.split(BETWEEN[measure])) if labels and measure in BETWEEN else ())


def own_columns(titles: Sequence[str]) -> dict[OwnQuestion, int]:
    """Return question → column of the titles that describe a question of one's own."""
    found = {own_question(title): column for column, title in enumerate(titles)}
    return {question: column for question, column in found.items() if question is not None}


def span_overlap(given: Sequence[str]) -> float | None:
    """Return the mean overlap of pairs of raters' spans: shared characters by characters that either marked.

    Two raters who marked nothing agree fully. None for fewer than two raters.
    """
    marked = [_characters(text) for text in given]
    pairs = [(a, b) for place, a in enumerate(marked) for b in marked[place + 1 :]]
    shares = [len(a & b) / len(a | b) if a | b else 1.0 for a, b in pairs]
    return sum(shares) / len(shares) if shares else None


def _characters(spans: str) -> set[tuple[int, int]]:
    found = re.findall(r"(\d+):(\d+)-(\d+)", spans)
    return {(int(pair), place) for pair, start, end in found for place in range(int(start), int(end))}
