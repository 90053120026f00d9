"""A measurement of a reader as a picture: a bar for each way to read."""

from __future__ import annotations

import altair as alt
import pandas as pd

from core.tabular.charts import COLOURS, FAINT
from core.verification.stance.measured_words import WORDS
from core.verification.stance.measurement import Measurement, Way

OUTCOMES = {"right": COLOURS[0], "wrong": COLOURS[1], "open": FAINT}


def figures_chart(found: Measurement) -> alt.Chart:
    """Return the shares of claims with a right answer, a wrong side and no side, for each way to read."""
    data = [
        {"Read by": WORDS[way], "Outcome": outcome, "Share": getattr(found.figures[way], outcome), "order": place}
        for way in Way
        for place, outcome in enumerate(OUTCOMES)
    ]
    colours = alt.Scale(domain=[*OUTCOMES], range=[*OUTCOMES.values()])
    chart: alt.Chart = (
        alt.Chart(pd.DataFrame(data))
        .mark_bar()
        .encode(
            x=alt.X("Share:Q", title="Share of claims", scale=alt.Scale(domain=[0, 1])),
            y=alt.Y("Read by:N", sort=[WORDS[way] for way in Way], title=None, axis=alt.Axis(labelLimit=0)),
            color=alt.Color("Outcome:N", scale=colours, legend=alt.Legend(orient="bottom", title=None)),
            order="order:Q",
            tooltip=["Read by", "Outcome", alt.Tooltip("Share:Q", format=".2f")],
        )
        .properties(height=alt.Step(34))
    )
    return chart
