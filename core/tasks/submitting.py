"""A team's submissions: checked beside the gold, counted against the limit, listed, and one chosen as final."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, delete, func, select, update

from core.annotations import without_scraped_text
from core.averitec.averitec import parse_submission
from core.campaigns.redeeming import storable
from core.dataclass_json import to_json
from core.errors import BadInput, Denied, TooLarge, VerideskError
from core.jobs.store import JobStore
from core.jobs.types import State
from core.scoring.leaderboard import all_problems
from core.storage.ids import new_id
from core.storage.store import Store
from core.storage.tables import task_submissions, task_teams
from core.tasks.shared_task import (
    DAY,
    MAX_NAME,
    CheckedSubmission,
    SharedTask,
    TaskPhase,
    TaskPlan,
    Team,
    TeamSubmission,
    utc,
)
from core.tasks.task_job import TASK, SubmissionRequest
from core.tasks.task_store import NO_TASK, gold_of, load_task

MAX_BYTES = 50 * 2**20
"""Of a submission's file. Larger ones are refused before they are read."""
MAX_LISTED = 10_000
"""Submissions of one team."""

Begin = Callable[[str, SubmissionRequest], str]
"""Score a submission of the team of this id, in the queue or at once, and return the job's id."""


def check_size(name: str, size: int) -> None:
    """Raise TooLarge for a file that is not read."""
    if size > MAX_BYTES:
        limit = MAX_BYTES >> 20
        raise TooLarge(f"{name} is {size / 2**20:.0f} MB; the limit is {limit} MB. Leave out 'scraped_text'.")


def check_submission(store: Store, task: str, owner: str, name: str, content: bytes) -> CheckedSubmission:
    """Return a file with its problems, also those beside the gold; nothing is counted or kept.

    Raises TooLarge before it reads, BadRecord for a file without records, and Denied as `load_task`.
    """
    load_task(store, task, owner)
    check_size(name, len(content))
    submission = without_scraped_text(parse_submission(name, content))
    return CheckedSubmission(submission, tuple(all_problems(submission, gold_of(store, task))))


def unanswered(checked: CheckedSubmission, task: SharedTask) -> int:
    """Return how many of a task's claims have no verdict in a file, or an unknown one."""
    answered = {one.claim_id for one in checked.submission.predictions if one.label is not None}
    return max(0, task.claims - len(answered))


def submit(
    store: Store, task: str, owner: str, file: str, checked: CheckedSubmission, begin: Begin, *, team: str = ""
) -> str:
    """Keep a valid submission, have it scored, and return its id. An organiser names the `team` by its id.

    The time of this call counts, by the server's clock. Raises BadInput for an invalid file, between phases and beyond
    the limit. Nothing is counted then, nor if the scoring cannot begin.
    """
    now = store.clock()
    if not checked.accepted:
        raise BadInput(checked.errors[0])
    found = load_task(store, task, owner)
    submission = new_id()
    row = {
        "id": submission,
        "task": task,
        "phase": _open_phase(found.plan, now).name,
        "file": storable(file, "The file's name")[:MAX_NAME],
        "received": now,
        "claims": len(checked.submission.predictions),
        "content": json.dumps(to_json(checked.submission)),
    }
    with store.transaction(writing=True) as connection:
        submitting = _submitting_team(connection, found, team)
        _check_limit(connection, submitting, found.plan, now)
        connection.execute(task_submissions.insert().values(row | {"team": submitting}))
    mine = task_submissions.c.id == submission
    try:
        job = begin(submitting, SubmissionRequest(submission))
    except VerideskError:
        with store.transaction() as connection:
            connection.execute(delete(task_submissions).where(mine))
        raise
    with store.transaction() as connection:
        connection.execute(update(task_submissions).where(mine).values(job=job))
    return submission


def left_today(store: Store, task: str, owner: str) -> int:
    """Return how often the owner's team may still submit today."""
    found = load_task(store, task, owner)
    with store.transaction() as connection:
        return found.plan.daily_limit - _used(connection, found.team.id if found.team else "", store.clock())


def submissions_of(store: Store, jobs: JobStore, task: str, owner: str) -> tuple[TeamSubmission, ...]:
    """Return the submissions of the owner's team, for an organiser those of all teams; the newest first."""
    found = load_task(store, task, owner)
    everything = all_submissions(store, jobs, task)
    return tuple(one for one in everything if found.organises or (found.team and one.team.id == found.team.id))


