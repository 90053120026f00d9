"""Pictures of a leaderboard: intervals, and the score at each threshold."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd
import streamlit as st

from core.scoring.averitec import LEVELS
from core.scoring.items import RANGES
from core.scoring.report import Leaderboard
from core.scoring.stress import Movement
from core.scoring.tables import threshold_table
from core.scoring.titles import FAMILIES, long_title
from pages.ui.downloads import table_files
from pages.ui.notices import quiet
from pages.ui.tables import show_table


def show_intervals(board: Leaderboard) -> None:
    """Draw each system's ranking score with its interval, where it has one."""
    rows = [
        {
            "System": s.report.name,
            "score": score.value,
            "low": s.interval.low if s.interval else None,
            "high": s.interval.high if s.interval else None,
        }
        for s in board.standings
        if (score := s.report.score(board.metric)) and score.value is not None
    ]
    if not rows:
        quiet("No system has a scored item.")
        return
    base = alt.Chart(pd.DataFrame(rows)).encode(
        y=alt.Y("System:N", sort=None, title=None, axis=alt.Axis(labelLimit=160))
    )
    title = long_title(board.metric)
    lines = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title=title, scale=alt.Scale(domain=list(RANGES.get(board.metric, (0, 1))))), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=90, opacity=1).encode(
        x="score:Q",
        tooltip=["System", *(alt.Tooltip(f"{name}:Q", format=".4f") for name in ("score", "low", "high"))],
    )
    st.altair_chart((lines + points).properties(height=60 + 34 * len(rows)))


def show_levels(board: Leaderboard) -> None:
    """Draw the legacy AVeriTeC score of each system at each threshold, with its table; nothing without METEOR."""
    reports = [standing.report for standing in board.standings]
    table = threshold_table(reports)
    if not table.rows:
        return
    rows = [
        {"System": row[0], "Threshold": level, "AVeriTeC score": value}
        for row in table.rows
        for level, value in zip(LEVELS, row[1:], strict=True)
        if value is not None
    ]
    chart = (
        alt.Chart(pd.DataFrame(rows))
        .mark_line(point=True)
        .encode(
            x=alt.X("Threshold:Q", scale=alt.Scale(domain=[0, 0.5])),
            y=alt.Y("AVeriTeC score:Q", scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("System:N", legend=alt.Legend(orient="bottom", title=None)),
            shape="System:N",
            tooltip=["System", "Threshold", alt.Tooltip("AVeriTeC score:Q", format=".4f")],
        )
    )
    show_table(table)
    st.altair_chart(chart.properties(height=260))
    table_files(table)


def show_movements(movements: Sequence[Movement]) -> None:
    """Draw how far each metric moved under each perturbation, with its interval."""
    rows = [
        {
            "Change": f"{one.expected.removesuffix('s')}: {one.perturbation}",
            "Metric": FAMILIES[one.metric.partition(":")[0]],
            "moved": one.moved,
            "low": one.interval.low,
            "high": one.interval.high,
            "Finding": one.finding,
        }
        for one in movements
        if one.interval
    ]
    base = alt.Chart(pd.DataFrame(rows)).encode(
        y=alt.Y(
            "Change:N",
            sort=None,
            title="should …",
            axis=alt.Axis(labelLimit=170, titleAngle=0, titleAlign="left", titleAnchor="end"),
        ),
        yOffset=alt.YOffset("Metric:N", sort=None),
        color=alt.Color("Metric:N", sort=None, legend=alt.Legend(orient="bottom", title=None)),
    )
    lines = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title="moves by", scale=alt.Scale(padding=8)), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        x="moved:Q",
        shape=alt.Shape("Metric:N", sort=None),
        tooltip=[
            "Change",
            "Metric",
            "Finding",
            *(alt.Tooltip(f"{n}:Q", format="+.4f") for n in ("moved", "low", "high")),
        ],
    )
    count = len({row["Change"] for row in rows}), len({row["Metric"] for row in rows})
    st.altair_chart((lines + points).properties(height=70 + count[0] * (12 + 14 * count[1])))
