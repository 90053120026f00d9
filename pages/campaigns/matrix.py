"""Who has which item, as a picture."""

from __future__ import annotations

import altair as alt
import pandas as pd

from core.campaigns.progress import CampaignProgress, ItemProgress
from core.campaigns.types import Assigned
from core.tabular.charts import COLOURS
from core.wording import counted
from pages.ui.charts import show_chart
from pages.ui.markup import readable
from pages.ui.notices import quiet

STATES = {
    "submitted": COLOURS[0],
    "begun": "#9fb9c6",
    "control submitted": COLOURS[1],
    "control begun": "#e3bf9c",
}
"""The states of an item in a rater's hands, and their colours."""


def show_matrix(assigned: tuple[Assigned, ...], now: CampaignProgress) -> None:
    """Show who has which item: one row per rater, one column per item, controls last."""
    if not assigned:
        quiet("The chart of raters and items appears when a rater opens the first item.")
        return
    chart = matrix_chart(matrix_frame(assigned, now), [one.rater for one in now.raters], len(now.items))
    show_chart(chart, "matrix", "Which rater has which item, and whether it is submitted")


def matrix_frame(assigned: tuple[Assigned, ...], now: CampaignProgress) -> pd.DataFrame:
    """Return a row for each item in a rater's hands; `Place` counts items from 0, controls after all others."""
    items = {one.item.id: one for one in now.items}
    places = {item: place for place, item in enumerate(sorted(items, key=lambda item: bool(items[item].item.control)))}
    return pd.DataFrame(
        {
            "Rater": one.rater,
            "Place": places[one.item],
            "State": state_of(one, items[one.item]),
            "Item": readable(items[one.item].item.item),
            "System": readable(items[one.item].item.system),
            "Claim": readable(items[one.item].item.claim)[:120],
        }
        for one in assigned
    )


def matrix_chart(frame: pd.DataFrame, raters: list[str], items: int) -> alt.Chart:
    place = alt.X(
        "Place:O",
        title=f"{counted(items, 'item')}, controls last",
        axis=alt.Axis(labels=False, ticks=False),
        scale=alt.Scale(domain=list(range(items))),
    )
    rater = alt.Y("Rater:N", title=None, axis=alt.Axis(labelOverlap=False), scale=alt.Scale(domain=raters))
    state = alt.Color(
        "State:N",
        scale=alt.Scale(domain=list(STATES), range=list(STATES.values())),
        legend=alt.Legend(orient="bottom", title=None, columns=2),
    )
    cells: alt.Chart = (
        alt.Chart(frame)
        .mark_rect(stroke="#80808060", strokeWidth=0.5)
        .encode(x=place, y=rater, color=state, tooltip=["Rater", "Item", "System", "State", "Claim"])
        .properties(height=150 + 24 * len(raters))
    )
    return cells


def state_of(one: Assigned, item: ItemProgress) -> str:
    state = "submitted" if one.submitted is not None else "begun"
    return f"control {state}" if item.item.control else state
