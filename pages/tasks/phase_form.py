"""The phases of a task for its organiser: dates, limits and gold of each, and new ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.errors import VerideskError
from core.storage.store import Store
from core.tasks.moments import written_moment
from core.tasks.rescoring import replacements
from core.tasks.shared_task import MAX_PHASES, SharedTask, TaskPhase
from core.tasks.task_actions import save_phase
from core.tasks.task_requests import SetPhase
from core.tasks.task_store import remove_phase
from core.wording import counted
from pages.tasks.rescoring_view import show_replacement
from pages.tasks.task_times import readers_zone
from pages.ui.action_form import ActionForm
from pages.ui.notices import attempt, notice, quiet, remark

DATES = ("start", "end", "opens", "late")


def date_fields(form: ActionForm[Any]) -> None:
    """Draw the dates and limits of a phase."""
    quiet(f"Write times as 2026-11-20 23:59:59 +01:00. Your time zone is {readers_zone()}; AoE is anywhere on Earth.")
    for row in (("start", "end"), ("opens", "late"), ("daily", "total")):
        for name, column in zip(row, st.columns(2), strict=True):
            form.draw(name, column)
    form.draw("show_scores")


def show_phases(store: Store, who: str, task: SharedTask) -> None:
    """Show each phase with its form, its gold file and its replacement, and the form of a new phase."""
    if st.session_state.pop(f"phase-saved-{task.id}", False):
        remark("Saved.")
    for phase in task.plan.phases:
        with st.container(border=True, key=f"task-phase-{phase.id}"):
            show_phase(store, who, task, phase)
    if len(task.plan.phases) < MAX_PHASES:
        with st.expander("Add a phase", icon=":material/add:", key=f"task-phase-new-{task.id}"):
            show_new_phase(store, who, task)


def show_phase(store: Store, who: str, task: SharedTask, phase: TaskPhase) -> None:
    key = f"task-phase-{phase.id}"
    written = {name: written_moment(at, readers_zone()) for name in DATES if (at := getattr(phase, name)) is not None}
    form = ActionForm(
        SetPhase,
        key,
        **written,
        rename=phase.name,
        daily=phase.daily,
        total=phase.total,
        show_scores=phase.shows_scores,
    )
    form.draw("rename")
    date_fields(form)
    request = form.request(task=task.id, phase=phase.name)
    row = st.container(horizontal=True)
    if row.button("Save", type="primary", icon=":material/save:", key=f"{key}-save") and request:
        done(form, task, lambda: save_phase(store, task.id, who, request.as_phase(request.rename, phase.id), request))
    if len(task.plan.phases) > 1:
        gone = (remove_phase, store, task.id, who, phase.id)
        row.button("Remove the phase", key=f"{key}-remove", type="tertiary", on_click=attempt, args=gone)
    files = replacements(store, task.id, phase.id)
    now = next(one for one in reversed(files) if one.since is not None)
    with st.expander(f"Gold annotations: {now.file}, {counted(now.claims, 'claim')}", key=f"{key}-gold"):
        show_replacement(store, who, task, phase, files)


def show_new_phase(store: Store, who: str, task: SharedTask) -> None:
    last = max(task.plan.phases, key=lambda phase: phase.end)
    dates = {"start": last.end, "end": last.end + 7 * 86_400, "opens": last.end + 7 * 86_400}
    written = {name: written_moment(at, readers_zone()) for name, at in dates.items()}
    form = ActionForm(SetPhase, f"task-phase-new-{task.id}-{len(task.plan.phases)}", **written)
    form.draw("phase")
    form.draw("gold")
    date_fields(form)
    request = form.request(task=task.id)
    if st.button("Add the phase", type="primary", icon=":material/add:", key="task-phase-add") and request:
        done(form, task, lambda: save_phase(store, task.id, who, request.as_phase(request.phase), request))


def done(form: ActionForm[SetPhase], task: SharedTask, save: Callable[[], str]) -> None:
    """Save a phase; an error is shown beside its field, or below the form."""
    try:
        saved = form.attempt(save)
    except VerideskError as error:
        notice(str(error))
        return
    if saved:
        st.session_state[f"phase-saved-{task.id}"] = True
        st.rerun()
