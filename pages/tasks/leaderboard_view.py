"""The leaderboard of a phase, the changes of its gold file, and the boards before them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.storage.store import Store
from core.tabular.table import Table
from core.tasks.rescoring import Replacement
from core.tasks.shared_task import SharedTask, TaskPhase
from core.tasks.task_actions import replacement_words
from core.tasks.task_board import board_rows, task_board
from pages.tasks.task_times import in_words
from pages.ui.app_state import app_state
from pages.ui.markup import join, show, tag
from pages.ui.notices import remark
from pages.ui.tables import show_table


def show_leaderboard(store: Store, who: str, task: SharedTask) -> None:
    """Show one phase's leaderboard; to teams its date before it opens."""
    now, plan = store.clock(), task.plan
    phase, (left, right) = plan.latest_phase(now), st.columns(2)
    if len(plan.phases) > 1:
        open_now = [one for one in plan.phases if task.board_is_open(one, now)]
        first = phase if phase in open_now or not open_now else open_now[-1]
        names = [one.name for one in plan.phases]
        chosen = left.selectbox("Phase", names, index=names.index(first.name), key=f"task-board-phase-{task.id}")
        phase = plan.phase(chosen)
    if not task.board_is_open(phase, now):
        remark(f"The leaderboard of {phase.name} opens on {in_words(phase.opens)}.")
        return
    if now < phase.opens:
        remark(f"Only organisers see this yet. Teams see it from {in_words(phase.opens)} on.")
    files = board_rows(store, app_state().jobs, task.id, who, phase.id).files
    gold = choose_board(phase, files, right)
    for one in reversed(files[1:]):
        words = "all teams were scored again, by another gold file"
        remark(f"{in_words(one.since or 0)}: {words}. {replacement_words(one)}")
    if gold != files[-1].id:
        remark("This board is out of date: it shows the scores by an earlier gold file.")
    table = kept_board(store, who, task, phase, gold)
    show_table(table)
    show_meanings(table)


def choose_board(phase: TaskPhase, files: Sequence[Replacement], at: DeltaGenerator) -> str:
    """Return the id of the gold file of the wanted board; offer a choice once a file was replaced."""
    if len(files) == 1:
        return files[0].id
    names = {files[-1].id: "Now"}
    for before, after in reversed(list(pairwise(files))):
        names[before.id] = f"Before {in_words(after.since or 0)}"
    chosen = at.selectbox("Board", list(names), format_func=names.__getitem__, key=f"task-board-gold-{phase.id}")
    return chosen or files[-1].id


def kept_board(store: Store, who: str, task: SharedTask, phase: TaskPhase, gold: str) -> Table:
    """Return a leaderboard, computed once a session for the same submissions. Raises Denied as `board_rows`."""
    rows = board_rows(store, app_state().jobs, task.id, who, phase.id, gold)
    shown = tuple((one.id, one.team.name, one.team.baseline, one.late, one.score) for one in rows.shown)
    made_of = (task.id, phase, gold, shown, rows.unscored)
    kept: tuple[object, Table] | None = st.session_state.get("task-board")
    if kept is None or kept[0] != made_of:
        kept = (made_of, task_board(store, task.plan, rows))
        st.session_state["task-board"] = kept
    return kept[1]


def show_meanings(table: Table) -> None:
    """Show the meaning of each column, folded away, for readers who cannot point at a heading."""
    helped = [column for column in table.columns if column.help and not column.files_only]
    if helped:
        terms = join(part for column in helped for part in (tag("dt", column.heading), tag("dd", column.help)))
        with st.expander("Meaning of the columns", icon=":material/help:"):
            show(tag("div", tag("dl", terms, css="vd-terms"), css="vd"))
