"""Draw an analysis: intervals of metrics, score against rating, distributions, and the ratings by rater and item."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from core.agreement.agreement_tables import LEVELS, CorrelationRow
from core.agreement.analysis import Analysis
from core.agreement.paper_tables import scale_title
from core.agreement.ratings import Response
from core.agreement.study import pairs, rating_matrix
from core.scoring.registry import name_in_words
from core.statistics.correlation import SYMBOLS
from core.tabular.charts import COLOURS, FAINT, MARK
from core.wording import counted, readable

JITTER = 0.18
LEVEL_COLOURS = list(COLOURS[: len(LEVELS)])
ROW_HEIGHT = 34


def correlation_intervals(analysis: Analysis) -> alt.LayerChart | str:
    """Return each metric's correlation with its 95 % interval, one mark per level; else why there is none."""
    defined = [row for row in analysis.correlations if _chosen(analysis, row)]
    data = [
        {
            "Metric": readable(name_in_words(row.metric)),
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
        return few if defined else "No correlation with this scale is defined."
    pooled = [(row.correlation.value or 0.0, row.metric) for row in defined if row.level == LEVELS[0]]
    order = [readable(name_in_words(metric)) for _, metric in sorted(pooled, reverse=True)]
    legend = alt.Legend(orient="bottom", title=None, columns=2)  # one of both scales, as wide as a phone
    base = alt.Chart(pd.DataFrame(data)).encode(
        y=alt.Y("Metric:N", sort=order, title=None, axis=alt.Axis(labelLimit=0)),
        yOffset=alt.YOffset("Level:N", sort=list(LEVELS)),
        color=alt.Color("Level:N", scale=_levels(LEVEL_COLOURS), legend=legend),
        tooltip=[
            "Metric",
            "Level",
            "n",
            *(alt.Tooltip(f"{c}:Q", format=".3f") for c in ("Correlation", "Low", "High")),
        ],
    )
    title = f"{SYMBOLS[analysis.coefficient]} with {scale_title(analysis.scale).lower()}"
    zero = alt.Chart(pd.DataFrame({"x": [0]})).mark_rule(strokeDash=[3, 3], color=FAINT).encode(x="x:Q")
    bars = base.mark_rule(strokeWidth=2.5).encode(x=alt.X("Low:Q", title=title), x2="High:Q")
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(
        x="Correlation:Q", shape=alt.Shape("Level:N", scale=_levels(None), legend=legend)
    )
    chart: alt.LayerChart = (zero + bars + dots).properties(height=alt.Step(62, **{"for": "position"}))
    return chart


def _levels(colours: list[str] | None) -> alt.Scale:
    return alt.Scale(domain=list(LEVELS), range=colours) if colours else alt.Scale(domain=list(LEVELS))


def _chosen(analysis: Analysis, row: CorrelationRow) -> bool:
    """Tell whether a row is about the chosen scale and coefficient, and defined."""
    one = row.correlation
    return (row.scale, one.coefficient) == (analysis.scale, analysis.coefficient) and one.value is not None


def score_against_rating(analysis: Analysis) -> alt.LayerChart | None:
    """Return every response as a point, ratings moved by up to 0.18 so that none hides another, with the trend."""
    data = pairs(analysis.study, analysis.metric, analysis.scale)
    if not len(data.scores):
        return None
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
    scale = scale_title(analysis.scale)
    points = (
        alt.Chart(frame)
        .mark_circle(size=55, opacity=0.65, color=MARK)
        .encode(
            x=alt.X("score:Q", title=readable(name_in_words(analysis.metric)), scale=alt.Scale(zero=False)),
            y=alt.Y("place:Q", title=scale, scale=alt.Scale(zero=False), axis=alt.Axis(tickMinStep=1)),
            tooltip=["item", "system", "rater", "rating", alt.Tooltip("score:Q", format=".4f")],
        )
    )
    trend = (
        alt.Chart(frame)
        .transform_regression("score", "rating")
        .mark_line(strokeWidth=2, color=COLOURS[1])
        .encode(x="score:Q", y="rating:Q")
    )
    chart: alt.LayerChart = (points + trend).properties(height=380)
    return chart


JITTERED = "Ratings are moved up or down by up to 0.18 so that points stay apart. The line is least squares."


def rating_distributions(analysis: Analysis) -> alt.FacetChart:
    """Return how often each rating was given, one small chart a scale."""
    rows = [
        {"Scale": scale_title(one.scale), "Rating": value, "Responses": count}
        for one in analysis.distributions
        for value, count in one.counts.items()
    ]
    bars = alt.Chart(pd.DataFrame(rows)).mark_bar(color=MARK)
    bars = bars.encode(
        x=alt.X("Rating:O", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("Responses:Q", title=None),
        tooltip=["Scale", "Rating", "Responses"],
    )
    scales = [scale_title(one.scale) for one in analysis.distributions]
    chart: alt.FacetChart = bars.properties(width=130, height=110).facet(
        alt.Facet("Scale:N", title=None, sort=scales), columns=3
    )
    return chart


def rating_matrix_chart(responses: Sequence[Response], scale: str) -> alt.Chart | None:
    """Return a chart of ratings, a row for each rater and a column for each item; None without answers."""
    raters, items, matrix = rating_matrix(responses, scale)
    rows = [
        {"Rater": rater, "Item": readable(item), "Rating": int(matrix[i, j])}
        for i, rater in enumerate(raters)
        for j, item in enumerate(items)
        if np.isfinite(matrix[i, j])
    ]
    if not rows:
        return None
    order = [readable(items[j]) for j in np.argsort(-np.isfinite(matrix).sum(axis=0), kind="stable")]
    axis = alt.Axis(labels=False, ticks=False)
    title = f"{counted(len(items), 'item')}, those rated most often first"
    chart: alt.Chart = (
        alt.Chart(pd.DataFrame(rows))
        .mark_rect()
        .encode(
            x=alt.X("Item:N", sort=order, title=title, axis=axis),
            y=alt.Y("Rater:N", title=None, axis=alt.Axis(labelLimit=0)),
            color=alt.Color("Rating:O", scale=alt.Scale(scheme="viridis"), legend=alt.Legend(orient="top")),
            tooltip=["Rater", "Item", "Rating"],
        )
        .properties(height=alt.Step(ROW_HEIGHT))
    )
    return chart
