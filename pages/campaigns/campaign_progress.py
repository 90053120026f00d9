"""The progress of a campaign: the figures, by rater and by item, as pictures and as tables."""

from __future__ import annotations

import time

import altair as alt
import pandas as pd
import streamlit as st

from core.campaigns.comparing import win_rates
from core.campaigns.progress import SECONDS_A_MINUTE, CampaignProgress, ItemProgress
from core.campaigns.progress_tables import item_table, progress_of, rater_table
from core.campaigns.reliability import raters_agreement, signs_of_carelessness
from core.campaigns.results import all_assigned, campaign_ratings
from core.campaigns.types import Assigned, Campaign
from core.errors import VerideskError
from core.storage.store import Store
from core.tabular.charts import COLOURS
from core.wording import counted
from pages.campaigns.list import ratings_bar
from pages.ui.charts import show_chart
from pages.ui.markup import join, readable, show, tag
from pages.ui.notices import in_words, notice, quiet, remark
from pages.ui.tables import show_table

EVERY = 10.0
"""Seconds after which the figures are read again."""


@st.fragment(run_every=EVERY)
@in_words
def show_live_progress(store: Store, who: str, campaign: Campaign) -> None:
    """Show the progress of an open campaign, and refresh every ten seconds."""
    show_progress(store, who, campaign)
    quiet(f"Looked at {time.strftime('%H:%M:%S')}; looks again every {EVERY:.0f} seconds.")


def show_progress(store: Store, who: str, campaign: Campaign) -> None:
    try:
        assigned = all_assigned(store, campaign.id, who)
        now = progress_of(store, who, campaign, assigned)
    except VerideskError as error:
        notice(str(error))
        return
    show_figures(now, assigned)
    if not now.raters:
        remark("Nobody is invited yet: make a link for each rater under Raters.")
        return
    if now.nobody_left:
        remark(now.nobody_left)
    show_table(rater_table(now))
    for one in now.raters:
        if signs := signs_of_carelessness(one, now.minutes, now.words):
            remark(f"{one.rater}: {'; '.join(signs)}. Look at the answers before you rely on them.")
    show_table(raters_agreement(store, who, campaign))
    compared = win_rates(campaign.plan.form, campaign_ratings(store, campaign.id, who))
    if compared is not None:
        show_table(compared)
    show_matrix(assigned, now)
    with st.expander("By item", icon=":material/list:"):
        show_items(now)


def show_figures(now: CampaignProgress, assigned: tuple[Assigned, ...]) -> None:
    """Show the answer first: how many ratings are in, and their cost."""
    real = [one for one in now.items if one.wanted]
    excluded = sum(one.submitted is not None and not one.counted for one in assigned)
    complete = sum(one.submitted >= one.wanted for one in real)
    right = [one.controls for one in now.raters if one.controls and one.controls.answered]
    answered, correct = sum(one.answered for one in right), sum(one.correct for one in right)
    pace = "no time taken yet"
    if now.minutes is not None:
        pace = f"{now.minutes * SECONDS_A_MINUTE:.0f} seconds a rating (median)"
    facts = [
        f"{complete:,} of {counted(len(real), 'item')} complete",
        f"{sum(one.opened > 0 for one in now.raters)} of {counted(len(now.raters), 'rater')} at work",
        pace,
        f"{correct} of {counted(answered, 'control')} right" if answered else "no control answered yet",
        *([f"{counted(excluded, 'rating')} excluded or not to be judged"] if excluded else []),
    ]
    show(
        tag(
            "div",
            tag("p", f"{now.submitted:,} of {counted(now.wanted, 'rating')}", css="vd-figure"),
            ratings_bar(now.submitted, now.wanted),
            tag("p", join(tag("span", fact) for fact in facts), css="vd-facts"),
            css="vd vd-card vd-standing",
        )
    )


def show_items(now: CampaignProgress) -> None:
    table = item_table(now)
    names = [column.title for column in table.columns]
    rows = [[readable(cell) if isinstance(cell, str) else cell for cell in row] for row in table.rows]
    st.dataframe(pd.DataFrame(rows, columns=names), hide_index=True, height=360)
    quiet("Controls have no required number of ratings: every rater gets some of them.")


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
