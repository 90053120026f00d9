"""Compare two finished runs: their results, and the second minus the first."""

from __future__ import annotations

from collections.abc import Mapping

from core.scoring.items import ALL
from core.scoring.registry import long_title, title
from core.scoring.work import Result, Scored
from core.tabular.table import Cell, Column, Table

DIGITS = 4
Key = tuple[str, str]
Figure = tuple[float | None, int, str]
"""A value, its number of items and its signature."""


def run_comparison(first: Result, second: Result) -> Table:
    """Return a row for each score of either run; the difference is the second minus the first.

    Scores of systems are matched by system and metric, movements of a stress test by change and metric. A result of
    only one run has an empty cell beside it. The note names scores with different signatures.
    """
    left, right = figures(first), figures(second)
    keys = list(dict.fromkeys((*left, *right)))
    what = "System" if isinstance(first, Scored) else "Change"
    words = (Column(what), Column("Score"))
    numbers = (Column("First run", DIGITS), Column("Second run", DIGITS), Column("Difference", DIGITS, signed=True))
    counts = (Column("Items, first", 0), Column("Items, second", 0))
    rows = tuple((*key, *_cells(left.get(key), right.get(key))) for key in keys)
    return Table("runs", "Two runs side by side", (*words, *numbers, *counts), rows, _note(left, right))


def figures(result: Result) -> dict[Key, Figure]:
    """Return a run's results over all of its items, by the measured thing and the score's title."""
    if isinstance(result, Scored):
        return {
            (report.name, long_title(score.metric)): (score.value, score.n_scored, score.signature)
            for report in result.reports
            for score in report.scores
            if score.group == ALL
        }
    return {
        (one.perturbation, f"{title(one.metric.partition(':')[0])}, moves by"): (one.moved, one.n, one.signature)
        for one in result.movements
    }


def _cells(first: Figure | None, second: Figure | None) -> tuple[Cell, ...]:
    before, after = first[0] if first else None, second[0] if second else None
    difference = None if before is None or after is None else after - before
    return before, after, difference, first[1] if first else None, second[1] if second else None


def _note(first: Mapping[Key, Figure], second: Mapping[Key, Figure]) -> str:
    both = [key for key in first if key in second]
    if not both:
        return "The runs have no score in common: their systems have other names, or other metrics were chosen."
    otherwise = [f"{name} ({score})" for name, score in both if first[name, score][2] != second[name, score][2]]
    note = "Difference: the second run minus the first."
    if any(first[key][1] != second[key][1] for key in both):
        note += " Some of them are means of different numbers of items."
    return note + (f" Computed in different ways: {', '.join(otherwise)}." if otherwise else "")
