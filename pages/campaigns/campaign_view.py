"""One campaign: its facts, its actions, its tabs, and every version of its texts for raters."""

from __future__ import annotations

from datetime import datetime
from functools import partial

import streamlit as st

from core.campaigns.organising import TEXTS, change_texts, text_history
from core.campaigns.planning.options import MAX_TEXT
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
from pages.ui.cases import zone
from pages.ui.markup import Html, join, show, tag
from pages.ui.notices import attempt_button, quiet, remark
from pages.ui.rater_introduction import introduction, paragraphs, titled

MAX_SAID = 30
TITLES = dict(zip(TEXTS, ("Introduction", "Guidelines", "Worked examples"), strict=True))


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


def show_texts(store: Store, who: str, campaign: Campaign) -> None:
    with st.expander("Raters' introduction"):
        show(introduction(campaign.plan.form, campaign.plan.options))
    with st.expander("Change the raters' introduction", icon=":material/edit_note:"):
        text_fields(store, who, campaign)
    show_history(store, who, campaign.id)


def text_fields(store: Store, who: str, campaign: Campaign) -> None:
    quiet("Raters read the new texts from the next page on, also those who have begun. The earlier texts stay below.")
    for name in TEXTS:
        st.text_area(
            TITLES[name],
            getattr(campaign.plan.options, name),
            key=text_key(campaign.id, name),
            max_chars=MAX_TEXT,
            height=160,
            placeholder="The shared task's own" if name == "introduction" else None,
        )
    attempt_button(
        "Save the texts", save_texts, store, campaign.id, who, type="primary", key=f"texts-{campaign.id}-save"
    )


def text_key(campaign: str, name: str) -> str:
    return f"texts-{campaign}-{name}"


def save_texts(store: Store, campaign: str, who: str) -> None:
    """Keep the fields' text; in a callback."""
    change_texts(store, campaign, who, **{name: str(st.session_state[text_key(campaign, name)]) for name in TEXTS})


def show_history(store: Store, who: str, campaign: str) -> None:
    """Show every version of the texts, the newest first. Show nothing if they were never changed."""
    history = text_history(store, campaign, who)
    if not history:
        return
    with st.expander(f"Earlier versions ({len(history)})", icon=":material/history:"):
        for told in reversed(history):
            own = paragraphs(told.options.introduction) or tag("p", "The introduction was the shared task's own.")
            since = f"From {datetime.fromtimestamp(told.since, zone()):%Y-%m-%d %H:%M}"
            parts = (titled(TITLES[name], getattr(told.options, name)) for name in TEXTS[1:])
            show(tag("section", tag("h3", since, css="vd-heading"), own, join(parts), css="vd vd-intro"))
