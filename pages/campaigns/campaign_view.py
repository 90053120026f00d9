"""One campaign: its facts, its actions, and its tabs."""

from __future__ import annotations

from datetime import datetime
from functools import partial

import streamlit as st

from core.campaigns.rater_context import LETTERS
from core.campaigns.types import Campaign, CampaignState
from core.storage.store import Store
from core.wording import counted
from pages.campaigns.adjudicate import show_adjudication
from pages.campaigns.campaign_files import show_files
from pages.campaigns.campaign_progress import show_live_progress, show_progress
from pages.campaigns.exclusions import show_exclusions
from pages.campaigns.list import MEANINGS, state_badge, state_buttons
from pages.campaigns.raters import show_raters
from pages.campaigns.scales import question_words, scale_words
from pages.campaigns.texts import show_texts
from pages.ui.cases import zone
from pages.ui.markup import Html, join, show, tag
from pages.ui.notices import quiet, remark

MAX_SAID = 30


def show_campaign(store: Store, who: str, campaign: Campaign) -> None:
    show(headline(campaign))
    show_said(campaign.id)
    with st.container(horizontal=True, vertical_alignment="center"):
        state_buttons(store, who, campaign.id, campaign.state, kind="secondary")
        st.page_link(
            "pages/agreement/page.py",
            label="Compare with scores",
            icon=":material/compare_arrows:",
            query_params={"campaign": campaign.id},
            help="The agreement of these ratings with scores, and of the raters with each other.",
        )
    parts = {
        "Progress": partial(show_standing, store, who, campaign),
        "Raters": partial(show_raters, store, who, campaign.id),
        "Disagreements": partial(show_adjudication, store, who, campaign),
        "Form": partial(show_form, store, who, campaign),
        "Downloads": partial(show_files, store, who, campaign),
    }
    tabs = st.tabs(list(parts), on_change="rerun", key=f"campaign-tab-{campaign.id}")
    for tab, draw in zip(tabs, parts.values(), strict=True):
        if tab.open:
            with tab:
                draw()


def show_standing(store: Store, who: str, campaign: Campaign) -> None:
    standing = show_live_progress if campaign.state is CampaignState.OPEN else show_progress
    standing(store, who, campaign)
    show_exclusions(store, who, campaign)


def show_form(store: Store, who: str, campaign: Campaign) -> None:
    form = campaign.plan.form
    if form.own:
        show(join(question_words(one) for one in form.bound(LETTERS[: form.kind.systems]).own))
    else:
        quiet("Major errors, the verdict and the supporting text are asked first; then these scales:")
        show(join(scale_words(scale) for scale in form.scales))
    show_texts(store, who, campaign)


def show_said(campaign: str) -> None:
    """Show the remarks made when the campaign was created, until they are read."""
    said = st.session_state.get("campaign-said")
    if not said or said[0] != campaign:
        return
    first, *more = said[1]
    remark(first)
    for sentence in more[:MAX_SAID]:
        quiet(sentence)
    if len(more) > MAX_SAID:
        quiet(f"… and {len(more) - MAX_SAID} more.")
    st.button("I have read it", on_click=st.session_state.pop, args=("campaign-said", None), key="campaign-read")


def headline(campaign: Campaign) -> Html:
    """Return the campaign's title, its state and its plan."""
    plan = campaign.plan
    controls = sum(item.control for item in plan.items)
    when = datetime.fromtimestamp(campaign.created, zone())
    facts = [
        state_badge(campaign.state),
        f"{counted(len(plan.items) - controls, 'item')} × {counted(plan.ratings_per_item, 'rating')}",
        f"{counted(controls, 'control')}" if controls else "no controls",
        f"{plan.items_per_rater} items per rater, {plan.controls_per_rater} of them controls",
        *([f"{counted(len(plan.practice), 'practice item')} first"] if plan.practice else []),
        f"seed {plan.seed}",
        f"{when.day} {when:%B %Y}",
    ]
    return tag(
        "header",
        tag("h1", plan.title, css="vd-claim"),
        tag("p", join(tag("span", fact) for fact in facts), css="vd-facts"),
        tag("p", MEANINGS[campaign.state], css="vd-quiet"),
        css="vd",
    )
