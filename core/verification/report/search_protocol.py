"""The protocol of a search as tables: the queries, the pages read and the pages left out."""

from __future__ import annotations

from dataclasses import dataclass

from core.search_report import SearchReport
from core.wording import day, readable


@dataclass(frozen=True)
class Grid:
    """A table with titles over its columns; `numbers` are the columns that hold numbers, `style` its look in HTML."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[int] = frozenset()
    style: str = "grid"


def protocol_of(search: SearchReport) -> tuple[Grid, ...]:
    """Return the queries, the pages read with the digests of their copies, and the pages left out."""
    asked = [(one.source, one.query, one.status, str(one.found), one.message) for one in search.searches]
    read = [
        (
            one.url,
            day(one.published) or "no date",
            one.date_source or "–",
            str(one.when),
            one.source,
            one.snapshot,
            one.digest,
        )
        for one in search.origins
    ]
    left = [(one.url, str(one.reason), one.message, one.source, one.query) for one in search.left_out]
    grids = (
        ("Queries sent", ("Asked", "Query", "Answer", "Addresses", "Details"), asked),
        ("Pages read", ("Page", "Date", "Date from", "Is", "Named by", "Copy, SHA-256", "Text, SHA-256"), read),
        ("Found and left out", ("Address", "Why", "In words", "Named by", "For the query"), left),
    )
    return tuple(
        Grid(title, columns, tuple(tuple(map(readable, row)) for row in rows)) for title, columns, rows in grids if rows
    )
