"""The campaigns of this server: their state, how far they are, and the way to the next one."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from core.campaigns.organising import all_campaigns, set_state
from core.campaigns.types import CampaignLine, CampaignState
from core.storage.store import Store
from core.wording import counted
from pages.ui.cases import zone
from pages.ui.markup import Html, join, show, tag
from pages.ui.notices import attempt_button, remark

STATES = {CampaignState.OPEN: "Open", CampaignState.PAUSED: "Paused", CampaignState.CLOSED: "Closed"}
MEANINGS = {
    CampaignState.OPEN: "Raters can work.",
    CampaignState.PAUSED: "Raters see that it is paused; their answers are kept.",
    CampaignState.CLOSED: "Raters can no longer answer. It can be opened again.",
}
MOVES = {
    CampaignState.OPEN: ((CampaignState.PAUSED, "Pause", "pause"), (CampaignState.CLOSED, "Close", "lock")),
    CampaignState.PAUSED: ((CampaignState.OPEN, "Go on", "play_arrow"), (CampaignState.CLOSED, "Close", "lock")),
    CampaignState.CLOSED: ((CampaignState.OPEN, "Open again", "lock_open"),),
}
"""From each state: its next states, the button's words, and its icon."""


def show_list(store: Store, who: str) -> None:
    """Show every campaign, newest first; where there is none, how to begin."""
    lines = all_campaigns(store, who)
    if not lines:
        remark(
            "No campaign yet. A campaign lets people rate the evidence of fact-checking systems in the shared task's "
            "form. Begin with the systems' files, or look at an example first: six made-up claims, two made-up systems."
        )
    for line in sorted(lines, key=lambda one: -one.created):
        with st.container(border=True, gap="xsmall", key=f"campaign-line-{line.id}"):
            show(campaign_line(line))
            with st.container(horizontal=True, gap="medium"):
                if st.button("Look at it", key=f"look-{line.id}", type="tertiary", icon=":material/open_in_full:"):
                    st.query_params["campaign"] = line.id
                    st.rerun()
                state_buttons(store, who, line.id, line.state, kind="tertiary")


def campaign_line(line: CampaignLine) -> Html:
    """Return a campaign as the list has it: title, state, how far it is."""
    when = datetime.fromtimestamp(line.created, zone())
    facts = [
        state_badge(line.state),
        f"{line.submitted:,} of {counted(line.wanted, 'rating')}",
        counted(line.raters, "rater"),
        counted(line.items, "item") + (f" and {counted(line.controls, 'control')}" if line.controls else ""),
        f"{when.day} {when:%B %Y}",
    ]
    return tag(
        "div",
        tag("h2", line.title, css="vd-strong vd-text vd-campaign-title"),
        tag("p", join(tag("span", fact) for fact in facts), css="vd-facts"),
        ratings_bar(line.submitted, line.wanted),
        css="vd",
    )


def state_badge(state: CampaignState) -> Html:
    return tag("span", STATES[state], css=f"vd-state vd-state-{state}")


def ratings_bar(done: int, wanted: int) -> Html:
    """Return a thin bar with the share of ratings that are in."""
    share = min(1.0, done / wanted) if wanted else 0.0
    fill = tag("div", css="vd-fill", style=f"width: {share:.1%}")
    words = "Ratings that are in"
    return tag(
        "div", fill, css="vd-bar", role="progressbar", aria_label=words, aria_valuenow=done, aria_valuemax=wanted
    )


def state_buttons(store: Store, who: str, campaign: str, state: CampaignState, *, kind: str) -> None:
    """Show the actions on a campaign in this state."""
    for target, label, icon in MOVES[state]:
        attempt_button(
            label,
            set_state,
            store,
            campaign,
            who,
            target,
            key=f"to-{target}-{campaign}",
            type="tertiary" if kind == "tertiary" else "secondary",
            icon=icon,
            help=MEANINGS[target],
        )
