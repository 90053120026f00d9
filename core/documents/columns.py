"""Put the lines of a page with two columns in the order of reading: one column after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

LEAST_LINES = 6
"""Lines that begin at one place and make a column."""

LEAST_APART = 150.0
"""Points between the beginnings of two columns; cells of a table are often nearer."""

LEAST_LENGTH = 20
"""Mean characters of a column's lines; cells of a table have fewer."""

LEAST_SHARE = 0.7
"""The share of a page's lines that the two columns have."""


@dataclass(frozen=True)
class PlacedLine:
    """A piece of text as the file gives it, with its place and size in points.

    `left` and `base` are where it begins, from the left and from below. `rise` is how far it is raised from there.
    """

    text: str
    left: float
    base: float = 0.0
    size: float = 0.0
    rise: float = 0.0


def in_reading_order(lines: Sequence[PlacedLine]) -> str | None:
    """Return the text of a page if its file mixes the lines of two columns; None for any other page.

    Lines above the columns come first. A line inside a column belongs to the column that begins left of it.
    """
    written = [one for one in lines if one.text.strip()]
    begins = sorted(place for place, count in Counter(round(one.left) for one in written).most_common(2))
    if len(begins) < 2 or begins[1] - begins[0] < LEAST_APART:
        return None
    columns = [[one for one in written if round(one.left) == place] for place in begins]
    held = sum(map(len, columns))
    if any(not _is_column(one) for one in columns) or held < LEAST_SHARE * len(written):
        return None
    sides = [begins.index(round(one.left)) for one in written if round(one.left) in begins]
    if sum(one != other for one, other in pairwise(sides)) < LEAST_LINES:
        return None  # the file has one column after the other
    first = next(at for at, one in enumerate(written) if round(one.left) == begins[1])
    above, rest = written[: max(0, first - 1)], written[max(0, first - 1) :]
    left = [one for one in rest if one.left < begins[1] - 1]
    right = [one for one in rest if one.left >= begins[1] - 1]
    return "\n".join(one.text.strip("\n") for one in (*above, *left, *right))


def _is_column(lines: Sequence[PlacedLine]) -> bool:
    return len(lines) >= LEAST_LINES and sum(len(one.text) for one in lines) >= LEAST_LENGTH * len(lines)
