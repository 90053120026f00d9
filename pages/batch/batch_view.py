"""Show one batch: its progress, failures, cuts and finished submission."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.averitec.averitec import read_gold, read_submission
from core.batch.batch_job import Batch, Outcome, case_of
from core.jobs.types import State
from core.models.choice import parse_choice
from core.scoring.open_metrics import Opening
from core.scoring.work import ScoringJob
from core.wording import counted, time_words
from pages.batch.batch_form import batches
from pages.batch.outcomes import show_outcomes
from pages.ui.app_state import app_state
from pages.ui.cases import recipe_title
from pages.ui.file_button import file_button
from pages.ui.kept import link_leads_nowhere, name_and_share, shared_job
from pages.ui.make_once import start_once
from pages.ui.markup import Html, join, show, tag
from pages.ui.notices import attempt, attempt_button, in_words, notice, quiet, remark, troubles

RECENT = 20
"""Number of last claims for the forecast of the end."""

METRICS = ("hungarian-meteor", "verdict")
MIME = {".json": "application/json", ".jsonl": "application/jsonl", ".csv": "text/csv"}


def show_batch(batch: Batch) -> None:
    """Show a batch in any state."""
    st.button(
        "All batches", type="tertiary", icon=":material/arrow_back:", on_click=st.query_params.clear, key="batch-all"
    )
    show(heading(batch))
    if batch.running:
        show_live(batch)
        return
    troubles()
    outcomes = batch.progress()
    if batch.figures is None:
        show_stopped(batch, outcomes)
    else:
        with st.container(horizontal=True):
            what = "this batch's figures and its submission"
            name_and_share(batches(), batch.job, one="batch", what=what, page="batch")
        show_done(batch, outcomes)
    show_outcomes(batch, outcomes)
    st.button(
        "Delete this batch",
        type="tertiary",
        icon=":material/delete:",
        on_click=delete,
        args=(batch,),
        key="batch-delete",
    )


def shared_batch(token: str) -> Batch | None:
    """Return the finished batch behind a link, or show that there is none."""
    batch = shared_job(batches(), token)
    if batch is None or batch.running or batch.figures is None:
        link_leads_nowhere("batch")
        return None
    remark("An organiser shares this batch with you. Only they can change it.")
    return batch


def show_shared(batch: Batch) -> None:
    """Show another owner's finished batch: its figures and its submission."""
    show(heading(batch))
    show(figures(batch))
    submissions(batch, st.container(horizontal=True))


def open_claim(batch: Batch, claim_id: str) -> None:
    """Open one claim of a batch as a case, which then stays in its owner's history."""
    case_id = case_of(batch, claim_id, app_state().cases)
    if case_id:
        st.switch_page("pages/verify/page.py", query_params={"case": case_id})
    remark("This claim failed, or an older version without cases processed it.")
    st.button("Back to the batch", icon=":material/arrow_back:", on_click=back_to_batch, key="batch-back")


def back_to_batch() -> None:
    del st.query_params["claim"]


def heading(batch: Batch) -> Html:
    asked = batch.asked
    within = f"at most {asked.within:g} s a claim" if asked.within else ""
    facts = (
        counted(len(asked.ids), "claim"),
        recipe_title(asked.recipe),
        parse_choice(asked.model).name,
        counted(asked.workers, "worker") if asked.workers else "Dask cluster",
        within,
        f"examples from {Path(asked.training).name}" if asked.training else "",
        f"searched in “{asked.collection}”" if asked.collection else "",
    )
    line = tag("p", *(tag("span", fact) for fact in facts if fact), css="vd-facts")
    return tag("header", tag("h2", batch.title, css="vd-heading"), line, css="vd")


@st.fragment(run_every=1.0)
@in_words
def show_live(batch: Batch) -> None:
    """Show a batch's progress every second; draw the whole page again at its end."""
    if not batch.running:
        st.rerun()
    troubles()
    status = batch.status
    if status and status.state is State.WAITING and (ahead := app_state().jobs.ahead(status)):
        remark(f"Waiting: {counted(ahead, 'batch', 'batches')} before this one.")
    outcomes = batch.progress()
    st.progress(len(outcomes) / max(1, len(batch.asked.ids)), text=progress_words(batch, outcomes))
    failed = sum(bool(one.error) for one in outcomes.values())
    if failed:
        quiet(f"{counted(failed, 'claim')} failed so far; they can be tried again at the end.")
    attempt_button("Cancel", batches().cancel, batch.job, icon="stop_circle", key="batch-cancel")
    show_outcomes(batch, outcomes)


