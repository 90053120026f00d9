"""A team's submissions: checked beside the gold, counted against the limits, listed, and one chosen as final."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select, update

from core.annotations import without_scraped_text
from core.averitec.averitec import parse_submission
from core.averitec.checking import all_problems
from core.campaigns.redeeming import storable
from core.dataclass_json import to_json
from core.errors import BadInput, Denied, TooLarge
from core.jobs.store import JobStore
from core.jobs.types import Status
from core.storage.ids import new_id
from core.storage.store import Store
from core.storage.tables import task_submissions, task_teams, tasks
from core.tasks.gold_store import gold_of, golds_in_force
from core.tasks.moments import utc
from core.tasks.scores import scores_by, usage_of
from core.tasks.shared_task import DAY, MAX_NAME, CheckedSubmission, SharedTask, TaskPhase, Team, TeamSubmission
from core.tasks.task_job import TASK, queue_scoring
from core.tasks.task_store import NO_TASK, load_task, plan_of
from core.wording import counted

MAX_BYTES = 50 * 2**20
"""Of a submission's file. Larger ones are refused before they are read."""
MAX_LISTED = 10_000
"""Submissions of one team."""


@dataclass(frozen=True)
class Left:
    """How often a team may still submit to a phase: today, and in all (None without a limit)."""

    today: int
    total: int | None

    @property
    def count(self) -> int:
        return self.today if self.total is None else min(self.today, self.total)


def check_size(name: str, size: int) -> None:
    """Raise TooLarge for a file that is not read."""
    if size > MAX_BYTES:
        limit = MAX_BYTES >> 20
        raise TooLarge(f"{name} is {size / 2**20:.0f} MB; the limit is {limit} MB. Leave out 'scraped_text'.")


def check_submission(
    store: Store, task: str, owner: str, name: str, content: bytes, *, phase: str = ""
) -> CheckedSubmission:
    """Return a file with its problems, also those beside the phase's gold; nothing is counted or kept.

    Without a phase it is for the one that takes submissions, else for the latest one. Raises TooLarge before it reads,
    BadRecord for a file without records, and Denied as `load_task`.
    """
    plan, now = load_task(store, task, owner).plan, store.clock()
    check_size(name, len(content))
    for_phase = plan.phase(phase) if phase else next(iter(plan.taking(now)), plan.latest_phase(now))
    submission = without_scraped_text(parse_submission(name, content))
    problems = all_problems(submission, gold_of(store, task, for_phase.id))
    return CheckedSubmission(submission, tuple(problems), for_phase.id)


def unanswered(checked: CheckedSubmission, task: SharedTask) -> int:
    """Return how many of the phase's claims have no verdict in a file, or an unknown one."""
    answered = {one.claim_id for one in checked.submission.predictions if one.label is not None}
    return max(0, task.claims[checked.phase] - len(answered))


def submit(store: Store, task: str, owner: str, file: str, checked: CheckedSubmission, *, team: str = "") -> str:
    """Keep a valid submission, queue its scoring, and return its id. An organiser names the `team` by its id.

    The time of this call counts, by the server's clock. Raises BadInput for an invalid file, outside the phase, beyond
    its limits and without the team's consent to the terms. Nothing is counted then.
    """
    now = store.clock()
    if not checked.accepted:
        raise BadInput(checked.errors[0])
    found = load_task(store, task, owner)
    phase, submission = found.plan.phase_for(now, checked.phase), new_id()
    row = {
        "id": submission,
        "task": task,
        "phase": phase.id,
        "file": storable(file, "The file's name")[:MAX_NAME],
        "received": now,
        "claims": len(checked.submission.predictions),
        "content": json.dumps(to_json(checked.submission)),
        "job": submission,
    }
    with store.transaction(writing=True) as connection:
        submitting = _submitting_team(connection, found, team)
        # A phase may have been removed or moved since: its removal waits for this row, or this call sees it.
        locked = select(tasks.c.plan).where(tasks.c.id == task).with_for_update(read=True)
        phase = plan_of(connection.scalars(locked).one()).phase_for(now, phase.id)
        _check_limits(connection, submitting, phase, now)
        connection.execute(task_submissions.insert().values(row | {"team": submitting, "late": now >= phase.end}))
        queue_scoring(store, connection, submitting, submission)
    return submission


def left(store: Store, task: str, owner: str, phase: str) -> Left:
    """Return how often the owner's team may still submit to a phase."""
    found = load_task(store, task, owner)
    with store.transaction() as connection:
        team = found.team.id if found.team else ""
        return _left(connection, team, found.plan.phase(phase), store.clock())


def submissions_of(store: Store, jobs: JobStore, task: str, owner: str) -> tuple[TeamSubmission, ...]:
    """Return the submissions of the owner's team, for an organiser those of all teams; the newest first."""
    found = load_task(store, task, owner)
    everything = all_submissions(store, jobs, task)
    return tuple(one for one in everything if found.organises or (found.team and one.team.id == found.team.id))


def all_submissions(store: Store, jobs: JobStore, task: str) -> tuple[TeamSubmission, ...]:
    """Return the submissions of all teams, the newest first, for code that has asked who may see them."""
    with store.transaction() as connection:
        rows = submission_rows(connection, task)
        golds = golds_in_force(connection, task)
        scores = scores_by(connection, golds.values())
    statuses = {one.id: one for team in {row.team for row in rows} for one in _jobs_of(jobs, team)}
    final = finals(rows, {submission for submission, _ in scores})
    return tuple(_submission(row, golds, scores, final, statuses.get(row.job)) for row in rows)


