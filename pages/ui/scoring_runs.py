"""Show the progress of a scoring run, and open its result once."""

from __future__ import annotations

import streamlit as st

from core.jobs.action_job import ActionRun
from core.jobs.types import State, Status
from core.scoring.leaderboard import SystemReport
from core.scoring.progress import seconds_left
from core.scoring.score_job import Run
from core.scoring.work import Scored, StressJob
from core.wording import counted, time_words
from pages.ui.app_state import app_state
from pages.ui.markup import plain
from pages.ui.notices import attempt_button, in_words, remark, troubles


def opened(status: Status) -> Run:
    """Return a run with its result, read once for a session and not on every rerun."""
    kept = st.session_state.get("score-run")
    if isinstance(kept, ActionRun) and (kept.status.id, kept.status.started) == (status.id, status.started):
        return kept
    found = app_state().runs.find(status.id, status.owner)
    assert found is not None  # its status has just been read
    st.session_state["score-run"] = found
    return found


def reports_of(run: Run) -> tuple[SystemReport, ...]:
    """Return the systems' reports; none if the run has not scored any."""
    return run.result.reports if isinstance(run.result, Scored) else ()


@st.fragment(run_every=1.0)
@in_words
def show_live(run_id: str, who: str) -> None:
    """Show how far a run is; the whole page is drawn again once it has ended."""
    at = app_state()
    run = at.runs.status(run_id, who)
    if run is None or not run.state.live:
        st.rerun()
    troubles()
    if run.state is State.WAITING:
        remark(f"Waiting: {counted(at.jobs.ahead(run), 'scoring run')} before this one.")
    else:
        told = run.progress or {}
        share = told["done"] / told["total"] if told.get("total") else 0.0
        st.progress(min(share, 1.0), text=progress_words(run))
    attempt_button("Cancel", at.runs.cancel, run, icon="stop_circle", key="run-cancel")


def progress_words(run: Status) -> str:
    """Return which part of how many is at work and how many of its claims are done."""
    if not run.progress:
        return "Loading the scores' models"
    parts, doing, total = run.facts["parts"], run.progress["doing"], run.progress["total"]
    part, what = ("Metric", "changed claims") if run.facts["kind"] == StressJob.__name__ else ("System", "claims")
    place = f"{part} {parts.index(doing) + 1} of {len(parts)}: {plain(doing)}"
    if not total:
        return place
    done, seconds = run.progress["done"], run.progress.get("seconds", 0.0)
    left = seconds_left(seconds, done, total, more=len(parts) - 1 - parts.index(doing))
    words = f"{place}, {done} of {total} {what}"
    return words if left is None else f"{words}, {time_words(left)} left"