def progress_words(batch: Batch, outcomes: Mapping[str, Outcome]) -> str:
    """Return the number of finished claims, their seconds, and the time left."""
    count = len(batch.asked.ids)
    if not outcomes:
        return f"0 of {counted(count, 'claim')}: loading the models"
    recent = list(batch.outcomes.values())[-RECENT:]
    seconds, workers = [one.seconds for one in recent], batch.asked.workers or len({one.worker for one in recent})
    left = (count - len(outcomes)) * statistics.mean(seconds) / workers
    each = f"{statistics.median(seconds):.1f} s a claim"
    return f"{len(outcomes)} of {counted(count, 'claim')}, {each}, {time_words(left)} left"


def show_stopped(batch: Batch, outcomes: Mapping[str, Outcome]) -> None:
    """Show an unfinished batch and offer to resume it."""
    if trouble := batch.trouble:
        notice(trouble)
    else:
        done = f"{len(outcomes)} of {counted(len(batch.asked.ids), 'claim')}"
        remark(f"Stopped after {done}. Finished claims are kept.")
    go_on = (batches().resume, batch.job)
    attempt_button("Go on", *go_on, type="primary", icon="play_arrow", key="batch-resume")


def show_done(batch: Batch, outcomes: Mapping[str, Outcome]) -> None:
    """Show the figures, the submission in each format, and the next steps."""
    show(figures(batch))
    row = st.container(horizontal=True)
    submissions(batch, row)
    if batch.asked.gold:
        attempt_button("Score this", score, batch, place=row, icon="leaderboard", key="batch-score")
    if run := st.session_state.pop("batch-scored", ""):
        st.switch_page("pages/score/page.py", query_params={"run": run})
    failed = [one for one in outcomes.values() if one.error]
    if failed:
        notice(
            f"{counted(len(failed), 'claim')} failed and {'is' if len(failed) == 1 else 'are'} not in the submission."
        )
        attempt_button(
            f"Try {counted(len(failed), 'failed claim')} again", retry, batch, icon="refresh", key="batch-retry"
        )


def submissions(batch: Batch, row: DeltaGenerator) -> None:
    for path in batch.files():
        with path.open("rb") as file:
            file_button(
                f"Submission ({path.suffix[1:].upper()})",
                file,
                path.name,
                mime=MIME[path.suffix],
                place=row,
                key=f"batch-submission{path.suffix}",
            )


def figures(batch: Batch) -> Html:
    """Return the end report, as pairs of name and value."""
    told = batch.figures or {}
    cost = told.get("cost", {})
    pairs = [
        ("Claims", f"{told.get('claims', 0):,}"),
        ("A claim took (median)", seconds_words(told.get("median_seconds"))),
        ("One in 20 took over", seconds_words(told.get("tail_seconds"))),
        ("Answers of the model", f"{cost.get('generations', 0):,}"),
        ("Tokens read", f"{cost.get('prompt_tokens', 0) - cost.get('reused_tokens', 0):,}"),
        ("Tokens written", f"{cost.get('completion_tokens', 0):,}"),
        ("Memory at most", f"{told['peak_bytes'] / 1e9:.1f} GB" if told.get("peak_bytes") else "not told"),
    ]
    cells = (tag("div", tag("dt", name, css="vd-quiet"), tag("dd", value, css="vd-strong")) for name, value in pairs)
    return tag("dl", join(cells), css="vd vd-card vd-figures")


def seconds_words(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds:.1f} s"


def retry(batch: Batch) -> None:
    batches().resume(batch.job, replace(batch.asked, retry_failures=True))


def delete(batch: Batch) -> None:
    attempt(batches().delete, batch.job)
    st.query_params.clear()


def score(batch: Batch) -> None:
    """Start scoring the submission against the claims' own annotations."""
    gold = read_gold(batch.folder / batch.asked.claims_name)
    submission = read_submission(batch.files()[0])
    job = ScoringJob(tuple(gold), (replace(submission, name=recipe_title(batch.asked.recipe)),), Opening(METRICS))
    st.session_state["batch-scored"] = start_once(app_state().runs, batch.job.owner, job)
