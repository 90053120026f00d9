"""The form's remark on a text that is no claim, or several, or somebody's words: an offer, never a refusal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.documents.language import NAMES
from core.errors import VerideskError
from core.models.installed import default_choice
from core.verification.claim_intake import ClaimKind, ClaimReading, read_claim
from core.verification.measure_job import measured_by, order
from core.verification.written_claims import CALIBRATING
from core.wording import counted
from pages.ui.app_state import AppState
from pages.ui.checked_before import say_checked_before
from pages.ui.claim_form import claim_draft, typed_request
from pages.ui.claim_form.search_order import given_consent
from pages.ui.make_once import start_once
from pages.ui.markup import label, plain
from pages.ui.notices import attempt_button, quiet, remark

CHOSEN = "verify-statements"


def claim_remark(at: AppState, who: str) -> None:
    """Name the text's kind if it is not one claim, and offer the next step."""
    text = st.session_state.get(claim_draft.field("text")) or ""
    if not text.strip():
        return
    say_checked_before(at, who, text)
    found = read_claim(text)
    if found.advice:
        remark(_reader_of(found.language) or found.advice)
    if found.kind is ClaimKind.SEVERAL:
        offer_statements(at, who, found)
    elif found.kind is ClaimKind.QUOTATION:
        st.button(
            "Check the statement itself",
            help=plain(f"Puts “{found.statements[0]}” into the form. Unchanged, the form checks the quotation."),
            icon=":material/format_quote:",
            on_click=use_statement,
            args=(found.statements[0],),
            key="claim-statement",
        )


def _reader_of(language: str) -> str:
    """Return in a sentence that the chosen model reads a language; empty if it does not, or for English."""
    if language not in CALIBRATING:
        return ""
    try:
        model = claim_draft.current()["model"] or default_choice().id
        measured = measured_by(order(model, language))
    except VerideskError:
        return ""  # the claim's start and Models name the reason
    if not (measured and measured.used):
        return ""
    name = NAMES[language]
    return f"This seems to be {name}. {measured.reader.name} reads it, measured on {measured.claims} claims in {name}."


def offer_statements(at: AppState, who: str, found: ClaimReading) -> None:
    """Offer the statements of a text, each to be checked as a claim of its own.

    A search shows the requests for one claim, and sends nothing else. With it, one statement is taken at a time.
    """
    if claim_draft.current()["where"] == claim_draft.SEARCH:
        quiet("A search asks before it sends anything, so take one statement at a time.")
        for number, statement in enumerate(found.statements):
            st.button(label(statement), key=f"{CHOSEN}-take-{number}", on_click=use_statement, args=(statement,))
        return
    chosen = [
        st.checkbox(label(statement), value=True, key=f"{CHOSEN}-{number}")
        for number, statement in enumerate(found.statements)
    ]
    attempt_button(
        f"Check {counted(sum(chosen), 'statement')} one by one",
        submit_each,
        at,
        who,
        found.statements,
        icon="checklist",
        disabled=not (any(chosen) and who),
        key="claim-each",
    )
    if st.session_state.pop(f"{CHOSEN}-sent", False):
        st.switch_page("pages/history/page.py")


def use_statement(statement: str) -> None:
    """Put a statement into the form in place of the text that it is part of."""
    claim_draft.fill({"text": statement[:1].upper() + statement[1:]})


def submit_each(at: AppState, who: str, offered: Sequence[str]) -> None:
    """Send each chosen statement as a claim of its own; an unsent one stays in the form, with the reason."""
    statements = [one for number, one in enumerate(offered) if st.session_state[f"{CHOSEN}-{number}"]]
    left = list(statements)
    try:
        asked = typed_request.request(given_consent())
        while left:
            start_once(at.cases, who, replace(asked, claim=replace(asked.claim, text=left[0])))
            del left[0]
    except VerideskError as error:
        sent = len(statements) - len(left)
        st.session_state["verify-refused"] = error
        if sent:
            st.session_state["verify-refused"] = VerideskError(f"{counted(sent, 'statement')} sent. {error}")
            claim_draft.fill({"text": "\n".join(left)})
        return
    claim_draft.begin_anew()
    claim_draft.keep(at.store, who)
    st.session_state[f"{CHOSEN}-sent"] = True