def submission_rows(connection: Connection, task: str) -> Sequence[Row[Any]]:
    """Return the rows of all submissions without their content, the newest first, with their team's columns."""
    columns = [column for column in task_submissions.c if column.name != "content"]
    wanted: Select[Any] = (
        select(*columns, task_teams.c.name, task_teams.c.revoked, task_teams.c.baseline)
        .join(task_teams, task_teams.c.id == task_submissions.c.team)
        .where(task_submissions.c.task == task)
        .order_by(task_submissions.c.received.desc(), task_submissions.c.id)
    )
    return connection.execute(wanted).all()


def finals(rows: Sequence[Row[Any]], scored: Collection[str]) -> set[str]:
    """Return the final submissions: of each team and phase the chosen one, else the last of those with a score."""
    counting = [row for row in rows if row.id in scored and not row.late]
    # The oldest first: the newest of those written last stays.
    return set({(row.team, row.phase): row.id for row in sorted(counting, key=_weight)}.values())


def may_choose(phase: TaskPhase, now: float) -> bool:
    """Tell whether teams choose their final submission of a phase: until it has ended and its board is open."""
    return now < max(phase.end, phase.opens)


def choose_final(store: Store, jobs: JobStore, task: str, owner: str, submission: str) -> None:
    """Let a scored submission of the owner's team count in its phase, in place of the last one.

    Raises BadInput once it is too late, for a late submission and without a score; Denied for another team's.
    """
    found = load_task(store, task, owner)
    own = (one for one in submissions_of(store, jobs, task, owner) if found.team and one.team.id == found.team.id)
    chosen = next((one for one in own if one.id == submission), None)
    if chosen is None:
        raise Denied("There is no such submission of your team.")
    if not chosen.scored:
        raise BadInput("This submission has no score: choose one that has.")
    if chosen.late:
        raise BadInput("A late submission is outside the ranking: choose one from before the phase's end.")
    if not may_choose(found.plan.phase(chosen.phase), store.clock()):
        raise BadInput("The phase has ended and the leaderboard is open: the final submission stays.")
    same = (task_submissions.c.team == chosen.team.id, task_submissions.c.phase == chosen.phase)
    with store.transaction(writing=True) as connection:
        connection.execute(update(task_submissions).where(*same).values(chosen=task_submissions.c.id == submission))


def _weight(row: Row[Any]) -> tuple[bool, float]:
    return row.chosen, row.received


def _jobs_of(jobs: JobStore, team: str) -> Iterator[Status]:
    yield from jobs.search(team, TASK, limit=MAX_LISTED).entries


def _submission(
    row: Row[Any],
    golds: Mapping[str, str],
    scores: Mapping[tuple[str, str], float | None],
    final: Collection[str],
    status: Status | None,
) -> TeamSubmission:
    here = row.id, golds.get(row.phase, "")
    return TeamSubmission(
        id=row.id,
        team=Team(row.team, row.name, revoked=row.revoked is not None, baseline=row.baseline),
        phase=row.phase,
        file=row.file,
        received=row.received,
        claims=row.claims,
        late=row.late,
        chosen=row.chosen,
        final=row.id in final,
        gold=here[1],
        scored=here in scores,
        score=scores.get(here),
        status=status,
        spent=usage_of(row.spent),
    )


def _submitting_team(connection: Connection, task: SharedTask, team: str) -> str:
    """Return the id of the member's team, or the one that an organiser names, locked until the transaction ends."""
    named = team if task.organises else ""
    wanted = named or (task.team.id if task.team else "")
    # Of two submissions at once the second one sees the first: SQLite has one writer, PostgreSQL locks the row.
    known = select(task_teams.c.terms).where(task_teams.c.id == wanted, task_teams.c.task == task.id)
    row = connection.execute(known.where(task_teams.c.approved.is_not(None)).with_for_update()).first()
    if row is None:
        raise Denied(NO_TASK)
    if not named and task.plan.terms and row.terms != task.plan.terms:
        raise BadInput("Your team has not accepted the task's terms yet: read and accept them first.")
    return wanted


def _check_limits(connection: Connection, team: str, phase: TaskPhase, now: float) -> None:
    remaining = _left(connection, team, phase, now)
    if remaining.total is not None and remaining.total <= 0:
        raise BadInput(f"Your team has used its {counted(phase.total or 0, 'submission')} to {phase.name}.")
    if remaining.today <= 0:
        tomorrow = utc((now // DAY + 1) * DAY)
        used = counted(phase.daily, "submission")
        raise BadInput(f"Your team has used its {used} of today: submit again from {tomorrow} on.")


def _left(connection: Connection, team: str, phase: TaskPhase, now: float) -> Left:
    here = task_submissions.c.team == team, task_submissions.c.phase == phase.id
    count = select(func.count()).select_from(task_submissions).where(*here)
    total = connection.scalar(count) or 0
    today = connection.scalar(count.where(task_submissions.c.received >= now // DAY * DAY)) or 0
    return Left(phase.daily - today, None if phase.total is None else phase.total - total)
