"""The gold files of a task's phases, for checks and scores on the server. No page shows their content."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select

from core.actions.fields import BadField
from core.annotations import GoldClaim
from core.campaigns.redeeming import storable
from core.dataclass_json import from_json, to_json
from core.storage.ids import new_id
from core.storage.store import Store
from core.storage.tables import task_golds

MAX_FILE = 200


def keep_gold(
    connection: Connection,
    task: str,
    phase: str,
    file: str,
    gold: Sequence[GoldClaim],
    *,
    now: float,
    since: float | None,
    reason: str = "",
) -> str:
    """Store a gold file of a phase and return its id. It is in force `since` a time, or not yet.

    Raises BadField without claims.
    """
    if not gold:
        raise BadField("gold", "A phase needs a gold file with at least one claim.")
    earlier = select(func.max(task_golds.c.number)).where(task_golds.c.task == task, task_golds.c.phase == phase)
    row = {
        "id": new_id(),
        "task": task,
        "phase": phase,
        "number": (connection.scalar(earlier) or 0) + 1,
        "file": storable(file, "The file's name")[:MAX_FILE],
        "content": json.dumps(to_json(list(gold))),
        "claims": len(gold),
        "reason": reason,
        "made": now,
        "since": since,
    }
    connection.execute(task_golds.insert().values(row))
    return str(row["id"])


def copy_gold(connection: Connection, task: str, phase: str, new_phase: str, *, now: float) -> None:
    """Give a new phase the gold file of another one."""
    content = select(task_golds.c.file, task_golds.c.content).where(task_golds.c.id == gold_id(connection, task, phase))
    row = connection.execute(content).one()
    keep_gold(connection, task, new_phase, row.file, _claims(row.content), now=now, since=now)


def gold_id(connection: Connection, task: str, phase: str) -> str:
    """Return the id of the gold file that is in force in a phase."""
    return golds_in_force(connection, task)[phase]


def gold_of(store: Store, task: str, phase: str) -> list[GoldClaim]:
    """Return the gold claims that are in force in a phase."""
    with store.transaction() as connection:
        return claims_in(connection, gold_id(connection, task, phase))


def claims_in(connection: Connection, gold: str) -> list[GoldClaim]:
    """Return the claims of a gold file."""
    return _claims(connection.scalars(select(task_golds.c.content).where(task_golds.c.id == gold)).one())


def claims_of_phases(connection: Connection, task: str) -> dict[str, int]:
    """Return the number of gold claims in force, by phase."""
    return {phase: row.claims for phase, row in _in_force(connection, task).items()}


def golds_in_force(connection: Connection, task: str) -> dict[str, str]:
    """Return the id of the gold file in force, by phase."""
    return {phase: row.id for phase, row in _in_force(connection, task).items()}


def _in_force(connection: Connection, task: str) -> dict[str, Row[Any]]:
    wanted: Select[Any] = select(task_golds.c.phase, task_golds.c.id, task_golds.c.claims).where(
        task_golds.c.task == task
    )
    in_force = wanted.where(task_golds.c.since.is_not(None)).order_by(task_golds.c.number)
    rows = connection.execute(in_force)
    return {row.phase: row for row in rows}


def _claims(content: str) -> list[GoldClaim]:
    return from_json(json.loads(content), list[GoldClaim])
