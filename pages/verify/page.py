"""Verify: one claim, its evidence and a verdict."""

from __future__ import annotations

import streamlit as st

from core.errors import VerideskError
from core.search.consent import NotAgreed
from pages.ui.app_state import AppState, app_state
from pages.ui.claim_form import claim_draft, typed_request
from pages.ui.claim_form.claim_fields import claim_fields
from pages.ui.claim_form.evidence_fields import evidence_fields
from pages.ui.claim_form.file_fields import take_pending
from pages.ui.claim_form.search_fields import propose
from pages.ui.claim_form.search_order import given_consent, send_label, shown_consent
from pages.ui.entry import through_app
from pages.ui.make_once import start_once
from pages.ui.markup import show, tag
from pages.ui.notices import attempt_button, hint, in_words, notice, quiet, remark, troubles
from pages.ui.owner import owner, visitor
from pages.ui.page_script import bring_into_view
from pages.verify.case_view import show_case
from pages.verify.claim_remark import claim_remark
from pages.verify.hand_over import show_shared
from pages.verify.settings_fields import settings_fields

WHAT_THIS_IS = (
    "Searches documents for evidence on one claim, and says how sure it is. Bring the documents, or let "
    "Veridesk search for them. It works on this machine. Nothing leaves the machine unless you ask for web pages, a "
    "web search or a model on a server."
)

# Set if the form was sent before the visitor was known. The first run that knows the visitor sends it.
EARLY = "verify-early"
# A list with the id of a case that was just sent, until a run has shown it. The callback does not empty the form. It
# writes no address either. A second click ends its run at its next use of the session.
SENT = "verify-sent"


def show_form(at: AppState) -> None:
    who = owner() or ""  # unknown until the browser has identified the visitor: the page is there already
    if who and (early := st.session_state.pop(EARLY, None)) is not None:
        submit(at, early)  # before a draft of an earlier visit comes back, which nobody has asked to send
        if st.session_state.get(SENT):
            st.rerun()
    claim_draft.restore(at.store, who)
    show(tag("div", tag("h1", "What do you want to check?", css="vd-claim"), css="vd"))
    quiet(WHAT_THIS_IS)
    claim_fields()
    claim_remark(at, who)
    in_words(evidence_fields, "This part of the form")()
    settings_fields()
    consent = shown_consent()
    attempt_button(
        send_label(consent, "Search" if claim_draft.current()["where"] == claim_draft.SEARCH else "Verify"),
        press,
        at,
        type="primary",
        icon="search",
        key="verify-send",
        help="Ctrl+Enter in the claim does the same.",
    )
    refused()
    if who:
        claim_draft.keep(at.store, who)


def refused() -> None:
    """Show once why the form was not sent, and scroll there: Ctrl+Enter may be pressed far above."""
    if why := st.session_state.pop("verify-refused", None):
        with st.container(key="vd-refused"):
            (hint if isinstance(why, NotAgreed) else notice)(str(why))
        bring_into_view("vd-refused")


def press(at: AppState) -> None:
    """Send the form as it was on the screen."""
    submit(at, given_consent())


def submit(at: AppState, consent: str) -> None:
    """Send the form; if something is missing, name it and leave the form unchanged."""
    sent: list[str] = st.session_state.setdefault(SENT, [])
    if "case" in st.query_params or sent:
        return  # a second click, made before the first one's case was shown
    who = owner()
    if not who:
        st.session_state[EARLY] = consent
        return
    take_pending()
    claim_draft.leave_example()  # the claim may have been typed since the last run
    if claim_draft.current()["where"] == claim_draft.SEARCH:
        propose()
    try:
        sent.append(start_once(at.cases, who, typed_request.request(consent)))
    except VerideskError as error:
        st.session_state["verify-refused"] = error


def leave_form(at: AppState, case: str) -> None:
    """Empty the form of a case that was just sent, and write the case's address."""
    claim_draft.begin_anew()
    if "case" not in st.query_params:
        st.query_params["case"] = case
    claim_draft.keep(at.store, visitor())


def show_stored(at: AppState, case_id: str) -> None:
    stored = at.jobs.load(case_id, visitor())
    if stored:
        show_case(at, visitor(), stored)
        return
    show(tag("div", tag("h1", "No such case", css="vd-claim"), css="vd"))
    remark("There is no such case in this browser. It was deleted, or it belongs to someone else.")
    st.button("Check a claim", icon=":material/add:", on_click=st.query_params.clear, key="check-a-claim")


through_app()
troubles()
try:
    here = app_state()
    if just_sent := st.session_state.get(SENT):
        leave_form(here, just_sent[0])
    if shared := st.query_params.get("shared"):
        show_shared(here, shared)
    elif "case" in st.query_params and owner() is None:
        quiet("Opening the case…")
    elif case := st.query_params.get("case"):
        show_stored(here, case)
    else:
        show_form(here)
except VerideskError as error:
    notice(str(error))
st.session_state.pop(SENT, None)
