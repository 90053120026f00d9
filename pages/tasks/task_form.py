"""The form of a task: its text, gold file, phases, limits and scores; and its change later."""

from __future__ import annotations

from datetime import datetime, time, timedelta

import streamlit as st

from core.averitec.averitec import parse_gold
from core.errors import VerideskError
from core.scoring.judging import Judging
from core.scoring.registry import JUDGED, METRICS, TITLES
from core.storage.store import Store
from core.tasks.shared_task import (
    MAX_DAILY,
    MAX_DESCRIPTION,
    MAX_NAME,
    MAX_PHASES,
    TASK_METRICS,
    SharedTask,
    TaskPhase,
    TaskPlan,
)
from core.tasks.task_store import change_task, create_task
from core.wording import counted
from pages.tasks.task_times import readers_zone
from pages.ui.judging_fields import judge_form, judging_fields
from pages.ui.make_once import make_once
from pages.ui.notices import notice, quiet, remark
from pages.ui.uploads import read_once

WEEK = timedelta(days=7)


def show_new_form(store: Store, who: str) -> None:
    """Show the form; when it is sent, create the task and go to it."""
    key = f"task-new-{st.session_state.get('task-made', 0)}"
    file = st.file_uploader(
        "Gold annotations",
        key=f"{key}-gold",
        help="AVeriTeC JSON or JSON lines, or the leaderboard's CSV. They stay on the server: no page shows them.",
    )
    gold = read_once(file, parse_gold, key=f"{key}-read") if file else None
    if gold:
        quiet(f"{counted(len(gold), 'claim')} read. No browser is sent any of them.")
    plan = plan_fields(None, key)
    if not st.button("Create the task", type="primary", icon=":material/flag:", disabled=not gold, key="task-create"):
        return
    try:
        task = make_once("task", (who, plan, gold), lambda: create_task(store, who, plan, gold or []))
    except VerideskError as error:
        notice(str(error))
        return
    st.session_state["task-made"] = st.session_state.get("task-made", 0) + 1  # the next form is empty
    st.query_params.from_dict({"task": task})
    st.rerun()


def show_change_form(store: Store, who: str, task: SharedTask) -> None:
    """Show the task's plan to be changed."""
    key = f"task-{task.id}"
    plan = plan_fields(task.plan, key)
    names = ", ".join(TITLES[name] for name in task.plan.metrics)
    quiet(f"Scores: {names}. They stay, as the gold file does, so that all submissions can be compared.")
    if st.session_state.pop(f"{key}-saved", False):
        remark("Saved.")
    if st.button("Save", type="primary", icon=":material/save:", key="task-save"):
        try:
            change_task(store, task.id, who, plan)
        except VerideskError as error:
            notice(str(error))
        else:
            st.session_state[f"{key}-saved"] = True
            st.rerun()


def plan_fields(before: TaskPlan | None, key: str) -> TaskPlan:
    """Show the fields of a plan, filled with an earlier one, and return the plan."""
    name = st.text_input("Name", before.name if before else "", max_chars=MAX_NAME, key=f"{key}-name")
    description = st.text_area(
        "Description for teams",
        before.description if before else "",
        max_chars=MAX_DESCRIPTION,
        key=f"{key}-description",
    )
    phases = _phase_fields(before, key)
    last = datetime.fromtimestamp(max(phase.end for phase in phases), readers_zone())
    opens = _moment("Leaderboard opens", before.opens if before else None, last, f"{key}-opens")
    left, right = st.columns(2, vertical_alignment="bottom")
    daily = left.number_input(
        "Submissions a day for each team",
        1,
        MAX_DAILY,
        before.daily_limit if before else 3,
        key=f"{key}-daily",
        help="A day begins at 00:00 UTC. Files that cannot be scored do not count.",
    )
    shows = right.checkbox(
        "Teams see their own scores before",
        before.shows_scores if before else False,
        key=f"{key}-shows",
        help="Else a team sees scores only once the leaderboard is open.",
    )
    metrics, judging = (before.metrics, before.judging) if before else _metric_fields(key)
    return TaskPlan(name, phases, opens, description, int(daily), metrics, shows, judging)


def _phase_fields(before: TaskPlan | None, key: str) -> tuple[TaskPhase, ...]:
    known = before.phases if before else ()
    count = int(st.number_input("Phases", 1, MAX_PHASES, len(known) or 1, key=f"{key}-phases"))
    quiet(f"Times are in your time zone, {readers_zone()}. The server’s clock decides.")
    begin = datetime.combine(datetime.now(readers_zone()).date(), time(0), readers_zone())
    phases = []
    for place in range(count):
        phase = known[place] if place < len(known) else None
        columns = st.columns([2, 2, 2])
        name = columns[0].text_input(
            f"Phase {place + 1}",
            phase.name if phase else "Test" if count == 1 else f"Phase {place + 1}",
            max_chars=MAX_NAME,
            key=f"{key}-phase-{place}",
        )
        with columns[1]:
            start = _moment("Begins", phase.start if phase else None, begin + place * WEEK, f"{key}-start-{place}")
        with columns[2]:
            end = _moment("Ends", phase.end if phase else None, begin + (place + 1) * WEEK, f"{key}-end-{place}")
        phases.append(TaskPhase(name.strip(), start, end))
    return tuple(phases)


def _moment(label: str, before: float | None, otherwise: datetime, key: str) -> float:
    """Show a field for a time in the reader's zone and return it in seconds since 1970."""
    at = datetime.fromtimestamp(before, readers_zone()) if before is not None else otherwise
    shown = at.replace(tzinfo=None, second=0, microsecond=0)
    written = st.datetime_input(label, shown, key=key, step=timedelta(minutes=15), required=True)
    assert written is not None
    if before is not None and written == shown:
        return before  # the field has no seconds: a time that is not changed keeps its own
    return written.replace(tzinfo=readers_zone()).timestamp()


def _metric_fields(key: str) -> tuple[tuple[str, ...], Judging]:
    chosen = st.pills(
        "Scores, the first one ranks",
        TASK_METRICS,
        selection_mode="multi",
        default=TaskPlan.metrics,
        format_func=TITLES.__getitem__,
        key=f"{key}-metrics",
        help="; ".join(f"{TITLES[name]}: {METRICS[name].summary}" for name in TASK_METRICS),
    )
    metrics = tuple(name for name in TASK_METRICS if name in chosen)
    judging = judging_fields(judge_form(), recall=True, verdicts=True) if JUDGED & set(metrics) else Judging()
    return metrics, judging
