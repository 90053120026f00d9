"""Draw scores: intervals of a leaderboard, the score at each threshold, the changes in a stress test."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from core.scoring.leaderboard import Leaderboard
from core.scoring.leaderboard_tables import threshold_table
from core.scoring.metrics.hungarian_meteor import LEVELS
from core.scoring.registry import long_title, range_of, title
from core.scoring.stress import CLEAR, Movement
from core.tabular.charts import COLOURS, FAINT, MARK, stubs

NAMES = alt.Axis(labelLimit=0)


def score_intervals(board: Leaderboard) -> alt.LayerChart | None:
    """Return each system's ranking score with its interval, if any; None if no system has a scored item."""
    names = stubs([standing.report.name for standing in board.standings])
    rows = [
        {
            "System": names[s.report.name],
            "score": score.value,
            "low": s.interval.low if s.interval else None,
            "high": s.interval.high if s.interval else None,
        }
        for s in board.standings
        if (score := s.report.score(board.metric)) and score.value is not None
    ]
    if not rows:
        return None
    base = alt.Chart(pd.DataFrame(rows)).encode(y=alt.Y("System:N", sort=None, title=None, axis=NAMES))
    scale = alt.Scale(domain=list(range_of(board.metric)))
    lines = base.mark_rule(strokeWidth=2.5, color=MARK).encode(
        x=alt.X("low:Q", title=long_title(board.metric), scale=scale), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=90, opacity=1, color=MARK).encode(
        x="score:Q",
        tooltip=["System", *(alt.Tooltip(f"{name}:Q", format=".4f") for name in ("score", "low", "high"))],
    )
    chart: alt.LayerChart = (lines + points).properties(height=alt.Step(34))
    return chart


def score_by_threshold(board: Leaderboard) -> alt.Chart | None:
    """Return the legacy AVeriTeC score of each system at each threshold; None without Hungarian METEOR."""
    table = threshold_table([standing.report for standing in board.standings])
    names = stubs([str(row[0]) for row in table.rows])
    rows = [
        {"System": names[str(row[0])], "Threshold": level, "AVeriTeC score": value}
        for row in table.rows
        for level, value in zip(LEVELS, row[1:], strict=True)
        if value is not None
    ]
    if not rows:
        return None
    chart: alt.Chart = (
        alt.Chart(pd.DataFrame(rows))
        .mark_line(point=alt.OverlayMarkDef(size=60))
        .encode(
            x=alt.X("Threshold:Q", scale=alt.Scale(domain=[0, 0.5])),
            y=alt.Y("AVeriTeC score:Q", scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("System:N", scale=alt.Scale(range=list(COLOURS)), legend=_legend()),
            shape=alt.Shape("System:N", legend=_legend()),
            tooltip=["System", "Threshold", alt.Tooltip("AVeriTeC score:Q", format=".4f")],
        )
        .properties(height=340)
    )
    return chart


def movement_chart(movements: Sequence[Movement]) -> alt.LayerChart | None:
    """Return the change of each metric under each change of the evidence, with intervals and a band of ±0.05."""
    rows = [
        {
            "Change": f"{one.expected.removesuffix('s')}: {one.perturbation}",
            "Metric": title(one.metric.partition(":")[0]),
            "moved": one.moved,
            "low": one.interval.low,
            "high": one.interval.high,
            "Finding": one.finding,
        }
        for one in movements
        if one.interval
    ]
    if not rows:
        return None
    band = alt.Chart(pd.DataFrame([{"from": -CLEAR, "to": CLEAR}])).mark_rect(opacity=0.15, color=FAINT)
    axis = alt.Axis(labelLimit=0, titleAngle=0, titleAlign="left", titleAnchor="end")
    colour = alt.Color("Metric:N", sort=None, scale=alt.Scale(range=list(COLOURS)), legend=_legend())
    base = alt.Chart(pd.DataFrame(rows)).encode(
        y=alt.Y("Change:N", sort=None, title="should …", axis=axis),
        yOffset=alt.YOffset("Metric:N", sort=None),
        color=colour,
    )
    lines = base.mark_rule(strokeWidth=2.5).encode(
        x=alt.X("low:Q", title="moves by", scale=alt.Scale(padding=8)), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        x="moved:Q",
        shape=alt.Shape("Metric:N", sort=None, legend=_legend()),
        tooltip=[
            "Change",
            "Metric",
            "Finding",
            *(alt.Tooltip(f"{n}:Q", format="+.4f") for n in ("moved", "low", "high")),
        ],
    )
    metrics = len({row["Metric"] for row in rows})
    layers = band.encode(x="from:Q", x2="to:Q") + lines + points
    chart: alt.LayerChart = layers.properties(height=alt.Step(12 + 14 * metrics, **{"for": "position"}))
    return chart


def _legend() -> alt.Legend:
    return alt.Legend(orient="bottom", title=None, labelLimit=0, columns=2)
