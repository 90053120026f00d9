"""Tasks in the database: organisers make and change them, and teams see theirs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, delete, func, select, update

from core.actions.fields import BadField
from core.annotations import GoldClaim
from core.campaigns.access import Role, is_organiser, require_organiser
from core.dataclass_json import from_json, to_json
from core.errors import BadInput, Denied
from core.storage.ids import new_id
from core.storage.store import Store
from core.storage.tables import members, task_golds, task_submissions, task_teams, tasks
from core.tasks.gold_store import claims_of_phases, copy_gold, keep_gold
from core.tasks.shared_task import SharedTask, TaskLine, TaskPhase, TaskPlan, Team, checked_plan

NO_TASK = "There is no such task for you. Open your team's link again, or ask the organiser for a new one."
"""The one sentence for a task that does not exist, one of others, and a guess."""


def create_task(store: Store, owner: str, plan: TaskPlan, gold: Sequence[GoldClaim], *, file: str = "gold.json") -> str:
    """Store a task with one gold file for all phases. Raises BadField as `checked_plan`, and without claims; Denied."""
    plan = checked_plan(replace(plan, phases=tuple(replace(phase, id=new_id()) for phase in plan.phases)))
    now, task = store.clock(), new_id()
    with store.transaction(writing=True) as connection:
        require_organiser(connection, owner)
        row = {"id": task, "owner": owner, "plan": _written(plan), "created": now}
        connection.execute(tasks.insert().values(row))
        for phase in plan.phases:
            keep_gold(connection, task, phase.id, file, gold, now=now, since=now)
    return task


def change_task(
    store: Store, task: str, owner: str, *, name: str, description: str, terms: str, price: float | None
) -> None:
    """Change a task's texts and its price of tokens. Raises BadField as `checked_plan`, Denied as `load_task`."""
    with store.transaction(writing=True) as connection:
        before = _plan_to_change(connection, task, owner)
        _save(connection, task, replace(before, name=name, description=description, terms=terms, price=price))


def set_phase(
    store: Store,
    task: str,
    owner: str,
    phase: TaskPhase,
    gold: Sequence[GoldClaim] | None = None,
    *,
    file: str = "gold.json",
) -> str:
    """Add a phase, or change the one of the same id, and return its id. Without an id the name decides.

    A new phase has its own gold file, or that of the first phase. A file for a phase with gold raises BadField, because
    `rescoring` replaces it. Raises BadField as `checked_plan`, Denied as `load_task`.
    """
    with store.transaction(writing=True) as connection:
        plan = _plan_to_change(connection, task, owner)
        known = {one.id for one in plan.phases}
        named = next((one.id for one in plan.phases if not phase.id and one.name == phase.name), phase.id)
        if named and named not in known:
            raise Denied(NO_TASK)
        if named and gold:
            raise BadField("gold", f"{phase.name} has a gold file: replace it, so that all teams are scored again.")
        made = replace(phase, id=named or new_id())
        others = tuple(one for one in plan.phases if one.id != made.id)
        _save(connection, task, replace(plan, phases=(*others, made)))
        if gold:
            keep_gold(connection, task, made.id, file, gold, now=store.clock(), since=store.clock())
        elif not named:
            copy_gold(connection, task, plan.phases[0].id, made.id, now=store.clock())
    return made.id


def remove_phase(store: Store, task: str, owner: str, phase: str) -> None:
    """Remove a phase, by its id or name. Raises BadInput for the last one and one with submissions, Denied."""
    with store.transaction(writing=True) as connection:
        plan = _plan_to_change(connection, task, owner)
        found = plan.phase(phase)
        here = task_submissions.c.task == task, task_submissions.c.phase == found.id
        if connection.scalar(select(func.count()).select_from(task_submissions).where(*here)):
            raise BadInput(f"{found.name} has submissions, so it stays.")
        if len(plan.phases) == 1:
            raise BadInput(f"{found.name} is the task's only phase, so it stays.")
        _save(connection, task, replace(plan, phases=tuple(one for one in plan.phases if one != found)))
        connection.execute(delete(task_golds).where(task_golds.c.task == task, task_golds.c.phase == found.id))


def all_tasks(store: Store, owner: str) -> tuple[TaskLine, ...]:
    """Return the tasks that an organiser sees, all of them, or those of somebody's teams; the newest first."""
    wanted = select(tasks).order_by(tasks.c.created.desc(), tasks.c.id)
    with store.transaction() as connection:
        if not is_organiser(connection, owner):
            mine = select(members.c.campaign).where(members.c.owner == owner, members.c.role == Role.TEAM)
            wanted = wanted.where(tasks.c.id.in_(mine))
        rows = connection.execute(wanted).all()
        approved = select(task_teams.c.task, func.count()).where(task_teams.c.approved.is_not(None))
        teams = {row[0]: int(row[1]) for row in connection.execute(approved.group_by(task_teams.c.task))}
        claims = {row.id: claims_of_phases(connection, row.id) for row in rows}
    return tuple(
        TaskLine(row.id, plan_of(row.plan), row.created, max(claims[row.id].values()), teams.get(row.id, 0))
        for row in rows
    )


def load_task(store: Store, task: str, owner: str) -> SharedTask:
    """Return a task for an organiser or a team's member. Raises Denied, in the same words for all others."""
    with store.transaction() as connection:
        row, organises = _row(connection, task), is_organiser(connection, owner)
        team = team_of(connection, task, owner)
        claims = claims_of_phases(connection, task)
    if row is None or not (organises or team):
        raise Denied(NO_TASK)
    return SharedTask(row.id, plan_of(row.plan), claims, organises, team, bool(row.sign_up))


def organised_task(connection: Connection, task: str, owner: str) -> Row[Any]:
    """Return the task's row for an organiser. Raises Denied if there is no task, or the owner may not see it."""
    row = _row(connection, task)
    if row is None or not is_organiser(connection, owner):
        raise Denied(NO_TASK)
    return row


def team_of(connection: Connection, task: str, owner: str) -> Team | None:
    """Return the approved team of the task that the owner is in, None without one."""
    wanted = (
        select(task_teams.c.id, task_teams.c.name, task_teams.c.baseline, task_teams.c.terms)
        .join(members, members.c.rater == task_teams.c.id)
        .where(members.c.owner == owner, members.c.campaign == task, members.c.role == Role.TEAM)
        .where(task_teams.c.task == task, task_teams.c.revoked.is_(None), task_teams.c.approved.is_not(None))
    )
    row = connection.execute(wanted).one_or_none()
    return Team(row.id, row.name, baseline=row.baseline, terms=row.terms) if row else None


def lock_task(connection: Connection, task: str) -> None:
    """Let nobody else change a task's plan or gold, keep a score or sign up, until the transaction ends."""
    connection.execute(select(tasks.c.id).where(tasks.c.id == task).with_for_update())


def plan_of(written: str) -> TaskPlan:
    """Return the plan that a row of `tasks` holds."""
    return from_json(json.loads(written), TaskPlan)


def _plan_to_change(connection: Connection, task: str, owner: str) -> TaskPlan:
    lock_task(connection, task)
    return plan_of(organised_task(connection, task, owner).plan)


def _save(connection: Connection, task: str, plan: TaskPlan) -> None:
    connection.execute(update(tasks).where(tasks.c.id == task).values(plan=_written(checked_plan(plan))))


def _written(plan: TaskPlan) -> str:
    return json.dumps(to_json(plan))


def _row(connection: Connection, task: str) -> Row[Any] | None:
    return connection.execute(select(tasks).where(tasks.c.id == task)).one_or_none()
