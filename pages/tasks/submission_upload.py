"""A team's upload: checked at once, and submitted by a second step while the limit allows."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.errors import VerideskError
from core.scoring.leaderboard_tables import problem_table
from core.storage.store import Store
from core.tasks.shared_task import CheckedSubmission, SharedTask
from core.tasks.submitting import MAX_BYTES, check_submission, left_today, submit, unanswered
from core.wording import counted
from pages.tasks.submission_list import show_submissions
from pages.tasks.task_times import phase_words
from pages.ui.app_state import app_state
from pages.ui.notices import notice, notices, quiet, remark
from pages.ui.tables import show_table
from pages.ui.uploads import read_once

SENT = "task-sent"
"""Session key of the ids of the files that were submitted."""
MAX_PROBLEMS = 50


def show_upload(store: Store, who: str, task: SharedTask) -> None:
    """Show the uploader, the file's faults, and the button that submits it."""
    phase, left = task.plan.phase_at(store.clock()), left_today(store, task.id, who)
    if phase is None:
        remark(f"No phase is open: {phase_words(task.plan, store.clock())}. You can still check a file.")
    sent: set[str] = st.session_state.setdefault(SENT, set())
    file = st.file_uploader(
        "Your system’s answers",
        max_upload_size=MAX_BYTES >> 20,
        key=f"task-file-{task.id}-{len(sent)}",  # a new uploader once its file was submitted
        help="JSON, JSON lines or the leaderboard's CSV, as on the page Score submissions. Leave out 'scraped_text'.",
    )
    quiet(f"{left} of {counted(task.plan.daily_limit, 'submission')} left today. A day begins at 00:00 UTC.")
    if file is None:
        if sent:
            show_submissions(store, who, task)
        return
    checked = read_once(file, partial(check_submission, store, task.id, who), key="task-checked")
    if checked is None:
        return
    show_check(checked, task)
    ready = checked.accepted and phase is not None and left > 0
    if ready and (missing := unanswered(checked, task)):
        notice(f"{missing} of {counted(task.claims, 'claim')} have no verdict; they will count as wrong.")
        ready = st.checkbox("Submit this file all the same", key=f"task-incomplete-{file.file_id}")
    if st.button("Submit", type="primary", icon=":material/send:", disabled=not ready, key="task-submit"):
        try:
            submit(store, task.id, who, file.name, checked, app_state().submissions.start)
        except VerideskError as error:
            notice(str(error))
        else:
            sent.add(file.file_id)  # not by way of the session, where a second click ends this run
            st.rerun()
    elif checked.accepted and left <= 0:
        quiet("Your team has used its limit of today: the file is fine, submit it tomorrow.")


def show_check(checked: CheckedSubmission, task: SharedTask) -> None:
    """Show the errors as sentences with their rows, and remarks in a table."""
    given = f"{counted(len(checked.submission.predictions), 'prediction')} for {counted(task.claims, 'claim')}"
    if not checked.accepted:
        notices([f"This file cannot be scored: {given}. Nothing is counted.", *checked.errors[:MAX_PROBLEMS]])
        return
    if not checked.problems:
        quiet(f"Read: {given}. Nothing to remark.")
        return
    with st.expander(f"Read: {given}. {counted(len(checked.problems), 'remark')}."):
        show_table(problem_table((checked.submission.name, one) for one in checked.problems), rows=MAX_PROBLEMS)
