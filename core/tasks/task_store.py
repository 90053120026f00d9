"""Tasks in the database: organisers make and change them, and teams see theirs. Nobody sees the gold."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, func, select, update

from core.annotations import GoldClaim
from core.campaigns.access import Role, is_organiser, require_organiser
from core.dataclass_json import from_json, to_json
from core.errors import BadInput, Denied
from core.storage.ids import new_id
from core.storage.store import Store
from core.storage.tables import members, task_submissions, task_teams, tasks
from core.tasks.shared_task import SharedTask, TaskLine, TaskPlan, Team, checked_plan

NO_TASK = "There is no such task for you. Open your team's link again, or ask the organiser for a new one."
"""The one sentence for a task that does not exist, one of others, and a guess."""

WITHOUT_GOLD = [column for column in tasks.c if column.name != "gold"]


def create_task(store: Store, owner: str, plan: TaskPlan, gold: Sequence[GoldClaim]) -> str:
    """Store a task and return its id. Raises BadInput as `checked_plan`, and without gold claims; Denied."""
    plan = checked_plan(plan)
    if not gold:
        raise BadInput("A task needs a gold file with at least one claim.")
    row = {"id": new_id(), "owner": owner, "plan": _written(plan), "gold": json.dumps(to_json(list(gold)))}
    with store.transaction(writing=True) as connection:
        require_organiser(connection, owner)
        connection.execute(tasks.insert().values(row | {"claims": len(gold), "created": store.clock()}))
    return row["id"]


def change_task(store: Store, task: str, owner: str, plan: TaskPlan) -> None:
    """Change names, dates and limits. Gold and scores stay, so that all submissions can be compared.

    Raises BadInput as `checked_plan` and where a phase with submissions is gone, Denied as `load_task`.
    """
    used = select(task_submissions.c.phase).where(task_submissions.c.task == task).distinct()
    with store.transaction(writing=True) as connection:
        before = plan_of(organised_task(connection, task, owner).plan)
        kept = replace(checked_plan(plan), metrics=before.metrics, judging=before.judging)
        if gone := set(connection.scalars(used)) - {phase.name for phase in kept.phases}:
            raise BadInput(f"The phase {min(gone)} has submissions: keep it under this name.")
        connection.execute(update(tasks).where(tasks.c.id == task).values(plan=_written(kept)))


def all_tasks(store: Store, owner: str) -> tuple[TaskLine, ...]:
    """Return the tasks that an organiser sees, all of them, or those of somebody's teams; the newest first."""
    wanted = select(*WITHOUT_GOLD).order_by(tasks.c.created.desc(), tasks.c.id)
    with store.transaction() as connection:
        if not is_organiser(connection, owner):
            mine = select(members.c.campaign).where(members.c.owner == owner, members.c.role == Role.TEAM)
            wanted = wanted.where(tasks.c.id.in_(mine))
        rows = connection.execute(wanted).all()
        counts = select(task_teams.c.task, func.count()).group_by(task_teams.c.task)
        teams = {row[0]: int(row[1]) for row in connection.execute(counts)}
    return tuple(TaskLine(row.id, plan_of(row.plan), row.created, row.claims, teams.get(row.id, 0)) for row in rows)


def load_task(store: Store, task: str, owner: str) -> SharedTask:
    """Return a task for an organiser or a team's member. Raises Denied, in the same words for all others."""
    with store.transaction() as connection:
        row, organises = _row(connection, task), is_organiser(connection, owner)
        team = team_of(connection, task, owner)
    if row is None or not (organises or team):
        raise Denied(NO_TASK)
    return SharedTask(row.id, plan_of(row.plan), row.claims, organises, team)


def gold_of(store: Store, task: str) -> list[GoldClaim]:
    """Return a task's gold claims, for checks and scores on the server. No page shows them."""
    with store.transaction() as connection:
        content = connection.scalar(select(tasks.c.gold).where(tasks.c.id == task))
    if content is None:
        raise Denied(NO_TASK)
    return from_json(json.loads(content), list[GoldClaim])


def organised_task(connection: Connection, task: str, owner: str) -> Row[Any]:
    """Return the task's row for an organiser. Raises Denied if there is no task, or the owner may not see it."""
    row = _row(connection, task)
    if row is None or not is_organiser(connection, owner):
        raise Denied(NO_TASK)
    return row


def team_of(connection: Connection, task: str, owner: str) -> Team | None:
    """Return the team of the task that the owner is in, None without one."""
    wanted = (
        select(task_teams.c.id, task_teams.c.name)
        .join(members, members.c.rater == task_teams.c.id)
        .where(members.c.owner == owner, members.c.campaign == task, members.c.role == Role.TEAM)
        .where(task_teams.c.task == task, task_teams.c.revoked.is_(None))
    )
    row = connection.execute(wanted).one_or_none()
    return Team(row.id, row.name) if row else None


def plan_of(written: str) -> TaskPlan:
    """Return the plan that a row of `tasks` holds."""
    return from_json(json.loads(written), TaskPlan)


def _written(plan: TaskPlan) -> str:
    return json.dumps(to_json(plan))


def _row(connection: Connection, task: str) -> Row[Any] | None:
    return connection.execute(select(*WITHOUT_GOLD).where(tasks.c.id == task)).one_or_none()
