"""The leaderboard of a phase, hidden from teams until it opens, and the table of a task's submissions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.errors import Denied
from core.jobs.store import JobStore
from core.jobs.types import State
from core.scoring.items import ItemStatus
from core.scoring.leaderboard import Standing, SystemReport, leaderboard
from core.scoring.leaderboard_tables import DIGITS, board_columns, board_table
from core.scoring.registry import JUDGED, columns_of, long_title, meaning
from core.storage.store import Store
from core.tabular.table import Cell, Column, Table
from core.tasks.moments import utc, written_moment
from core.tasks.rescoring import Replacement, board_before, replacements
from core.tasks.scores import reports_of
from core.tasks.shared_task import TaskPhase, TaskPlan, TeamSubmission
from core.tasks.submitting import all_submissions
from core.tasks.task_store import load_task

TIES = "Teams with equal scores share a rank. A claim without a prediction scores 0."
OUTSIDE = "Baselines and late submissions have no rank."
COST_DIGITS = 4


@dataclass(frozen=True)
class BoardRows:
    """The submissions on a phase's board, and the names of teams without a scored one.

    `gold` is the file that they are scored by, one of `files`, the oldest first.
    """

    phase: TaskPhase
    shown: tuple[TeamSubmission, ...]
    unscored: tuple[str, ...]
    gold: str
    files: tuple[Replacement, ...]

    @property
    def current(self) -> bool:
        return self.gold == self.files[-1].id


def board_rows(store: Store, jobs: JobStore, task: str, owner: str, phase: str, gold: str = "") -> BoardRows:
    """Return the rows of a phase's board, by the gold file in force or by one that was replaced.

    The final submissions of all teams are on it, and the last late one of each. Raises BadField for
    another phase. Raises Denied for a team before the board opens, for another task's file, and as `load_task`.
    """
    found, now = load_task(store, task, owner), store.clock()
    here = found.plan.phase(phase)
    if not found.board_is_open(here, now):
        raise Denied(f"The leaderboard of {here.name} opens on {utc(here.opens)}. Now it is {utc(now)}.")
    files = tuple(one for one in replacements(store, task, here.id) if one.since is not None)
    everything = [one for one in all_submissions(store, jobs, task) if one.phase == here.id]
    if gold and gold != files[-1].id:
        if gold not in {one.id for one in files}:
            raise Denied("This leaderboard has no such gold file.")
        kept = set(board_before(store, gold))
        return BoardRows(here, tuple(one for one in everything if one.id in kept), (), gold, files)
    taking_part = [one for one in everything if not one.team.revoked]
    late = {one.team.id: one for one in reversed(taking_part) if one.late and one.scored}
    shown = tuple(one for one in taking_part if one.final or late.get(one.team.id) == one)
    there = {one.team.id for one in shown}
    unscored = dict.fromkeys(one.team.name for one in taking_part if one.team.id not in there)
    return BoardRows(here, shown, tuple(unscored), files[-1].id, files)


def task_board(store: Store, plan: TaskPlan, rows: BoardRows) -> Table:
    """Return a phase's leaderboard, one row per team, ranked by the plan's first metric."""
    found = reports_of(store, [one.id for one in rows.shown], rows.gold)
    title = f"Leaderboard: {rows.phase.name}"
    left_out = f" Without a scored submission: {', '.join(rows.unscored)}." if rows.unscored else ""
    if not found:
        return Table("leaderboard", title, (), (), "No team has a scored submission in this phase.")
    # A board knows its systems by name and orders equal ones by it. A team may be there twice.
    shown = {f"{one.team.name} {one.id}": one for one in rows.shown if one.id in found}
    reports = [replace(found[one.id], name=name) for name, one in shown.items()]
    board = leaderboard(reports, reports[0].mains[plan.metrics[0]])
    table = board_table(board)
    computed = set(board_columns(board).values())
    others = [main for main in reports[0].mains.values() if main not in computed]
    columns = tuple(replace(one, title="Team") if one.title == "System" else one for one in table.columns)
    missing = Column("Missing", 0, help="Claims without a prediction.")
    more = (*(Column(long_title(name), DIGITS, help=meaning(name)) for name in others), missing)
    placed = _ranks([(shown[standing.report.name], standing) for standing in board.standings])
    cells = (
        (
            *(rank, team, *row[2:]),
            *(*(_value(standing.report, name) for name in others), _missing(standing.report, board.metric)),
        )
        for row, standing, (rank, team) in zip(table.rows, board.standings, placed, strict=True)
    )
    outside = f" {OUTSIDE}" if any(rank is None for rank, _ in placed) else ""
    note = f"{table.note} {TIES}{outside}{left_out}"
    by = f"{title}, by {long_title(board.metric)}"
    return replace(table, title=by, columns=(*columns, *more), rows=tuple(cells), note=note)


def submissions_table(
    plan: TaskPlan,
    submissions: Sequence[TeamSubmission],
    reports: Mapping[str, SystemReport],
    *,
    organiser: bool,
) -> Table:
    """Return one row per submission, with the scores of those in `reports`; for organisers with teams and costs."""
    mains = [one for report in reports.values() for one in report.mains.items()]
    metrics = list(dict.fromkeys(name for key, main in mains for name in (main, *columns_of(key))))
    priced = organiser and bool(JUDGED & set(plan.metrics))
    columns = (
        *([Column("Team")] if organiser else []),
        Column("Phase"),
        Column("Received", unit="(UTC)"),
        Column("File"),
        *(Column("Claims", 0), Column("Final"), Column("State")),
        *(Column(long_title(name), DIGITS, help=meaning(name)) for name in metrics),
        *(cost_columns() if priced else ()),
    )
    rows = tuple(
        (
            *([one.team.name] if organiser else []),
            *_facts(plan, one),
            *(_value(reports[one.id], name) if one.id in reports else None for name in metrics),
            *(cost_cells(plan, one) if priced else ()),
        )
        for one in submissions
    )
    return Table("submissions", "Submissions", columns, rows)


def cost_columns() -> tuple[Column, ...]:
    """Return the columns of the judge's cost."""
    return (
        Column("Asked", 0, help="Questions to the judge, all scorings together."),
        Column("Unusable", 0, help="Answers of the judge that could not be used. They cost as much."),
        Column("Tokens", 0, help="Tokens that the judge read and wrote; 0 for a server that does not count."),
        Column("Cost", COST_DIGITS, help="By the task's price of a million tokens, in its currency."),
    )


