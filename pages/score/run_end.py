"""Show a scoring run without scores, and fetch language data that it lacked."""

from __future__ import annotations

import streamlit as st

from core.jobs.types import State, Status
from pages.ui.app_state import app_state
from pages.ui.notices import attempt, notice, remark


def show_end(run: Status) -> None:
    """Show a run without scores, and resume it if the reader wants."""
    if run.state is State.FAILED:
        notice(run.error)
    elif run.state is State.INTERRUPTED:
        remark("The server stopped while it worked on this run. Judgements that were made are kept.")
    else:
        remark("This run was cancelled. Judgements that were made are kept.")
    st.button(
        "Go on", type="primary", icon=":material/play_arrow:", on_click=attempt, args=(app_state().runs.resume, run)
    )


def fetch_words() -> None:
    """Fetch Punkt and WordNet over the network, because the user asked for it; report the files that failed."""
    from core.scoring.metrics.words import fetch_language_data

    with st.spinner("Fetching Punkt and WordNet (11 MB) …"):
        absent = fetch_language_data()
    if absent:
        notice(f"{' and '.join(absent)} could not be fetched: is this computer connected to the internet?")
    else:
        remark("They are here now: score again to use them.")
