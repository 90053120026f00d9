"""A team's upload: checked at once, and submitted by a second step while the limits allow."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.errors import VerideskError
from core.scoring.leaderboard_tables import problem_table
from core.storage.store import Store
from core.tasks.shared_task import CheckedSubmission, SharedTask, TaskPhase
from core.tasks.submitting import MAX_BYTES, Left, check_submission, left, submit, unanswered
from core.wording import counted
from pages.tasks.judge_view import show_estimate_of_file
from pages.tasks.sign_up_page import ask_for_consent
from pages.tasks.submission_list import show_submissions
from pages.tasks.task_times import in_words, phase_words
from pages.ui.app_state import app_state
from pages.ui.notices import notice, notices, quiet, remark
from pages.ui.tables import show_table
from pages.ui.uploads import read_once

SENT = "task-sent"
"""Session key of the ids of the files that were submitted."""
MAX_PROBLEMS = 50


def show_upload(store: Store, who: str, task: SharedTask) -> None:
    """Show the uploader, the file's faults, and the button that submits it."""
    now, plan = store.clock(), task.plan
    if plan.terms and task.team and task.team.terms != plan.terms:
        ask_for_consent(store, who, task.id, plan)
        return
    phase = choose_phase(task, now)
    is_open, remaining = phase.takes(now), left(store, task.id, who, phase.id)
    if not is_open:
        remark(f"No phase is open: {phase_words(plan, now)}. You can still check a file for {phase.name}.")
    elif now >= phase.end:
        remark(f"{phase.name} has ended. Until {in_words(phase.closes)} submissions are late and have no rank.")
    sent: set[str] = st.session_state.setdefault(SENT, set())
    file = st.file_uploader(
        "Your system’s answers",
        max_upload_size=MAX_BYTES >> 20,
        key=f"task-file-{task.id}-{len(sent)}",  # a new uploader once its file was submitted
        help="JSON, JSON lines or the leaderboard's CSV, as on the page Score submissions. Leave out 'scraped_text'.",
    )
    quiet(left_words(phase, remaining))
    if file is None:
        if sent:
            show_submissions(store, who, task)
        return
    check = partial(check_submission, store, task.id, who, phase=phase.id)
    checked = read_once(file, check, key=f"task-checked-{phase.id}")
    if checked is None:
        return
    show_check(checked, task)
    show_estimate_of_file(store, task, checked)
    ready = checked.accepted and is_open and remaining.count > 0
    if ready and (missing := unanswered(checked, task)):
        claims = counted(task.claims[phase.id], "claim")
        notice(f"{missing} of {claims} have no verdict; they will count as wrong.")
        ready = st.checkbox("Submit this file all the same", key=f"task-incomplete-{file.file_id}")
    if st.button("Submit", type="primary", icon=":material/send:", disabled=not ready, key="task-submit"):
        try:
            submit(store, task.id, who, file.name, checked)
        except VerideskError as error:
            notice(str(error))
        else:
            app_state().queue.news.set()
            sent.add(file.file_id)  # not by way of the session, where a second click ends this run
            st.rerun()
    elif checked.accepted and is_open and remaining.count <= 0:
        in_all = remaining.total is not None and remaining.total <= 0
        quiet("Your team has used its limit" + ("." if in_all else " of today: the file is fine, submit it tomorrow."))


def choose_phase(task: SharedTask, now: float) -> TaskPhase:
    """Return the phase that takes submissions; where several do, the one that the team chooses."""
    taking = task.plan.taking(now)
    if len(taking) < 2:
        return next(iter(taking), task.plan.latest_phase(now))
    names = [phase.name for phase in taking]
    return task.plan.phase(st.selectbox("Submit to the phase", names, key=f"task-phase-{task.id}"))


def left_words(phase: TaskPhase, remaining: Left) -> str:
    today = f"{max(0, remaining.count)} of {counted(phase.daily, 'submission')} to {phase.name} left today"
    in_all = "" if remaining.total is None else f", {max(0, remaining.total)} of {phase.total} in all"
    return f"{today}{in_all}. A day begins at 00:00 UTC."


def show_check(checked: CheckedSubmission, task: SharedTask) -> None:
    """Show the errors as sentences with their rows, and remarks in a table."""
    claims = counted(task.claims[checked.phase], "claim")
    given = f"{counted(len(checked.submission.predictions), 'prediction')} for {claims}"
    if not checked.accepted:
        notices([f"This file cannot be scored: {given}. Nothing is counted.", *checked.errors[:MAX_PROBLEMS]])
        return
    if not checked.problems:
        quiet(f"Read: {given}. Nothing to remark.")
        return
    with st.expander(f"Read: {given}. {counted(len(checked.problems), 'remark')}."):
        show_table(problem_table((checked.submission.name, one) for one in checked.problems), rows=MAX_PROBLEMS)
