"""The leaderboard of a task, hidden from teams until it opens, and the table of its submissions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from core.errors import Denied
from core.jobs.store import JobStore
from core.jobs.types import State
from core.scoring.items import ItemStatus
from core.scoring.leaderboard import SystemReport, leaderboard
from core.scoring.leaderboard_tables import DIGITS, board_columns, board_table
from core.scoring.registry import METRICS, long_title, meaning
from core.storage.store import Store
from core.tabular.table import Cell, Column, Table
from core.tasks.shared_task import SharedTask, TaskPlan, TeamSubmission, utc
from core.tasks.submitting import all_submissions
from core.tasks.task_job import report_of
from core.tasks.task_store import load_task

TIES = "Teams with equal scores share a rank. A claim without a prediction scores 0."


def board_is_open(task: SharedTask, now: float) -> bool:
    """Tell whether somebody sees the leaderboard: an organiser always, a team from the task's date on."""
    return task.organises or now >= task.plan.opens


def shows_scores(task: SharedTask, now: float) -> bool:
    """Tell whether somebody sees the scores of the submissions that they see."""
    return task.plan.shows_scores or board_is_open(task, now)


def board_submissions(
    store: Store, jobs: JobStore, task: str, owner: str, phase: str
) -> tuple[tuple[TeamSubmission, ...], tuple[str, ...]]:
    """Return the final submissions of a phase, and the names of teams that submitted there and have no score.

    Raises Denied for a team before the leaderboard opens, and as `load_task`.
    """
    found, now = load_task(store, task, owner), store.clock()
    if not board_is_open(found, now):
        raise Denied(f"The leaderboard opens on {utc(found.plan.opens)}. Now it is {utc(now)}.")
    here = [one for one in all_submissions(store, jobs, task) if one.phase == phase and not one.team.revoked]
    finals = tuple(one for one in here if one.final)
    ranked = {one.team.id for one in finals}
    return finals, tuple(dict.fromkeys(one.team.name for one in here if one.team.id not in ranked))


def reports_of(jobs: JobStore, submissions: Sequence[TeamSubmission]) -> dict[str, SystemReport]:
    """Return the scores of submissions by their id; one without a score is left out."""
    results = {one.id: jobs.result_of(one.status.id) for one in submissions if one.status}
    return {one: report_of(result) for one, result in results.items() if result}


def task_board(
    plan: TaskPlan, phase: str, finals: Sequence[TeamSubmission], unscored: Sequence[str], jobs: JobStore
) -> Table:
    """Return a phase's leaderboard, one row per team, ranked by the plan's first metric."""
    found = reports_of(jobs, finals)
    title = f"Leaderboard: {phase}"
    left_out = f" Without a scored submission: {', '.join(unscored)}." if unscored else ""
    if not found:
        return Table("leaderboard", title, (), (), f"No team has a scored submission in this phase.{left_out}")
    reports = [replace(found[one.id], name=one.team.name) for one in finals if one.id in found]
    board = leaderboard(reports, reports[0].mains[plan.metrics[0]])
    table = board_table(board)
    shown = set(board_columns(board).values())
    others = [main for main in reports[0].mains.values() if main not in shown]
    columns = tuple(replace(one, title="Team") if one.title == "System" else one for one in table.columns)
    missing = Column("Missing", 0, help="Claims without a prediction.")
    more = (*(Column(long_title(name), DIGITS, help=meaning(name)) for name in others), missing)
    rows = (
        (*row, *(_value(standing.report, name) for name in others), _missing(standing.report, board.metric))
        for row, standing in zip(table.rows, board.standings, strict=True)
    )
    note = f"{table.note} {TIES}{left_out}"
    by = f"{title}, by {long_title(board.metric)}"
    return replace(table, title=by, columns=(*columns, *more), rows=tuple(rows), note=note)


def submissions_table(
    submissions: Sequence[TeamSubmission], reports: Mapping[str, SystemReport], *, teams: bool
) -> Table:
    """Return one row per submission, with the scores of those in `reports`."""
    mains = [one for report in reports.values() for one in report.mains.items()]
    metrics = list(dict.fromkeys(name for key, main in mains for name in (main, *METRICS[key].columns)))
    columns = (
        *([Column("Team")] if teams else []),
        Column("Phase"),
        Column("Received", unit="(UTC)"),
        Column("File"),
        *(Column("Claims", 0), Column("Final"), Column("State")),
        *(Column(long_title(name), DIGITS, help=meaning(name)) for name in metrics),
    )
    rows = tuple(_row(one, reports.get(one.id), metrics, teams=teams) for one in submissions)
    return Table("submissions", "Submissions", columns, rows)


def _row(one: TeamSubmission, report: SystemReport | None, metrics: Sequence[str], *, teams: bool) -> tuple[Cell, ...]:
    received = f"{datetime.fromtimestamp(one.received, UTC):%Y-%m-%d %H:%M:%S}"
    state = "lost" if one.status is None else "scored" if one.status.state is State.DONE else one.status.state.value
    scores = (_value(report, name) if report else None for name in metrics)
    final = "yes" if one.final else "no"
    return (*([one.team.name] if teams else []), one.phase, received, one.file, one.claims, final, state, *scores)


def _value(report: SystemReport, metric: str) -> float | None:
    score = report.score(metric)
    return score.value if score else None


def _missing(report: SystemReport, metric: str) -> int:
    return sum(item.status is ItemStatus.MISSING for item in report.items_of(metric))
