"""Replace the gold file of a phase: the form, the scoring in the background, and the files so far."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.errors import VerideskError
from core.jobs.types import State, Status
from core.storage.store import Store
from core.tasks.rescore_job import replace_gold
from core.tasks.rescoring import NewGold, Replacement
from core.tasks.shared_task import SharedTask, TaskPhase
from core.tasks.task_actions import replacement_words
from core.tasks.task_requests import ReplaceGold
from core.wording import counted
from pages.tasks.judge_view import show_estimate_of_phase
from pages.tasks.task_times import in_words
from pages.ui import notices
from pages.ui.action_form import ActionForm
from pages.ui.app_state import app_state
from pages.ui.markup import show, tag
from pages.ui.notices import attempt, notice, quiet, remark

HOW = (
    "A new file scores the final submissions again in the background, or all of them while teams may still choose. "
    "The board changes at once after the last one, with a notice. The old board stays readable."
)


def show_replacement(store: Store, who: str, task: SharedTask, phase: TaskPhase, files: Sequence[Replacement]) -> None:
    """Show the files of a phase, a scoring at work, and the form of a new file."""
    for one in files:
        if one.since is not None and one.number > 1:
            quiet(f"{in_words(one.since)}: {one.file}. {replacement_words(one)}")
    pending = next((one for one in files if one.since is None), None)
    status = app_state().rescorings.status(pending.job, task.id) if pending and pending.job else None
    if status and status.state.live:
        show_live(task, phase, status)
        return
    if status and pending:
        show_ended(pending, status)
    quiet(HOW)
    show_estimate_of_phase(store, task, phase)
    form = ActionForm(ReplaceGold, f"task-gold-{phase.id}-{len(files)}")
    gold = form.draw("gold")
    form.draw("reason", area=True)
    form.draw("other_claims")
    if gold:
        quiet(f"{counted(len(gold.claims), 'claim')} read.")
    pressed = st.button("Score again", icon=":material/sync:", disabled=not gold, key=f"task-gold-{phase.id}-start")
    request = form.request(task=task.id, phase=phase.id)
    if pressed and request:
        new = NewGold(request.gold.file, request.gold.claims, request.reason)
        other = request.other_claims
        try:
            begun = form.attempt(lambda: replace_gold(store, task.id, who, phase.id, new, other_claims=other))
        except VerideskError as error:
            notice(str(error))
        else:
            if begun:
                app_state().queue.news.set()
                st.rerun()


@st.fragment(run_every=1.0)
@notices.in_words
def show_live(task: SharedTask, phase: TaskPhase, status: Status) -> None:
    """Show the progress of a scoring; the whole page is drawn again at its end."""
    runs = app_state().rescorings
    now = runs.status(status.id, task.id)
    if now is None or not now.state.live:
        st.rerun()
        return
    notices.troubles()
    told = now.progress or {}
    done, total = told.get("done", 0), told.get("total", 0)
    words = f"{done} of {counted(total, 'claim')} of all submissions" if total else "The scoring begins"
    st.progress(min(done / total, 1.0) if total else 0.0, text=words)
    st.button("Cancel", key=f"task-gold-{phase.id}-cancel", type="tertiary", on_click=attempt, args=(runs.cancel, now))


def show_ended(pending: Replacement, status: Status) -> None:
    """Show a scoring that did not reach its end, with a way to go on."""
    if status.state is State.DONE:
        return
    remark(f"{pending.file} is not in force. Its scoring was stopped, and the scores so far are kept.")
    if status.error:
        show(tag("p", status.error, css="vd vd-quiet vd-text"))
    again = (app_state().rescorings.resume, status)
    st.button("Go on", key=f"task-gold-{pending.id}-resume", type="tertiary", on_click=attempt, args=again)