def all_submissions(store: Store, jobs: JobStore, task: str) -> tuple[TeamSubmission, ...]:
    """Return the submissions of all teams, the newest first, for code that has asked who may see them."""
    columns = [column for column in task_submissions.c if column.name != "content"]
    wanted = (
        select(*columns, task_teams.c.name, task_teams.c.revoked)
        .join(task_teams, task_teams.c.id == task_submissions.c.team)
        .where(task_submissions.c.task == task)
    )
    with store.transaction() as connection:
        rows = connection.execute(wanted.order_by(task_submissions.c.received.desc(), task_submissions.c.id)).all()
    return tuple(_with_finals(rows, jobs))


def may_choose(plan: TaskPlan, phase: str, now: float) -> bool:
    """Tell whether teams choose their final submission of a phase: until it has ended and the leaderboard is open."""
    return now < max(plan.phase_named(phase).end, plan.opens)


def choose_final(store: Store, jobs: JobStore, task: str, owner: str, submission: str) -> None:
    """Let a scored submission of the owner's team count in its phase, in place of the last one.

    Raises BadInput once it is too late or if it has no score; Denied for another team's.
    """
    found = load_task(store, task, owner)
    own = (one for one in submissions_of(store, jobs, task, owner) if found.team and one.team.id == found.team.id)
    chosen = next((one for one in own if one.id == submission), None)
    if chosen is None:
        raise Denied("There is no such submission of your team.")
    if chosen.status is None or chosen.status.state is not State.DONE:
        raise BadInput("This submission has no score: choose one that has.")
    if not may_choose(found.plan, chosen.phase, store.clock()):
        raise BadInput("The phase has ended and the leaderboard is open: the final submission stays.")
    same = (task_submissions.c.team == chosen.team.id, task_submissions.c.phase == chosen.phase)
    with store.transaction(writing=True) as connection:
        connection.execute(update(task_submissions).where(*same).values(chosen=task_submissions.c.id == submission))


def _with_finals(rows: Sequence[Any], jobs: JobStore) -> Iterator[TeamSubmission]:
    """Yield the submissions, newest first; the final one is the chosen one, else the last that has a score."""
    teams = {row.team for row in rows}
    statuses = {one.id: one for team in teams for one in jobs.search(team, TASK, limit=MAX_LISTED).entries}
    scored = [row for row in rows if row.job in statuses and statuses[row.job].state is State.DONE]
    # The oldest first: the newest of those written last stays.
    final = {(row.team, row.phase): row.id for row in sorted(scored, key=lambda row: (row.chosen, row.received))}
    for row in rows:
        yield TeamSubmission(
            id=row.id,
            team=Team(row.team, row.name, revoked=row.revoked is not None),
            phase=row.phase,
            file=row.file,
            received=row.received,
            claims=row.claims,
            chosen=row.chosen,
            final=final.get((row.team, row.phase)) == row.id,
            status=statuses.get(row.job),
        )


def _submitting_team(connection: Connection, task: SharedTask, team: str) -> str:
    """Return the id of the member's team, or the one that an organiser names, locked until the transaction ends."""
    wanted = team if team and task.organises else task.team.id if task.team else ""
    # Of two submissions at once the second one sees the first: SQLite has one writer, PostgreSQL locks the row.
    known = select(task_teams.c.id).where(task_teams.c.id == wanted, task_teams.c.task == task.id)
    if connection.execute(known.with_for_update()).first() is None:
        raise Denied(NO_TASK)
    return wanted


def _open_phase(plan: TaskPlan, now: float) -> TaskPhase:
    if phase := plan.phase_at(now):
        return phase
    to_come = next((phase for phase in plan.phases if phase.start > now), None)
    if to_come:
        raise BadInput(f"No phase is open: {to_come.name} begins at {utc(to_come.start)}. Now it is {utc(now)}.")
    raise BadInput(f"The last phase ended at {utc(plan.phases[-1].end)}. The server's clock counts: {utc(now)}.")


def _check_limit(connection: Connection, team: str, plan: TaskPlan, now: float) -> None:
    if _used(connection, team, now) >= plan.daily_limit:
        anew = utc((now // DAY + 1) * DAY)
        raise BadInput(f"Your team has used its {plan.daily_limit} a day: submit again from {anew} on.")


def _used(connection: Connection, team: str, now: float) -> int:
    today = (task_submissions.c.team == team, task_submissions.c.received >= now // DAY * DAY)
    return connection.scalar(select(func.count()).select_from(task_submissions).where(*today)) or 0
