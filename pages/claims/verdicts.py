"""The batch of a speech: its progress, its verdicts as cases, and the files of the whole."""

from __future__ import annotations

from collections import Counter
from datetime import date

import streamlit as st

from core.batch.batch_job import Batch, case_of
from core.claims.speech_report import CheckedSpeech, speech_csv, speech_html
from core.verification.receipt import receipt_from_json
from core.verification.verdict.documents_say import said_of_documents
from core.wording import counted
from pages.claims.kept_speech import KeptSpeech, picks
from pages.claims.speech_text import ASKED, FAILED, Verdicts
from pages.ui.app_state import app_state
from pages.ui.file_button import DOWNLOAD, file_button
from pages.ui.markup import show, tag
from pages.ui.notices import attempt_button, in_words, notice, quiet, remark
from pages.ui.verdicts import look_named


def show_batch(speech: KeptSpeech, who: str) -> Verdicts:
    """Show how far the batch of a speech is, or its verdicts; return them by claim, none without a batch."""
    batch = app_state().batches.find(picks().batch, who) if picks().batch else None
    if batch is None:
        return {}
    if batch.running:
        show_live(batch)
        return verdicts_of(batch)
    verdicts = verdicts_of(batch)
    show_ended(batch, verdicts)
    show_files(speech, batch, verdicts)
    return verdicts


def verdicts_of(batch: Batch) -> Verdicts:
    return {claim_id: FAILED if one.error else one.label for claim_id, one in batch.progress().items()}


@st.fragment(run_every=1.0)
@in_words
def show_live(batch: Batch) -> None:
    """Show the progress and look again every second; draw the page again when another claim is done."""
    done, count = len(batch.progress()), len(batch.asked.ids)
    if not batch.running or done != st.session_state.get("claims-done", 0):
        st.session_state["claims-done"] = done
        st.rerun()
    what = f"{done} of {counted(count, 'claim')} checked" if done else f"{counted(count, 'claim')}: loading the models"
    st.progress(done / max(count, 1), what)
    attempt_button("Cancel", app_state().batches.cancel, batch.job, icon="stop_circle", key="claims-cancel")


def show_ended(batch: Batch, verdicts: Verdicts) -> None:
    """Show the counts of a batch that has ended, and open the case that the visitor asked for."""
    st.session_state.pop("claims-done", None)
    if batch.trouble:
        notice(batch.trouble)
    elif batch.figures is None:
        remark(f"Stopped after {len(verdicts)} of {counted(len(batch.asked.ids), 'claim')}. Finished claims are kept.")
    if batch.figures is None:
        go_on = (app_state().batches.resume, batch.job)
        attempt_button("Go on", *go_on, icon="play_arrow", key="claims-resume")
    counts = Counter("Failed" if one == FAILED else look_named(one).word for one in verdicts.values())
    show(tag("div", tag("h2", "Verdicts", css="vd-heading"), css="vd"))
    quiet(
        f"{', '.join(f'{number} {word}' for word, number in counts.items())}. Searched in “{batch.asked.collection}”."
    )
    if asked := st.session_state.pop(ASKED, ""):
        if case_id := case_of(batch, asked, app_state().cases):
            st.switch_page("pages/verify/page.py", query_params={"case": case_id})
        remark("This claim has no case: it failed, or its batch was deleted.")


def said_of(batch: Batch) -> dict[str, str]:
    """Return the sentence on the documents of each claim that is done, by its id."""
    receipts = {claim_id: batch.receipt(claim_id) for claim_id in batch.asked.ids}
    return {claim_id: said_of_documents(receipt_from_json(one)[1]) for claim_id, one in receipts.items() if one}


def show_files(speech: KeptSpeech, batch: Batch, verdicts: Verdicts) -> None:
    words = {claim_id: "Failed" if one == FAILED else look_named(one).word for claim_id, one in verdicts.items()}
    kept = picks()

    def checked() -> CheckedSpeech:
        return CheckedSpeech(speech.name, speech.sentences, kept.checked, words, said_of(batch), kept.searched)

    with st.container(horizontal=True):
        for name, content, file, kind in (
            ("Report (HTML)", lambda: speech_html(checked(), date.today()), "speech.html", "text/html"),
            ("Table (CSV)", lambda: speech_csv(checked()), "speech.csv", "text/csv"),
        ):
            key = f"claims-{file}"
            file_button(name, content, file, mime=kind, icon=DOWNLOAD, key=key)
