"""The leaderboard of a phase, once it may be seen."""

from __future__ import annotations

import streamlit as st

from core.storage.store import Store
from core.tabular.table import Table
from core.tasks.shared_task import SharedTask
from core.tasks.task_board import board_is_open, board_submissions, task_board
from pages.tasks.task_times import in_words
from pages.ui.app_state import app_state
from pages.ui.markup import join, show, tag
from pages.ui.notices import remark
from pages.ui.tables import show_table


def show_leaderboard(store: Store, who: str, task: SharedTask) -> None:
    """Show one phase's leaderboard; to teams its date before it opens."""
    now, plan = store.clock(), task.plan
    if not board_is_open(task, now):
        remark(f"The leaderboard opens on {in_words(plan.opens)}.")
        return
    if now < plan.opens:
        remark(f"Only organisers see this yet. Teams see it from {in_words(plan.opens)} on.")
    phase = plan.latest_phase(now).name
    if len(plan.phases) > 1:
        names = [one.name for one in plan.phases]
        phase = st.selectbox("Phase", names, index=names.index(phase), key=f"task-phase-{task.id}")
    table = kept_board(store, who, task, phase)
    show_table(table)
    show_meanings(table)


def kept_board(store: Store, who: str, task: SharedTask, phase: str) -> Table:
    """Return a leaderboard, computed once a session for the same submissions. Raises Denied as `board_submissions`."""
    finals, unscored = board_submissions(store, app_state().jobs, task.id, who, phase)
    made_of = (task.id, phase, tuple((one.id, one.team.name) for one in finals), unscored)
    kept: tuple[object, Table] | None = st.session_state.get("task-board")
    if kept is None or kept[0] != made_of:
        kept = (made_of, task_board(task.plan, phase, finals, unscored, app_state().jobs))
        st.session_state["task-board"] = kept
    return kept[1]


def show_meanings(table: Table) -> None:
    """Show the meaning of each column, folded away, for readers who cannot point at a heading."""
    helped = [column for column in table.columns if column.help and not column.files_only]
    if helped:
        terms = join(part for column in helped for part in (tag("dt", column.heading), tag("dd", column.help)))
        with st.expander("Meaning of the columns", icon=":material/help:"):
            show(tag("div", tag("dl", terms, css="vd-terms"), css="vd"))
