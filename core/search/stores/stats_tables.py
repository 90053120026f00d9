"""The figures of a store as tables and as a picture."""

from __future__ import annotations

from statistics import mean, median
from typing import TYPE_CHECKING

from core.search.stores.stats import StoreStats
from core.tabular.table import Column, Table

if TYPE_CHECKING:
    import altair as alt

FIGURES = {
    "addresses": "Addresses",
    "with_text": "Addresses with text",
    "sentences": "Sentences",
    "tokens": "Tokens",
}
NOTE = (
    "Tokens are words and signs. The shared task's store has on average 1,019 addresses a claim, 593 of them with text."
)


def stats_tables(stats: StoreStats) -> tuple[Table, ...]:
    """Return the tables of a claim's store and of the kinds of query."""
    return claims_table(stats), kinds_table(stats)


def claims_table(stats: StoreStats) -> Table:
    """Return the figures of a claim: their mean, median and range over the claims."""
    rows = []
    for name, title in FIGURES.items():
        values = [getattr(claim, name) for claim in stats.claims]
        rows.append((title, mean(values), median(values), min(values), max(values), sum(values)))
    columns = (
        Column("A claim's store"), Column("Mean", 1), Column("Median", 1), Column("Least", 0), Column("Most", 0),
        Column("All claims", 0),
    )  # fmt: skip
    return Table("store", f"Contents of a claim’s store ({len(stats.claims):,} claims)", columns, tuple(rows), NOTE)


def kinds_table(stats: StoreStats) -> Table:
    """Return how many rows each kind of query brought and, where there is gold evidence, how much of it."""
    rows = tuple(
        (in_words(kind), count, stats.gold_found.get(kind, 0), 100 * stats.gold_found.get(kind, 0) / stats.gold)
        if stats.gold
        else (in_words(kind), count)
        for kind, count in by_rows(stats)
    )
    gold = (
        Column("Gold found", 0, help="Gold addresses that this kind of query found, with their text"),
        Column("Share of gold", 1, "%", help=f"Of {stats.gold:,} gold addresses"),
    )
    columns = (Column("Kind of query"), Column("Rows", 0), *(gold if stats.gold else ()))
    note = "An address is a row of the first kind of query that found it." if len(rows) > 1 else ""
    return Table("store-kinds", "Results of each kind of query", columns, rows, note)


def by_rows(stats: StoreStats) -> list[tuple[str, int]]:
    """Return the kinds and how many rows each brought, most first."""
    counts = dict.fromkeys(stats.gold_found, 0) | stats.rows
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def in_words(kind: str) -> str:
    """Return the type of a row as a person reads it."""
    return kind.replace("_", " ")


def kinds_chart(stats: StoreStats) -> alt.Chart:
    """Return a chart of each kind of query: its share of the gold evidence, else its rows."""
    import altair as alt
    import pandas as pd

    from core.tabular.charts import MARK

    rows = [
        {
            "Kind": in_words(kind),
            "Rows": count,
            "Share": stats.gold_found.get(kind, 0) / stats.gold if stats.gold else 0.0,
        }
        for kind, count in by_rows(stats)
    ]
    length = alt.X(
        "Share:Q", title="Share of the gold evidence found", axis=alt.Axis(format="%"), scale=alt.Scale(domain=(0, 1))
    )
    bars = alt.Chart(pd.DataFrame(rows, columns=["Kind", "Rows", "Share"])).mark_bar(color=MARK)
    chart: alt.Chart = bars.encode(
        x=length if stats.gold else alt.X("Rows:Q", title="Rows of the store"),
        y=alt.Y("Kind:N", sort=None, title=None, axis=alt.Axis(labelLimit=0)),
        tooltip=["Kind", "Rows", alt.Tooltip("Share:Q", format=".1%")] if stats.gold else ["Kind", "Rows"],
    ).properties(height=alt.Step(24))
    return chart
