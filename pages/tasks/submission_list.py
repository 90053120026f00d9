"""Submissions of a team, or of all teams for an organiser: state, progress, scores, and which one is final."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.jobs.types import State, Status
from core.scoring.leaderboard import SystemReport, metric_faults
from core.storage.store import Store
from core.tasks.scores import reports_of
from core.tasks.shared_task import SharedTask, TeamSubmission
from core.tasks.submitting import choose_final, may_choose, submissions_of
from core.tasks.task_board import submissions_table
from core.wording import counted
from pages.tasks.judge_view import show_spent
from pages.tasks.task_times import in_words
from pages.ui import notices
from pages.ui.app_state import app_state
from pages.ui.markup import Html, show, tag
from pages.ui.notices import attempt, quiet, remark
from pages.ui.owner import visitor
from pages.ui.tables import show_table

STATES = {
    State.WAITING: "Waiting",
    State.RUNNING: "At work",
    State.DONE: "Scored",
    State.FAILED: "Not scored",
    State.CANCELLED: "Cancelled",
    State.INTERRUPTED: "Interrupted",
}
MAX_LINES = 50
"""The most submissions with a line of their own; the table has all."""


def show_submissions(store: Store, who: str, task: SharedTask) -> None:
    """Show the submissions that somebody may see, and refresh them each second while one is at work."""
    found = submissions_of(store, app_state().jobs, task.id, who)
    if not found:
        remark("Nothing is submitted yet.")
        return
    if any(map(at_work, found)):
        show_live(store, who, task, sum(map(at_work, found)))
    else:
        show_lines(store, task, found)
    now = store.clock()
    shown = [one for one in found if task.shows_scores(one.phase, now)]
    for phase in task.plan.phases:
        if not task.shows_scores(phase.id, now) and any(one.phase == phase.id for one in found):
            quiet(f"Scores of {phase.name} are shown when its leaderboard opens, {in_words(phase.opens)}.")
    scored = reports(store, shown)
    if task.organises and (faults := metric_faults(scored.values())):
        notices.notices(faults)
    show_table(submissions_table(task.plan, found, scored, organiser=task.organises))
    show_spent(task, found)


@st.fragment(run_every=1.0)
@notices.in_words
def show_live(store: Store, who: str, task: SharedTask, before: int) -> None:
    """Show the submissions; the whole page is drawn again once another number of them is at work than before."""
    found = submissions_of(store, app_state().jobs, task.id, who)
    if sum(map(at_work, found)) != before:
        st.rerun()
    notices.troubles()
    show_lines(store, task, found)


def at_work(one: TeamSubmission) -> bool:
    return one.status is not None and one.status.state.live


def show_lines(store: Store, task: SharedTask, found: Sequence[TeamSubmission]) -> None:
    """Show a line for each submission; to an organiser only for those without a finished scoring."""
    quiet("The final submission of a phase is the last one that is scored, until the team chooses another.")
    lines = [one for one in found if not (task.organises and one.status and one.status.state is State.DONE)]
    for one in lines[:MAX_LINES]:
        with st.container(border=True, gap="xsmall", key=f"task-submission-{one.id}"):
            show_line(store, task, one)
    if len(lines) > MAX_LINES:
        quiet(f"The first {MAX_LINES} of {len(lines)}; the table below has all.")


def show_line(store: Store, task: SharedTask, one: TeamSubmission) -> None:
    phase = task.plan.phase(one.phase)
    score = one.score if task.shows_scores(phase.id, store.clock()) else None
    facts = (
        one.team.name if task.organises else "",
        phase.name,
        in_words(one.received),
        counted(one.claims, "claim"),
        state_words(one),
        f"{score:.4f}" if score is not None else "",
    )
    final = tag("span", "Final" if one.final else "Late", css="vd-tag") if one.final or one.late else ""
    line = tag("p", tag("span", one.file, css="vd-strong vd-text"), final, *spans(facts), css="vd-facts")
    trouble = tag("p", one.status.error, css="vd-quiet vd-text") if one.status and one.status.error else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        show(tag("div", line, trouble, css="vd"))
        if one.status:
            actions(store, task, one, one.status)


def state_words(one: TeamSubmission) -> str:
    """Return the state of a submission for a person."""
    if one.status is None:
        return "Lost: the server stopped before the scoring"
    if one.status.state is State.DONE and not one.scored:
        return "Scored by an earlier gold file"
    return STATES[one.status.state]


def spans(facts: Sequence[str]) -> list[Html]:
    return [tag("span", fact) for fact in facts if fact]


def actions(store: Store, task: SharedTask, one: TeamSubmission, status: Status) -> None:
    """Show the progress of a submission at work, and its buttons."""
    runs, mine = app_state().submissions, task.team is not None and task.team.id == one.team.id
    phase = task.plan.phase(one.phase)
    if status.state.live:
        told = status.progress or {}
        if total := told.get("total"):
            st.progress(min(told["done"] / total, 1.0), text=f"{told['done']} of {total} claims")
        st.button("Cancel", key=f"task-cancel-{one.id}", type="tertiary", on_click=attempt, args=(runs.cancel, status))
    elif status.state is not State.DONE:
        again = (runs.resume, status)
        st.button("Score again", key=f"task-again-{one.id}", type="tertiary", on_click=attempt, args=again)
    elif mine and one.scored and not (one.final or one.late) and may_choose(phase, store.clock()):
        choice = (choose_final, store, app_state().jobs, task.id, visitor(), one.id)
        st.button("Make it final", key=f"task-final-{one.id}", type="tertiary", on_click=attempt, args=choice)


def reports(store: Store, found: Sequence[TeamSubmission]) -> dict[str, SystemReport]:
    """Return the scores by submission. A session reads each report once for the same gold file."""
    kept: dict[tuple[str, str, float | None], SystemReport] = st.session_state.setdefault("task-reports", {})
    scored = {one.id: (one.id, one.gold, one.score) for one in found if one.scored}
    read = reports_of(store, [one for one, key in scored.items() if key not in kept])
    kept |= {scored[one]: report for one, report in read.items()}
    return {one: kept[key] for one, key in scored.items()}
