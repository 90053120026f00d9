"""The tasks that somebody may see: all of them for an organiser, their own for a team's member."""

from __future__ import annotations

import streamlit as st

from core.storage.store import Store
from core.tasks.shared_task import TaskLine
from core.tasks.task_store import all_tasks
from core.wording import counted
from pages.tasks.task_times import phase_words
from pages.ui.markup import Html, join, show, tag
from pages.ui.notices import remark


def show_list(store: Store, who: str, *, organises: bool) -> None:
    """Show a line a task; where there is none, how to begin."""
    if organises:
        st.caption("Teams submit their systems' answers to the same claims. You set dates, limits and scores.")
        if st.button("New task", type="primary", icon=":material/add:", key="task-new"):
            st.query_params["new"] = "1"
            st.rerun()
    lines = all_tasks(store, who)
    if not lines and organises:
        remark("No task yet. A task needs a gold file, which stays on the server, and at least one phase.")
    elif not lines:
        remark("You are in no task here. Open the link that the organiser of a task sent to your team.")
    for line in lines:
        with st.container(border=True, gap="xsmall", key=f"task-line-{line.id}"):
            show(task_line(line, store.clock()))
            if st.button("Open", key=f"task-open-{line.id}", type="tertiary", icon=":material/open_in_full:"):
                st.query_params["task"] = line.id
                st.rerun()


def task_line(line: TaskLine, now: float) -> Html:
    facts = (phase_words(line.plan, now), counted(line.teams, "team"), counted(line.claims, "claim"))
    return tag(
        "div",
        tag("h2", line.plan.name, css="vd-strong vd-text vd-campaign-title"),
        tag("p", join(tag("span", fact) for fact in facts), css="vd-facts"),
        css="vd",
    )
