"""Who has which item, as a picture."""

from __future__ import annotations

import altair as alt
import pandas as pd
import streamlit as st

from core.campaigns.progress import ItemProgress, Progress
from core.campaigns.types import Assigned, Campaign
from core.tabular.charts import COLOURS
from core.wording import counted
from pages.ui.markup import readable
from pages.ui.notices import quiet


def show_matrix(campaign: Campaign, assigned: tuple[Assigned, ...], now: Progress) -> None:
    """Show who has which item: a row a rater, a column an item, controls last."""
    order = {one.item.id: (bool(one.item.control), place) for place, one in enumerate(now.items)}
    items = {one.item.id: one for one in now.items}
    if not assigned:
        quiet("The picture of raters and items begins with the first item that is opened.")
        return
    places = {item: place for place, item in enumerate(sorted(order, key=order.__getitem__))}
    frame = pd.DataFrame(
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
    raters = [one.rater for one in now.raters]
    states = ["submitted", "begun", "control submitted", "control begun"]
    colours = [COLOURS[0], "#9fb9c6", COLOURS[1], "#e3bf9c"]
    chart = (
        alt.Chart(frame)
        .mark_rect(stroke="#80808060", strokeWidth=0.5)
        .encode(
            x=alt.X(
                "Place:O",
                title=f"{counted(len(places), 'item')}, controls last",
                axis=alt.Axis(labels=False, ticks=False),
                scale=alt.Scale(domain=list(range(len(places)))),
            ),
            y=alt.Y(
                "Rater:N",
                title=None,
                axis=alt.Axis(labelOverlap=False),
                scale=alt.Scale(domain=raters),
            ),
            color=alt.Color(
                "State:N",
                scale=alt.Scale(domain=states, range=colours),
                legend=alt.Legend(orient="bottom", title=None, columns=2),
            ),
            tooltip=["Rater", "Item", "System", "State", "Claim"],
        )
        .properties(height=150 + 24 * len(now.raters))
    )
    st.altair_chart(chart, alt="Which rater has which item, and whether it is submitted")


def state_of(one: Assigned, item: ItemProgress) -> str:
    state = "submitted" if one.submitted is not None else "begun"
    return f"control {state}" if item.item.control else state
