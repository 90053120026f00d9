"""Replace a phase's gold file: score again every submission that may count, then put the file into force at once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, delete, select, update

from core.actions.fields import BadField
from core.annotations import GoldClaim, one_line
from core.campaigns.redeeming import storable
from core.dataclass_json import from_json, to_json
from core.errors import BadInput, Cancelled
from core.scoring.progress import ProgressMonitor
from core.storage.store import Store
from core.storage.tables import task_golds, task_scores, task_submissions, tasks
from core.tasks.gold_store import claims_in, gold_id, golds_in_force, keep_gold
from core.tasks.scores import keep_score, scorer, scores_by
from core.tasks.shared_task import TaskPlan
from core.tasks.submitting import finals, may_choose, submission_rows
from core.tasks.task_store import lock_task, organised_task, plan_of

MAX_REASON = 2000
NAMED = 5
"""The most ids in a sentence."""


@dataclass(frozen=True)
class Moved:
    """The largest change of rank of a team when a gold file was replaced."""

    team: str
    before: int
    after: int


@dataclass(frozen=True)
class Replacement:
    """A gold file of a phase. `since` is None while submissions are scored by it; `job` is its job's id.

    The first file of a phase has number 1, and no reason. `moved` is None if no rank changed.
    """

    id: str
    number: int
    file: str
    claims: int
    reason: str
    since: float | None
    job: str
    moved: Moved | None


@dataclass(frozen=True)
class NewGold:
    """A gold file for a phase, with the reason that the board's notice gives."""

    file: str
    claims: Sequence[GoldClaim]
    reason: str


def propose_gold(
    connection: Connection, task: str, owner: str, phase: str, new: NewGold, *, now: float, other_claims: bool = False
) -> str:
    """Store a gold file that replaces a phase's after the scoring, and return its id.

    A file that was not finished is dropped; the same file goes on from its scores. Raises BadField for a reason of no
    words, and for other claims than before without `other_claims`. Denied as `load_task`.
    """
    reason = storable(new.reason.strip(), "The reason")
    if not 0 < len(reason) <= MAX_REASON:
        raise BadField("reason", f"Say in 1 to {MAX_REASON:,} characters why the file is replaced: teams read it.")
    found = plan_of(organised_task(connection, task, owner).plan).phase(phase)
    lock_task(connection, task)
    before = claims_in(connection, gold_id(connection, task, found.id))
    if not other_claims:
        _refuse_other_claims(before, new.claims)
    pending = select(task_golds.c.id).where(task_golds.c.task == task, task_golds.c.phase == found.id)
    for other in connection.scalars(pending.where(task_golds.c.since.is_(None))).all():
        if claims_in(connection, other) == list(new.claims):
            connection.execute(update(task_golds).where(task_golds.c.id == other).values(reason=reason))
            return str(other)
        connection.execute(delete(task_scores).where(task_scores.c.gold == other))
        connection.execute(delete(task_golds).where(task_golds.c.id == other))
    if before == list(new.claims):
        raise BadField("gold", f"{new.file} has the same annotations as the present file: nothing would change.")
    return keep_gold(connection, task, found.id, new.file, new.claims, now=now, since=None, reason=reason)


def replacements(store: Store, task: str, phase: str) -> tuple[Replacement, ...]:
    """Return the gold files of a phase, the oldest first, for code that has asked who may see them."""
    wanted = select(*(column for column in task_golds.c if column.name not in ("content", "board")))
    here = wanted.where(task_golds.c.task == task, task_golds.c.phase == phase)
    with store.transaction() as connection:
        return tuple(map(_replacement, connection.execute(here.order_by(task_golds.c.number))))


def rescore(store: Store, gold: str, monitor: ProgressMonitor) -> Moved | None:
    """Score all submissions that may count, put the gold file into force, and return the largest change of rank.

    Those that have a score by it are not scored again, so a stopped run goes on. Raises BadInput with the team's name
    for a submission that cannot be scored, and if the file was dropped. The old file then stays in force.
    """
    row, plan = _begun(store, gold)
    if row.since is not None:
        return _moved(row.moved)
    with store.transaction() as connection:
        claims = claims_in(connection, gold)
    with scorer(store, plan, monitor) as scoring:
        while True:
            counting, waiting = _waiting(store, row, plan)
            if not waiting and (finished := _put_into_force(store, row, plan)):
                return finished[0]
            total, done = len(counting) * len(claims), (len(counting) - len(waiting)) * len(claims)
            for one in waiting:
                monitor.on_progress(done, total)
                if monitor.stop():
                    raise Cancelled("The scoring was stopped. The scores so far are kept.")
                try:
                    report = scoring.score(one.id, _content(store, one.id), claims, monitor.part(done, total))
                except BadInput as error:
                    raise BadInput(f"The submission of {one.name} cannot be scored by the new file: {error}") from error
                with store.transaction(writing=True) as connection:
                    _require(connection, gold)
                    keep_score(connection, one.id, gold, report, plan, now=store.clock())
                done += len(claims)
            monitor.on_progress(done, total)


