"""The campaign's texts for raters: shown as they see them, changed, and every version kept."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from core.campaigns.organising import TEXTS, change_texts, text_history
from core.campaigns.planning.options import MAX_TEXT
from core.campaigns.types import Campaign
from core.storage.store import Store
from pages.ui.cases import zone
from pages.ui.markup import join, show, tag
from pages.ui.notices import attempt_button, quiet
from pages.ui.rater_introduction import introduction, paragraphs, titled

TITLES = dict(zip(TEXTS, ("Introduction", "Guidelines", "Worked examples"), strict=True))


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
            key=field(campaign.id, name),
            max_chars=MAX_TEXT,
            height=160,
            placeholder="The shared task's own" if name == "introduction" else None,
        )
    attempt_button("Save the texts", save, store, campaign.id, who, type="primary", key=f"texts-{campaign.id}-save")


def field(campaign: str, name: str) -> str:
    return f"texts-{campaign}-{name}"


def save(store: Store, campaign: str, who: str) -> None:
    """Keep the fields' text; in a callback."""
    change_texts(store, campaign, who, **{name: str(st.session_state[field(campaign, name)]) for name in TEXTS})


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
