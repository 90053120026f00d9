"""How a campaign stands: the figures, by rater and by item, as pictures and as tables."""

from __future__ import annotations

import time

import altair as alt
import pandas as pd
import streamlit as st

from core.agreement.raters import Straightness
from core.campaigns.inviting import invited_raters
from core.campaigns.progress import SECONDS_A_MINUTE, ItemProgress, Progress, RaterProgress, progress
from core.campaigns.results import all_assigned, campaign_ratings
from core.campaigns.types import Assigned, Campaign
from core.errors import VerideskError
from core.storage.store import Store
from core.tabular.charts import COLOURS
from core.tabular.table import Column, Table
from core.wording import counted
from pages.campaigns.list import share_bar
from pages.ui.markup import join, readable, show, tag
from pages.ui.notices import notice, quiet, remark
from pages.ui.tables import show_table

EVERY = 10.0
"""Seconds after which the figures are read anew."""
UNIFORM, RUN, ENOUGH = 0.9, 8, 8
"""A rater is flagged who gives this share of items, or this many in a row, the same; from this many items on."""


@st.fragment(run_every=EVERY)
def show_live_progress(store: Store, who: str, campaign: Campaign) -> None:
    """Show how an open campaign stands, and look again every ten seconds."""
    show_progress(store, who, campaign)
    quiet(f"Looked at {time.strftime('%H:%M:%S')}; looks again every {EVERY:.0f} seconds.")


def show_progress(store: Store, who: str, campaign: Campaign) -> None:
    try:
        assigned = all_assigned(store, campaign.id, who)
        now = progress_of(store, who, campaign, assigned)
    except VerideskError as error:
        notice(str(error))
        return
    show_figures(now)
    if not now.raters:
        remark("Nobody is invited yet: make a link for each rater under Raters.")
        return
    show_table(rater_table(now))
    for sentence in flags(now):
        remark(sentence)
    show_matrix(campaign, assigned, now)
    with st.expander("By item", icon=":material/list:"):
        show_items(now)


def progress_of(store: Store, who: str, campaign: Campaign, assigned: tuple[Assigned, ...]) -> Progress:
    return progress(
        campaign.plan, invited_raters(store, campaign.id, who), assigned, campaign_ratings(store, campaign.id, who)
    )


def show_figures(now: Progress) -> None:
    """Show the answer first: how many ratings are in, and what they cost."""
    real = [one for one in now.items if one.wanted]
    complete = sum(one.submitted >= one.wanted for one in real)
    right = [one.controls for one in now.raters if one.controls and one.controls.answered]
    answered, correct = sum(one.answered for one in right), sum(one.correct for one in right)
    facts = [
        f"{complete:,} of {counted(len(real), 'item')} complete",
        f"{sum(one.opened > 0 for one in now.raters)} of {counted(len(now.raters), 'rater')} at work",
        f"{duration(now.minutes)} a rating (median)" if now.minutes is not None else "no time taken yet",
        f"{correct} of {counted(answered, 'control')} right" if answered else "no control answered yet",
    ]
    show(
        tag(
            "div",
            tag("p", f"{now.submitted:,} of {counted(now.wanted, 'rating')}", css="vd-figure"),
            share_bar(now.submitted, now.wanted, "Ratings that are in"),
            tag("p", join(tag("span", fact) for fact in facts), css="vd-facts"),
            css="vd vd-card vd-standing",
        )
    )


def duration(minutes: float) -> str:
    """Return a time in words: seconds under a minute, else minutes."""
    return f"{minutes:.1f} minutes" if minutes >= 1 else f"{minutes * SECONDS_A_MINUTE:.0f} seconds"


def rater_table(now: Progress) -> Table:
    """Return one row a rater, under pseudonyms."""
    columns = (
        Column("Rater"),
        Column("Team"),
        Column("Submitted", 0),
        Column("Begun", 0),
        Column("Minutes a rating", 1),
        Column("Controls right"),
        Column("Same on all scales", 2),
    )
    rows = tuple(
        (
            one.rater,
            one.team,
            one.submitted,
            one.opened - one.submitted,
            one.minutes,
            f"{one.controls.correct} of {one.controls.answered}" if one.controls and one.controls.answered else "–",
            one.uniform_share,
        )
        for one in now.raters
    )
    note = (
        "Begun: opened and not submitted. Minutes: median of the submitted ratings. Same on all scales: share of a "
        "rater's items with one and the same rating on every scale."
    )
    return Table("raters", "Raters", columns, rows, note)


def item_table(now: Progress) -> Table:
    """Return one row an item; controls want nothing, because every rater gets some of them."""
    names = ("Item", "System", "Drawn from", "Claim")
    columns = (*(Column(name) for name in names), *(Column(name, 0) for name in ("Submitted", "Begun", "Wanted")))
    rows = tuple(
        (
            one.item.item,
            one.item.system,
            one.item.stratum,
            one.item.claim,
            one.submitted,
            one.opened - one.submitted,
            one.wanted,
        )
        for one in now.items
    )
    return Table("items", "Items", columns, rows, "")


def show_items(now: Progress) -> None:
    table = item_table(now)
    names = [column.title for column in table.columns]
    rows = [[readable(cell) if isinstance(cell, str) else cell for cell in row] for row in table.rows]
    st.dataframe(pd.DataFrame(rows, columns=names), hide_index=True, height=360)
    quiet("Controls want no number of ratings: every rater gets some of them.")


def flags(now: Progress) -> list[str]:
    """Return a sentence for every rater whose answers are strikingly uniform."""
    return [f"{one.rater} {words}." for one in now.raters if (words := striking(one))]


def striking(one: RaterProgress) -> str:
    straight: Straightness | None = one.straight
    if straight is None or straight.n < ENOUGH:
        return ""
    if straight.uniform >= UNIFORM * straight.n:
        return (
            f"gave {straight.uniform} of {straight.n} items one and the same rating on every scale: "
            "look at the answers before you rely on them"
        )
    if straight.longest_run >= RUN:
        return f"gave {straight.longest_run} items in a row the same answers: look at them before you rely on them"
    return ""


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