def cost_cells(plan: TaskPlan, one: TeamSubmission) -> tuple[Cell, ...]:
    """Return the cells of `cost_columns`."""
    spent = one.spent
    if spent is None:
        return 0, 0, 0, None
    tokens = spent.prompt_tokens + spent.completion_tokens
    return spent.asked, spent.failed, tokens, None if plan.price is None else spent.cost(plan.price)


def state_of(one: TeamSubmission) -> str:
    """Return the state of a submission in a word."""
    if one.scored:
        return "scored"
    if one.status is None:
        return "lost"
    return "scored before" if one.status.state is State.DONE else one.status.state.value


def _ranks(standings: Sequence[tuple[TeamSubmission, Standing]]) -> list[tuple[int | None, str]]:
    """Return the rank among the ranked teams, None outside the ranking, and the team's name as the board shows it."""
    ranked = [standing.rank for one, standing in standings if not (one.team.baseline or one.late)]
    placed: list[tuple[int | None, str]] = []
    for one, standing in standings:
        marks = [word for word, holds in (("baseline", one.team.baseline), ("late", one.late)) if holds]
        rank = None if marks else 1 + sum(other < standing.rank for other in ranked)
        placed.append((rank, f"{one.team.name} ({', '.join(marks)})" if marks else one.team.name))
    return placed


def _facts(plan: TaskPlan, one: TeamSubmission) -> tuple[Cell, ...]:
    received = written_moment(one.received)[:19]
    final = "late" if one.late else "yes" if one.final else "no"
    return plan.phase(one.phase).name, received, one.file, one.claims, final, state_of(one)


def _value(report: SystemReport, metric: str) -> float | None:
    score = report.score(metric)
    return score.value if score else None


def _missing(report: SystemReport, metric: str) -> int:
    return sum(item.status is ItemStatus.MISSING for item in report.items_of(metric))
