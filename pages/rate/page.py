"""Rate: one item after the other, its evidence on the left and one question at a time on the right."""

from __future__ import annotations

import streamlit as st

from core.campaigns.access import Role
from core.campaigns.planning.options import words_of
from core.campaigns.rating import open_item
from core.campaigns.types import CampaignState, MyCampaign, RatingItem
from core.errors import VerideskError
from core.storage.store import Store
from pages.rate.entry import external_id, my_campaign
from pages.rate.evidence import claim_header, evidence_view
from pages.rate.items import feedback_view, go, item_list, place_line, show_cover
from pages.rate.panel import STYLE, exchange, question_panel
from pages.ui.app_state import app_state
from pages.ui.entry import through_app
from pages.ui.markup import show
from pages.ui.notices import notice
from pages.ui.owner import visitor
from pages.ui.rater_introduction import introduction
from pages.ui.roles import accept_invitation

# An address can ask beside a campaign for the list of items, or for a named or the next one.
ITEMS, NEXT = "items", "next"


def show_campaign(store: Store, one: MyCampaign, who: str) -> None:
    """Show the cover, the list of items, or the item that is to be rated."""
    view, wanted = st.query_params.get("view"), st.query_params.get("item")
    finished = one.done and one.done == one.total and not wanted
    # Raters who failed the practice must still read the last practice item's right answers.
    barred = one.state is not CampaignState.OPEN or (one.practice.failed and not wanted)
    if barred or (view not in (ITEMS, NEXT) and not finished):
        unsaved(one)
        show_cover(one)
    elif view == ITEMS or finished:
        item_list(store, one, who)
    elif item := open_item(store, one.id, who, wanted):
        show_item(store, one, who, item)
    else:
        item_list(store, one, who, nothing_left=True)


def unsaved(one: MyCampaign) -> None:
    """Say in place of the panel, which is gone, that the campaign ended before an answer was saved."""
    known = exchange()
    if known.trouble:
        notice(f"{words_of(one.form.language)['unsaved']} {known.trouble}")
        known.trouble = ""


def show_item(store: Store, one: MyCampaign, who: str, item: RatingItem) -> None:
    texts = words_of(one.form.language)
    with st.container(key="rate", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", key="rate-top"):
            show(place_line(one, item))
            if st.button(texts["all_items"], icon=":material/list:", type="tertiary", key="rate-items"):
                st.query_params.pop("item", None)
                st.query_params["view"] = ITEMS
                st.rerun()
            with st.popover(texts["instructions"], icon=":material/help:", type="tertiary"):
                show(introduction(item.form, one.options))
        show(claim_header(item))
        left, right = st.columns([3, 2], gap="medium")
        with left:
            show(evidence_view(item))
        with right:
            if item.feedback:
                show(feedback_view(item))
                if st.button(
                    texts["go_on"], type="primary", shortcut="Enter", icon=":material/arrow_forward:", key="rate-go-on"
                ):
                    go("next")
            else:
                question_panel(store, one.id, who, item.id)


through_app()
st.html(STYLE)
try:
    here = app_state()
    me = visitor()
    accept_invitation(here.store, me, Role.ANNOTATOR, external_id())
    if chosen := my_campaign(here.store, me):
        show_campaign(here.store, chosen, me)
except VerideskError as error:
    notice(str(error))
    with st.container(key="rate-page"):
        st.button("My campaigns", icon=":material/arrow_back:", on_click=st.query_params.clear, key="rate-campaigns")
