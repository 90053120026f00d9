"""List, name, share, compare and delete kept runs."""

from __future__ import annotations

import streamlit as st

from core.jobs.types import State, Status
from core.scoring.run_comparison import run_comparison
from core.scoring.score_job import MAX_KEPT, Run
from core.scoring.work import StressJob
from core.wording import counted
from pages.ui.app_state import app_state
from pages.ui.cases import STATES, when
from pages.ui.comparing import compare_button, offer_comparison
from pages.ui.kept import link_leads_nowhere, shared_job
from pages.ui.markup import plain, show, tag
from pages.ui.notices import attempt_button, quiet, remark
from pages.ui.tables import show_table

CHOSEN = "run-compare"


def show_earlier(who: str) -> None:
    """List the reader's runs, newest first."""
    runs = app_state().runs.search(who).entries
    if not runs:
        return
    show(tag("div", tag("h2", "Your scoring runs", css="vd-heading"), css="vd"))
    quiet(f"A named run stays until you delete it; of the others the newest {MAX_KEPT} are kept.")
    offer_comparison(one="run", key=CHOSEN)
    for run in runs:
        show_line(run)


def show_line(run: Status) -> None:
    kind = "Stress test" if run.facts["kind"] == StressJob.__name__ else counted(len(run.facts["parts"]), "system")
    words = (tag("span", run.title, css="vd-strong vd-text"), *(tag("span", one) for one in (kind, when(run))))
    with st.container(border=True, gap="xsmall", key=f"run-{run.id}"):
        show(tag("div", tag("p", *words, tag("span", STATES.get(run.state, "Done")), css="vd-facts"), css="vd"))
        with st.container(horizontal=True, gap="medium"):
            st.button("Open", key=f"run-open-{run.id}", type="tertiary", on_click=open_run, args=(run.id,))
            if run.state is State.DONE:
                compare_button(run.id, key=CHOSEN)
            if st.button("Delete", key=f"run-delete-{run.id}", type="tertiary"):
                confirm_deletion(run)


def open_run(run_id: str) -> None:
    st.query_params["run"] = run_id


@st.dialog("Delete this run?")
def confirm_deletion(run: Status) -> None:
    st.write(f"{plain(run.title)}: its scores, items and links are deleted. This cannot be undone.")
    if attempt_button("Delete it", remove, run, type="primary", icon="delete", key="run-delete"):
        st.rerun()


def remove(run: Status) -> None:
    app_state().runs.delete(run)
    st.session_state[CHOSEN] = [one for one in st.session_state.get(CHOSEN, []) if one != run.id]


def shared_run(token: str) -> Run | None:
    """Return the finished run behind a link, or show that there is none."""
    run = shared_job(app_state().runs, token)
    if run is None or run.state is not State.DONE:
        link_leads_nowhere("run")
        return None
    remark(f"An organiser shares the run “{plain(run.status.title)}” with you. Only they can change it.")
    return run


def show_two(who: str, left: str, right: str) -> None:
    """Show two of the reader's runs side by side."""
    st.button("Back to all runs", icon=":material/arrow_back:", on_click=st.query_params.clear, key="run-back")
    runs = [app_state().runs.find(run, who) for run in (left, right)]
    first, second = (run.result if run else None for run in runs)
    if first is None or second is None:
        remark("One of the two runs was deleted.")
        return
    if type(first) is not type(second):
        remark("A stress test cannot be compared with scores of systems: choose two runs of one kind.")
        return
    for place, run in zip(("First", "Second"), runs, strict=True):
        quiet(f"{place}: {plain(run.status.title)}, {when(run.status)}." if run else "")
    show_table(run_comparison(first, second))
