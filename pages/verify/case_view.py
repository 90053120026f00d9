"""A case on the page: while it runs, when it failed, and its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from core.campaigns.access import Role
from core.documents.language import HARDLY_READ
from core.errors import VerideskError
from core.jobs.types import Job, State
from core.search.source_kinds import own_kinds
from core.types import Case
from core.verification.receipt import Json, case_from_json, request_from_json
from core.verification.report.judge_measurements import judge_measurements
from core.verification.review import Reviews
from core.verification.steps.judging import PredictVeracity
from core.verification.verdict.verdict_words import is_rule_based, shown_label, words_of
from core.wording import readable_name
from pages.ui.app_state import AppState
from pages.ui.cases import claim_heading
from pages.ui.claim_form.claim_draft import begin_anew, use_request
from pages.ui.evidence import evidence_cards
from pages.ui.kept import share_button
from pages.ui.markup import show, tag
from pages.ui.notices import attempt_button, in_words, notice, quiet, remark, troubles
from pages.ui.page_script import say
from pages.ui.progress import elapsed, ended_stages, made_with, stage_list, times_table, waiting
from pages.ui.roles import roles
from pages.ui.stance_cards import passages_by_stance
from pages.ui.verdict_card import early_card, verdict_card
from pages.verify.already_checked import already_checked
from pages.verify.documents import close_document, documents_table, searched, show_document
from pages.verify.hand_over import (
    HAND_OVER,
    close_report,
    copy_verdict,
    downloads,
    keep_fields,
    package_fields,
    show_report,
)
from pages.verify.opened import OpenedCase, opened
from pages.verify.own_verdict import concluded, conclusion_fields, take_mark
from pages.verify.search_view import search_view, wiki_sources

LOADING = "Loading the models. A large one takes a minute or more the first time."

WORDING_HELP = (
    "Claims with certain words were more often false in the data that the judge learned from. "
    "If you switch this on, the verdict depends on the documents alone."
)

TITLE_LENGTH = 70


def shortened(claim: str) -> str:
    """Return a claim as the title of a browser's tab."""
    words = readable_name(claim)
    return words if len(words) <= TITLE_LENGTH else f"{words[:TITLE_LENGTH]}…"


def show_case(app_state: AppState, owner: str, stored: Job) -> None:
    """Show a case in any state, or its report."""
    st.set_page_config(page_title=f"{shortened(stored.title)} – Veridesk")
    if stored.state is State.DONE and st.query_params.get("view") == "report":
        back_button(close_report)
        show_report(opened(stored), Reviews(app_state.store).load(stored.id))
        return
    if stored.state is State.DONE and (document := st.query_params.get("document")):
        back_button(close_document)
        show_document(opened(stored), document)
        return
    st.button("Check another claim", key="another", type="tertiary", icon=":material/arrow_back:", on_click=leave)
    show(claim_heading(request_from_json(stored.request).claim))
    if stored.state.live:
        show_live(app_state, owner, stored.id)
        return
    if stored.state is State.DONE:
        show_result(app_state, owner, opened(stored))
    else:
        show_end(stored)
    with st.container(horizontal=True):
        attempt_button("Search again with changes", change, stored.request, key="again", icon="edit")
        if stored.state is State.DONE and Role.ORGANISER in roles():
            to_campaign(stored.id)


def back_button(close: Callable[[], None]) -> None:
    st.button("Back to the case", key="back", type="tertiary", icon=":material/arrow_back:", on_click=close)


