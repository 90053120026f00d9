"""The report of a case that a colleague shares by a link: they read it alone."""

from __future__ import annotations

import streamlit as st

from core.jobs.types import State
from core.verification.review_store import Reviews
from pages.ui.app_state import AppState
from pages.ui.kept import link_leads_nowhere, shared_job
from pages.ui.markup import show, tag
from pages.ui.notices import remark
from pages.verify.hand_over import show_report
from pages.verify.opened import opened


def show_shared(app_state: AppState, token: str) -> None:
    """Show the report of a link to any visitor."""
    stored = shared_job(app_state.cases, token)
    if stored is None or stored.state is not State.DONE:
        show(tag("div", tag("h1", "Nothing is shared here", css="vd-claim"), css="vd"))
        link_leads_nowhere("case")
        st.button("Check a claim of your own", icon=":material/add:", on_click=st.query_params.clear)
        return
    remark("A colleague shares this case with you. You can read and download it; only they can change it.")
    show_report(opened(stored), Reviews(app_state.store).load(stored.id))
