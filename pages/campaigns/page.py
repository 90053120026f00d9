"""Campaigns: plan the ratings, invite raters, watch, settle disagreements, download the ratings."""

from __future__ import annotations

import streamlit as st

from core.campaigns.access import Role
from core.campaigns.example import create_example
from core.campaigns.exchange.study import create_from_study
from core.campaigns.exchange.study_files import read_study
from core.campaigns.organising import load_campaign
from core.errors import VerideskError
from core.storage.store import Store
from pages.campaigns.campaign_view import show_campaign
from pages.campaigns.list import show_list
from pages.campaigns.new import show_form
from pages.ui.app_state import app_state
from pages.ui.entry import through_app
from pages.ui.markup import show, tag
from pages.ui.notices import notice, remark, troubles
from pages.ui.owner import visitor
from pages.ui.roles import accept_invitation, rates, roles


def show_barred() -> None:
    """Say who this page is for, and the way in."""
    remark(
        "Only organisers plan campaigns. Open the organiser's link that you were sent, or sign in with an organiser's "
        "account."
    )
    if rates(roles()):
        st.page_link("pages/rate/page.py", label="Go to your items", icon=":material/rate_review:")


def show_all(store: Store, who: str) -> None:
    st.caption("People rate the evidence of systems. You plan who rates which items, watch, and settle disagreements.")
    with st.container(horizontal=True):
        if st.button("New campaign", type="primary", icon=":material/add:", key="campaign-new"):
            st.query_params["new"] = "1"
            st.rerun()
        if st.button(
            "Try an example", help="Four claims of two made-up systems, and two control items.", key="campaign-example"
        ):
            st.query_params["campaign"] = create_example(store, who)
            st.rerun()
    study_import(store, who)
    show_list(store, who)


def study_import(store: Store, who: str) -> None:
    """Import an exported study. It becomes a separate campaign."""
    with st.expander("Take in a study", icon=":material/upload_file:"):
        file = st.file_uploader("A study’s export", "zip", help="Study (CSV, zip).", key="campaign-study")
        if file and st.button("Make a campaign of it", type="primary", key="campaign-of-study"):
            st.query_params["campaign"] = create_from_study(store, who, read_study(file.name, file.getvalue()))
            st.rerun()


def show_page(store: Store, who: str) -> None:
    campaign = st.query_params.get("campaign")
    if campaign or "new" in st.query_params:
        st.button(
            "All campaigns",
            type="tertiary",
            icon=":material/arrow_back:",
            on_click=st.query_params.clear,
            key="campaign-all",
        )
    if campaign:
        show_campaign(store, who, load_campaign(store, campaign, who))
        return
    title("New campaign" if "new" in st.query_params else "Campaigns")
    if "new" in st.query_params:
        show_form(store, who)
    else:
        show_all(store, who)


def title(words: str) -> None:
    show(tag("div", tag("h1", words, css="vd-claim"), css="vd"))


through_app()
troubles()
try:
    accept_invitation(app_state().store, visitor(), Role.ORGANISER)
    if Role.ORGANISER in roles():
        show_page(app_state().store, visitor())
    else:
        title("Campaigns")
        show_barred()
except VerideskError as error:
    notice(str(error))