def ranks(scores: Mapping[str, float | None]) -> dict[str, int]:
    """Return the rank of each team by its score; equal scores share a rank."""
    values = {team: -1.0 if score is None else score for team, score in scores.items()}
    return {team: 1 + sum(other > value for other in values.values()) for team, value in values.items()}


def board_before(store: Store, gold: str) -> tuple[str, ...]:
    """Return the ids of the submissions on the last board by a gold file that was replaced."""
    with store.transaction() as connection:
        written = connection.scalars(select(task_golds.c.board).where(task_golds.c.id == gold)).one()
    return tuple(json.loads(written))


def _refuse_other_claims(before: Sequence[GoldClaim], after: Sequence[GoldClaim]) -> None:
    old, new = ({claim.id: one_line(claim.claim.text) for claim in claims} for claims in (before, after))
    faults = [
        (f"lacks {{}} of the {len(old)} claims of the present file", [one for one in old if one not in new]),
        ("has {} claims that the present file has not", [one for one in new if one not in old]),
        ("has another text for {} claims", [one for one in new if one in old and old[one] != new[one]]),
    ]
    for words, ids in faults:
        if ids:
            named = ", ".join(ids[:NAMED]) + (" …" if len(ids) > NAMED else "")
            raise BadField("gold", f"The file {words.format(len(ids))} (id {named}): correct it, or allow that.")


def _begun(store: Store, gold: str) -> tuple[Row[Any], TaskPlan]:
    wanted: Select[Any] = select(*(column for column in task_golds.c if column.name != "content"), tasks.c.plan)
    with store.transaction() as connection:
        row = connection.execute(
            wanted.join(tasks, tasks.c.id == task_golds.c.task).where(task_golds.c.id == gold)
        ).one_or_none()
    if row is None:
        raise BadInput("Another gold file was chosen in place of this one.")
    return row, plan_of(row.plan)


def _waiting(store: Store, row: Row[Any], plan: TaskPlan) -> tuple[list[Row[Any]], ...]:
    """Return the submissions that may count in the phase, and those of them without a score by the new file."""
    with store.transaction() as connection:
        return _counting(connection, row, plan, store.clock())


def _counting(connection: Connection, row: Row[Any], plan: TaskPlan, now: float) -> tuple[list[Row[Any]], ...]:
    """Return them: all with a score while teams may choose, later the final ones; and late ones, which are shown."""
    here = [one for one in submission_rows(connection, row.task) if one.phase == row.phase]
    current = golds_in_force(connection, row.task)[row.phase]
    scored, new = ({submission for submission, _ in scores_by(connection, [gold])} for gold in (current, row.id))
    final = finals(here, scored)
    choosing = may_choose(plan.phase(row.phase), now)
    counting = [one for one in here if one.id in scored and (choosing or one.late or one.id in final)]
    return counting, [one for one in counting if one.id not in new]


def _put_into_force(store: Store, row: Row[Any], plan: TaskPlan) -> tuple[Moved | None] | None:
    """Let the new file count from now on, and keep the old board. Return None if a submission has no score yet."""
    with store.transaction(writing=True) as connection:
        lock_task(connection, row.task)
        _require(connection, row.id)
        # Another run of the same file may have ended first: its notice and its board stay.
        here = select(task_golds.c.since, task_golds.c.moved).where(task_golds.c.id == row.id)
        since, written = connection.execute(here).one()
        if since is not None:
            return (_moved(written),)
        counting, waiting = _counting(connection, row, plan, store.clock())
        if waiting:
            return None
        current = golds_in_force(connection, row.task)[row.phase]
        before, after = (
            {submission: score for (submission, _), score in scores_by(connection, [gold]).items()}
            for gold in (current, row.id)
        )
        shown = [one for one in counting if one.revoked is None]
        board = finals(shown, before) | {one.id for one in shown if one.late}
        ranked = [one for one in shown if not one.late and not one.baseline and one.id in board]
        old, new = (ranks({one.name: scores[one.id] for one in ranked}) for scores in (before, after))
        most = max(old, key=lambda team: abs(old[team] - new[team]), default="")
        moved = Moved(most, old[most], new[most]) if most and old[most] != new[most] else None
        kept = update(task_golds).where(task_golds.c.id == current)
        connection.execute(kept.values(board=json.dumps(sorted(board))))
        begun = {"since": store.clock(), "moved": json.dumps(to_json(moved)) if moved else ""}
        connection.execute(update(task_golds).where(task_golds.c.id == row.id).values(begun))
    return (moved,)


def _require(connection: Connection, gold: str) -> None:
    if connection.scalar(select(task_golds.c.id).where(task_golds.c.id == gold)) is None:
        raise BadInput("Another gold file was chosen in place of this one.")


def _content(store: Store, submission: str) -> str:
    wanted = select(task_submissions.c.content).where(task_submissions.c.id == submission)
    with store.transaction() as connection:
        return str(connection.scalars(wanted).one())


def _replacement(row: Row[Any]) -> Replacement:
    return Replacement(row.id, row.number, row.file, row.claims, row.reason, row.since, row.job, _moved(row.moved))


def _moved(written: str) -> Moved | None:
    return from_json(json.loads(written), Moved) if written else None
