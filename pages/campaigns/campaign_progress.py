"""The progress of a campaign: the figures, by rater and by item, as pictures and as tables."""

from __future__ import annotations

import time

import pandas as pd
import streamlit as st

from core.campaigns.agreement_table import raters_agreement
from core.campaigns.progress import SECONDS_A_MINUTE, CampaignProgress
from core.campaigns.progress_tables import item_table, progress_of, rater_table
from core.campaigns.reliability import signs_of_carelessness
from core.campaigns.results import all_assigned, campaign_ratings
from core.campaigns.types import Assigned, Campaign
from core.campaigns.win_rates import win_rates
from core.errors import VerideskError
from core.storage.store import Store
from core.wording import counted
from pages.campaigns.list import ratings_bar
from pages.campaigns.matrix import show_matrix
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