@st.fragment(run_every=1.0)
@in_words
def show_live(app_state: AppState, owner: str, case_id: str) -> None:
    """Show a running case and look again every second; the whole page is drawn again once it has ended."""
    status = app_state.jobs.status(case_id, owner)
    if status is None or not status.state.live:
        st.rerun()
    troubles()
    say(status.progress["stage"] if status.progress else "Waiting")
    waits = (
        waiting(app_state.jobs.ahead(status)) if status.state is State.WAITING else "" if status.progress else LOADING
    )
    stages = stage_list(status.facts, status.progress, elapsed(status), waits=waits)
    progress = status.progress or {}
    early = case_from_json(progress["early"]) if "early" in progress else None
    if early:
        reading = progress["stage"] == PredictVeracity().title
        show(early_card(early, reading=reading, detail=progress["detail"] if reading else ""))
    else:
        show(stages)
    cancel = (app_state.queue.cancel, case_id, owner)
    attempt_button("Cancel", *cancel, key="cancel", icon="stop_circle")
    if early and early.verdict:  # in the places of the finished case, so that nothing jumps at the end
        show_notes(early, urgent=True)
        if early.verdict.stances:
            show(passages_by_stance(early))
        show(stages)


def show_end(stored: Job) -> None:
    """Show a case without a verdict, and its progress."""
    say("This case has ended without a verdict.")
    words = {
        State.INTERRUPTED: "The server stopped while it worked on this claim. Your request is kept: "
        "search again to run it again."
    }
    if stored.state is State.CANCELLED:
        remark(stored.error)
    else:
        notice(words.get(stored.state, stored.error))
    if stored.progress and stored.progress["done"]:
        quiet("How far it came:")
        show(ended_stages(stored.progress, stored.seconds or 0.0))


def show_result(app_state: AppState, owner: str, found: OpenedCase) -> None:
    """Show the answer first, then the reasons, then their sources."""
    reviews = Reviews(app_state.store)
    take_mark(reviews, found.id, owner)
    review = reviews.load(found.id)
    case = found.case
    assert case.verdict is not None  # core.verification.verify_job keeps no finished case without one
    verdict = case.verdict
    weighed = bool(verdict.wording) and not is_rule_based(verdict)
    if weighed and st.session_state.get("by-documents"):
        verdict = replace(verdict, probabilities=verdict.from_documents)
    measured = judge_measurements(verdict)
    show(concluded(review))
    show(verdict_card(replace(case, verdict=verdict), measured))
    if weighed:
        st.toggle("Leave the claim’s wording out", key="by-documents", help=WORDING_HELP)
    show(copy_verdict(case, review))
    say(f"Verdict: {words_of(shown_label(case.verdict)).word}")
    show_notes(case, urgent=True)
    try:
        own_kinds()
    except VerideskError as error:
        notice(str(error))
    if verdict.stances:
        show(passages_by_stance(case, review))
    show(evidence_cards(case.evidence, besides={one.passage for one in verdict.stances}, review=review))
    wiki_sources(found)
    conclusion_fields(reviews, found.id, owner, review)
    show(tag("div", tag("h2", "Documents", css="vd-heading"), searched(case.corpus), css="vd"))
    with st.expander("Passages by rank", icon=":material/table_rows:"):
        documents_table(case)
    already_checked(app_state, case)
    if case.search:
        search_view(case.search)
    show_notes(case, urgent=False)
    with st.expander(
        f"How this was made, in {sum(step.seconds for step in case.times):.1f} s", icon=":material/timer:"
    ):
        show(times_table(case.times))
        show(made_with(found.request, found.llm))
    show(tag("div", tag("h2", "Hand over", css="vd-heading", id=HAND_OVER), css="vd"))
    with st.container(horizontal=True):
        downloads(found, review)
        package_fields(found, owner, review)
        keep_fields(found)
        share_button(app_state.store, owner, found.id, what="the report of this case")


def show_notes(case: Case, *, urgent: bool) -> None:
    """Show the remarks on a case: the `urgent` one, that documents were hardly read, or the rest."""
    for note in case.notes:
        if note.endswith(HARDLY_READ) == urgent:
            quiet(note)


def leave() -> None:
    begin_anew()
    st.query_params.clear()


def to_campaign(case_id: str) -> None:
    """Offer to let people rate the evidence of this case."""
    if st.button("Add to a campaign", key="to-campaign", icon=":material/groups:"):
        st.switch_page("pages/campaigns/page.py", query_params={"new": "1", "case": case_id})


def change(request: Json) -> None:
    use_request(request_from_json(request))
    st.query_params.clear()
