"""Teams of a task: invited by a link each, renewed, withdrawn, listed. Only organisers may."""

from __future__ import annotations

from sqlalchemy import Connection, delete, func, select, update

from core.campaigns.access import Role, new_invitation
from core.campaigns.redeeming import storable
from core.errors import BadInput, Denied
from core.storage.ids import new_id
from core.storage.store import Store
from core.storage.tables import invitations, members, task_teams
from core.tasks.shared_task import MAX_NAME, Team
from core.tasks.task_store import organised_task


def invite_team(store: Store, task: str, owner: str, name: str, *, days: float) -> str:
    """Make a team and return its link's token, which is shown this once.

    Raises BadInput if another team has the name, or `days` is not above 0 and at most 366; Denied.
    """
    name = " ".join(storable(name, "The team's name").split())
    if not 0 < len(name) <= MAX_NAME:
        raise BadInput(f"A team's name has 1 to {MAX_NAME} characters.")
    now = store.clock()
    with store.transaction(writing=True) as connection:
        organised_task(connection, task, owner)
        others = connection.scalars(select(task_teams.c.name).where(task_teams.c.task == task))
        if name.casefold() in {other.casefold() for other in others}:
            raise BadInput(f"There is a team {name} already: make a new link for it, or write another name.")
        team = {"id": new_id(), "task": task, "name": name, "created": now}
        connection.execute(task_teams.insert().values(team))
        return new_invitation(connection, Role.TEAM, task, str(team["id"]), now=now, days=days)


def renew_team_link(store: Store, task: str, owner: str, team: str, *, days: float) -> str:
    """Return the token of a new link, also for a team that was withdrawn; older links end."""
    now = store.clock()
    with store.transaction(writing=True) as connection:
        _end_links(connection, task, owner, team, now)
        connection.execute(update(task_teams).where(task_teams.c.id == team).values(revoked=None))
        return new_invitation(connection, Role.TEAM, task, team, now=now, days=days)


def withdraw_team(store: Store, task: str, owner: str, team: str) -> None:
    """End a team's links and access. Its submissions stay, and it is in no leaderboard."""
    now = store.clock()
    with store.transaction(writing=True) as connection:
        _end_links(connection, task, owner, team, now)
        connection.execute(update(task_teams).where(task_teams.c.id == team).values(revoked=now))
        connection.execute(delete(members).where(members.c.rater == team))


def task_teams_of(store: Store, task: str, owner: str) -> tuple[Team, ...]:
    """Return the teams in the order of their invitation."""
    joined = select(func.count()).select_from(members).where(members.c.rater == task_teams.c.id).scalar_subquery()
    open_links = invitations.c.rater == task_teams.c.id, invitations.c.revoked.is_(None)
    expires = select(func.max(invitations.c.expires)).where(*open_links).scalar_subquery()
    wanted = select(task_teams, joined.label("joined"), expires.label("expires")).where(task_teams.c.task == task)
    with store.transaction() as connection:
        organised_task(connection, task, owner)
        rows = connection.execute(wanted.order_by(task_teams.c.created, task_teams.c.name)).all()
    return tuple(Team(row.id, row.name, row.joined, row.expires, row.revoked is not None) for row in rows)


def _end_links(connection: Connection, task: str, owner: str, team: str, now: float) -> None:
    organised_task(connection, task, owner)
    known = select(task_teams.c.id).where(task_teams.c.id == team, task_teams.c.task == task)
    if connection.execute(known.with_for_update()).first() is None:
        raise Denied("There is no such team in this task: go back to the list.")
    current = update(invitations).where(invitations.c.rater == team, invitations.c.revoked.is_(None))
    connection.execute(current.values(revoked=now))
