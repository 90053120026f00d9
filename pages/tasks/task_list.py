"""The tasks that somebody may see: all of them for an organiser, their own for a team's member."""

from __future__ import annotations

import streamlit as st

from core.averitec.averitec import parse_gold
from core.files import ASSETS
from core.storage.store import Store
from core.tasks.shared_task import DAY, TaskLine, TaskPhase, TaskPlan
from core.tasks.submitting import check_submission, submit
from core.tasks.task_store import all_tasks, create_task
from core.tasks.teams import invite_team, task_teams_of
from core.wording import counted
from pages.tasks.task_times import phase_words
from pages.ui.app_state import app_state
from pages.ui.make_once import make_once
from pages.ui.markup import Html, join, show, tag
from pages.ui.notices import remark

EXAMPLE = ASSETS / "scoring"


def show_list(store: Store, who: str, *, organises: bool) -> None:
    """Show one line per task; without a task, show how to begin."""
    if organises:
        st.caption("Teams submit their systems' answers to the same claims. You set dates, limits and scores.")
        with st.container(horizontal=True):
            if st.button("New task", type="primary", icon=":material/add:", key="task-new"):
                st.query_params["new"] = "1"
                st.rerun()
            if st.button("Try an example", help="Six made-up claims and two made-up teams.", key="task-example"):
                st.query_params["task"] = make_once("example task", who, lambda: create_example(store, who))
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


def create_example(store: Store, who: str) -> str:
    """Create the example task with a submission of each team, and return its id."""
    now = store.clock()
    plan = TaskPlan("Example: six made-up claims, two teams", (TaskPhase("Test", now, now + 7 * DAY, now + 7 * DAY),))
    task = create_task(store, who, plan, parse_gold("gold.json", (EXAMPLE / "gold.json").read_bytes()))
    for name in ("careful", "hasty"):
        invite_team(store, task, who, name.capitalize(), days=7)
        checked = check_submission(store, task, who, f"{name}.json", (EXAMPLE / f"{name}.json").read_bytes())
        team = task_teams_of(store, task, who)[-1].id
        submit(store, task, who, f"{name}.json", checked, team=team)
    app_state().queue.news.set()
    return task


def task_line(line: TaskLine, now: float) -> Html:
    facts = (phase_words(line.plan, now), counted(line.teams, "team"), counted(line.claims, "claim"))
    return tag(
        "div",
        tag("h2", line.plan.name, css="vd-strong vd-text vd-campaign-title"),
        tag("p", join(tag("span", fact) for fact in facts), css="vd-facts"),
        css="vd",
    )
