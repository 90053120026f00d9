"""Scoring runs on the page: started, watched, cancelled, taken up again."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.scoring.jobs import StressJob
from core.scoring.runs import Run, Runs
from pages.ui.markup import plain
from pages.ui.notices import notice, remark


@st.cache_resource(show_spinner=False, max_entries=1, on_release=Runs.close)
def runs() -> Runs:
    """Return the scoring runs of this server."""
    return Runs()


@st.fragment(run_every=1.0)
def show_live(run: Run) -> None:
    """Show how far a run is; the whole page is drawn anew once it has ended."""
    if run.ended:
        st.rerun()
    if run.state == "waiting":
        remark("Waiting: another scoring run comes first.")
    else:
        share = run.done / run.total if run.total else 0.0
        st.progress(min(share, 1.0), text=progress_words(run))
    if st.button("Cancel", icon=":material/stop_circle:"):
        runs().cancel(run.id, run.owner)


def progress_words(run: Run) -> str:
    """Return which part of how many is at work and how many of its claims are done."""
    parts = run.job.parts
    if run.doing not in parts:
        return "Loading what the scores need"
    part = "Metric" if isinstance(run.job, StressJob) else "System"
    what = "changed claims" if isinstance(run.job, StressJob) else "claims"
    place = f"{part} {parts.index(run.doing) + 1} of {len(parts)}: {plain(run.doing)}"
    return f"{place}, {run.done} of {run.total} {what}" if run.total else place


def show_end(run: Run) -> None:
    """Show a run that came to no scores, and take it up again if the reader wants."""
    if run.state == "failed":
        notice(run.message)
    else:
        remark("This run was cancelled. Judgements that were made are kept.")
    if st.button("Go on", type="primary", icon=":material/play_arrow:", help="Judgements that were made are kept."):
        st.query_params["run"] = runs().start(run.owner, run.job)
        st.rerun()


def again(run: Run) -> None:
    """Start the run once more: what was judged is kept, and only failed judgements are asked again."""
    job = replace(run.job, opening=run.job.opening.again())
    st.query_params["run"] = runs().start(run.owner, job)


def fetch_words() -> None:
    """Fetch Punkt and WordNet over the network, because the user asked for it; say what did not come."""
    from core.scoring.words import fetch_language_data

    with st.spinner("Fetching Punkt and WordNet (11 MB) …"):
        absent = fetch_language_data()
    if absent:
        notice(f"{' and '.join(absent)} could not be fetched: is this computer connected to the internet?")
    else:
        remark("They are here now: score again to use them.")
