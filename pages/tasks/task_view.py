"""One task: its dates, and a tab for each thing that its reader does there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from core.storage.store import Store
from core.tasks.shared_task import SharedTask
from pages.tasks.leaderboard_view import show_leaderboard
from pages.tasks.phase_form import show_phases
from pages.tasks.submission_list import show_submissions
from pages.tasks.submission_upload import show_upload
from pages.tasks.task_form import show_texts
from pages.tasks.task_times import timetable
from pages.tasks.team_list import show_teams
from pages.ui.markup import show, tag


def show_task(store: Store, who: str, task: SharedTask) -> None:
    """Show a task as its organiser or as a team sees it."""
    team = f"Your team: {task.team.name}{' (baseline)' if task.team.baseline else ''}" if task.team else ""
    show(
        tag(
            "header",
            tag("h1", task.plan.name, css="vd-claim"),
            tag("p", team, css="vd-facts") if team else "",
            tag("p", task.plan.description, css="vd-text", style="margin-top: 0.75rem")
            if task.plan.description
            else "",
            css="vd",
        )
    )
    show(timetable(task.plan, store.clock(), task.claims))
    parts: dict[str, Callable[[], None]] = {}
    if task.team:
        parts["Submit"] = partial(show_upload, store, who, task)
    if task.organises:
        parts["Teams"] = partial(show_teams, store, who, task)
    parts["Submissions"] = partial(show_submissions, store, who, task)
    parts["Leaderboard"] = partial(show_leaderboard, store, who, task)
    if task.organises:
        parts["Phases"] = partial(show_phases, store, who, task)
        parts["Texts"] = partial(show_texts, store, who, task)
    tabs = st.tabs(list(parts), on_change="rerun", key=f"task-tab-{task.id}")
    for tab, draw in zip(tabs, parts.values(), strict=True):
        if tab.open:
            with tab:
                draw()
