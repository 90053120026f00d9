"""Define a table for pages and commands; its columns have a title, unit, format and help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Cell = str | int | float | None
UNDEFINED = "–"


@dataclass(frozen=True)
class Column:
    """A title, a unit, how its numbers are shown, and what they mean.

    `digits` is the number of decimals; None is a column of text. A column of p values shows those that would round
    to 0 as "<0.0001", one that is `signed` shows a plus. One for `files_only` is left out where people read. One of
    `prose` has a width in LaTeX, so that its sentences are wrapped.
    """

    title: str
    digits: int | None = None
    unit: str = ""
    help: str = ""
    p_values: bool = False
    signed: bool = False
    files_only: bool = False
    prose: bool = False

    @property
    def heading(self) -> str:
        """The title with its unit."""
        return f"{self.title} {self.unit}".strip()


@dataclass(frozen=True)
class Table:
    """A named table; None in a cell means undefined. `note` explains the table.

    `number` is the number of the repeated table in the paper ("Table 7"). `best` marks bold cells (row, column), such
    as the best metric of a dimension. `below` holds small text below a cell, such as its interval. `ranked` is the
    column that orders the rows. `signature` describes the computation.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    best: frozenset[tuple[int, int]] = frozenset()
    below: Mapping[tuple[int, int], str] = field(default_factory=dict)
    ranked: int | None = None
    number: str = ""
    signature: str = ""

    @property
    def heading(self) -> str:
        """The title after the paper's number, if any."""
        return f"{self.number}: {self.title[:1].lower()}{self.title[1:]}" if self.number else self.title

    @property
    def read_columns(self) -> tuple[int, ...]:
        """The positions of visible columns; the others are only in files."""
        return tuple(j for j, column in enumerate(self.columns) if not column.files_only)


def shown(cell: Cell, column: Column) -> str:
    """Return a formatted cell."""
    if cell is None:
        return UNDEFINED
    if isinstance(cell, str) or column.digits is None:
        return str(cell)
    least = 10.0**-column.digits
    if column.p_values and cell < least:
        return f"<{least:.{column.digits}f}"
    return number(cell, column.digits, signed=column.signed)


def number(value: float, digits: int, *, signed: bool = False) -> str:
    """Return a number with `digits` decimals and a typographic minus; zero after rounding has no sign."""
    rounded = round(value, digits)
    return f"{rounded + 0.0:{'+' if signed and rounded else ''}.{digits}f}".replace("-", "−")


def best_cells(rows: Sequence[Sequence[Cell]], columns: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the cells with the largest number of each column; none if all are equal."""
    for j in columns:
        values = {i: value for i, row in enumerate(rows) if isinstance(value := row[j], int | float)}
        if len(set(values.values())) > 1:
            largest = max(values.values())
            yield from ((i, j) for i, value in values.items() if value == largest)
