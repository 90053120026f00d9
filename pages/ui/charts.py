"""Charts of Agreement: intervals of metrics, score against rating, distributions, who rated what how."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from core.agreement.analysis import Analysis
from core.agreement.analysis_tables import scale_title
from core.agreement.ratings import Response
from core.agreement.study import pairs, rating_matrix
from core.agreement.tables import LEVELS, CorrelationRow
from core.statistics.correlation import SYMBOLS
from pages.ui.markup import readable
from pages.ui.notices import quiet

JITTER = 0.18
# Told apart by shape as well; all three have contrast enough on both the light and the dark page.
LEVEL_COLOURS = ["#3a83a6", "#d07a2d", "#a75b93"]
MARK = LEVEL_COLOURS[0]


def show_intervals(analysis: Analysis, rows: Sequence[CorrelationRow]) -> None:
    """Show each metric's correlation with its 95 % interval, one mark a level."""
    defined = [row for row in rows if _shown(analysis, row, row.level)]
    data = [
        {
            "Metric": readable(row.metric),
            "Level": row.level,
            "Correlation": row.correlation.value,
            "Low": row.correlation.interval.low,
            "High": row.correlation.interval.high,
            "n": row.correlation.n,
        }
        for row in defined
        if row.correlation.interval is not None
    ]
    if not data:
        few = "There are too few items for an interval of a correlation with this scale."
        quiet(few if defined else "No correlation with this scale is defined.")
        return
    symbol = SYMBOLS[analysis.coefficient]
    pooled = [(row.correlation.value or 0.0, row.metric) for row in rows if _shown(analysis, row, LEVELS[0])]
    order = [readable(metric) for _, metric in sorted(pooled, reverse=True)]
    levels = list(LEVELS)
    legend = alt.Legend(orient="bottom", title=None, columns=2, labelLimit=120)
    base = alt.Chart(pd.DataFrame(data)).encode(
        y=alt.Y("Metric:N", sort=order, title=None, axis=alt.Axis(labelLimit=110)),
        yOffset=alt.YOffset("Level:N", sort=levels),
        color=alt.Color("Level:N", sort=levels, legend=legend, scale=alt.Scale(domain=levels, range=LEVEL_COLOURS)),
        tooltip=[
            "Metric",
            "Level",
            "n",
            *(alt.Tooltip(f"{c}:Q", format=".3f") for c in ("Correlation", "Low", "High")),
        ],
    )
    title = f"{symbol} with {scale_title(analysis.scale).lower()}"
    zero = alt.Chart(pd.DataFrame({"x": [0]})).mark_rule(strokeDash=[3, 3], opacity=0.6).encode(x="x:Q")
    bars = base.mark_rule(strokeWidth=2).encode(x=alt.X("Low:Q", title=title), x2="High:Q")
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(
        x="Correlation:Q", shape=alt.Shape("Level:N", sort=levels, scale=alt.Scale(domain=levels))
    )
    st.altair_chart(
        (zero + bars + dots).properties(height=150 + 62 * len(order)),
        alt=f"Each metric's correlation with {scale_title(analysis.scale)} and its 95 per cent interval",
    )


def _shown(analysis: Analysis, row: CorrelationRow, level: str) -> bool:
    """Tell whether a row is about the chosen scale and coefficient, at the level, and defined."""
    one = row.correlation
    chosen = (row.scale, one.coefficient) == (analysis.scale, analysis.coefficient)
    return chosen and row.level == level and one.value is not None


def show_scatter(analysis: Analysis) -> None:
    """Show every response as a point, ratings moved a little so that none hides another, with the trend."""
    data = pairs(analysis.study, analysis.metric, analysis.scale)
    if not len(data.scores):
        quiet("No response has both the score and the rating.")
        return
    scale = scale_title(analysis.scale)
    jitter = np.random.default_rng(analysis.study.recipe.seed).uniform(-JITTER, JITTER, len(data.ratings))
    frame = pd.DataFrame(
        {
            "score": data.scores,
            "rating": data.ratings,
            "place": data.ratings + jitter,
            "item": [readable(judged.item.item) for judged in data.judged],
            "system": [readable(name) for name in data.systems],
            "rater": list(data.raters),
        }
    )
    points = (
        alt.Chart(frame)
        .mark_circle(size=55, opacity=0.65, color=MARK)
        .encode(
            x=alt.X("score:Q", title=readable(analysis.metric), scale=alt.Scale(zero=False)),
            y=alt.Y("place:Q", title=scale, scale=alt.Scale(zero=False), axis=alt.Axis(tickMinStep=1)),
            tooltip=["item", "system", "rater", "rating", alt.Tooltip("score:Q", format=".4f")],
        )
    )
    trend = (
        alt.Chart(frame)
        .transform_regression("score", "rating")
        .mark_line(strokeWidth=2, color=LEVEL_COLOURS[1])
        .encode(x="score:Q", y="rating:Q")
    )
    st.altair_chart(
        (points + trend).properties(height=320), alt=f"{scale} against {analysis.metric}, one point a response"
    )
    quiet(
        "Ratings are moved up or down by up to 0.18 so that points do not hide each other; the line is least squares."
    )


def show_distributions(analysis: Analysis) -> None:
    """Show how often each rating was given, one small chart a scale."""
    rows = [
        {"Scale": scale_title(one.scale), "Rating": value, "Responses": count}
        for one in analysis.distributions
        for value, count in one.counts.items()
    ]
    scales = [scale_title(one.scale) for one in analysis.distributions]
    chart = (
        alt.Chart(pd.DataFrame(rows))
        .mark_bar(color=MARK)
        .encode(
            x=alt.X("Rating:O", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("Responses:Q", title=None),
            tooltip=["Scale", "Rating", "Responses"],
        )
        .properties(width=130, height=110)
        .facet(alt.Facet("Scale:N", title=None, sort=scales), columns=3)
    )
    st.altair_chart(chart, alt="How often each rating was given, by scale")


def show_matrix(responses: Sequence[Response], scale: str) -> None:
    """Show who rated which item how: a row a rater, a column an item."""
    raters, items, matrix = rating_matrix(responses, scale)
    rows = [
        {"Rater": rater, "Item": readable(item), "Rating": int(matrix[i, j])}
        for i, rater in enumerate(raters)
        for j, item in enumerate(items)
        if np.isfinite(matrix[i, j])
    ]
    if not rows:
        quiet("Nobody answered this scale.")
        return
    shared = np.isfinite(matrix).sum(axis=0)
    order = [readable(items[j]) for j in np.argsort(-shared, kind="stable")]
    chart = (
        alt.Chart(pd.DataFrame(rows))
        .mark_rect()
        .encode(
            x=alt.X(
                "Item:N",
                sort=order,
                title=f"{len(items)} items, those rated most often first",
                axis=alt.Axis(labels=False, ticks=False),
            ),
            y=alt.Y("Rater:N", title=None),
            color=alt.Color("Rating:O", scale=alt.Scale(scheme="viridis"), legend=alt.Legend(orient="bottom")),
            tooltip=["Rater", "Item", "Rating"],
        )
        .properties(height=max(120, 22 * len(raters)))
    )
    st.altair_chart(chart, alt=f"{scale_title(scale)} by rater and item")
