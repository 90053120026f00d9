"""Teams of a task: invited or signed up, approved, sent links, withdrawn, listed. Members accept the terms."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, func, select, update

from core.actions.fields import BadField
from core.campaigns.access import Grounds, Role, membership, new_invitation, token_hash
from core.campaigns.redeeming import storable
from core.errors import BadInput, Denied
from core.storage.database import upsert
from core.storage.ids import new_id
from core.storage.store import Store
from core.storage.tables import invitations, members, task_teams, tasks
from core.tasks.gold_store import claims_of_phases
from core.tasks.shared_task import MAX_NAME, TaskPlan, Team
from core.tasks.task_store import load_task, lock_task, organised_task, plan_of

MAX_WAITING = 500
"""The most teams of a task that wait for their approval: a sign-up link may be public."""
NO_SIGN_UP = "This sign-up link is not known here or was closed: ask the organiser of the task for another one."


@dataclass(frozen=True)
class TeamLink:
    """A team and the token of its new link, which is shown this once."""

    team: str
    address: str
    token: str


@dataclass(frozen=True)
class SignUp:
    """A task as the visitor of its sign-up page sees it. `team` is the one that the visitor signed up, if any.

    `claims` has the number of gold claims of each phase, by its id.
    """

    task: str
    plan: TaskPlan
    claims: Mapping[str, int]
    team: Team | None


def read_teams(text: str) -> tuple[tuple[str, str], ...]:
    """Return the names and addresses of lines: a team, and after the last comma or tab an address with an @.

    Raises BadField if there is no line.
    """
    found = []
    for line in filter(str.strip, text.splitlines()):
        name, _, address = line.replace("\t", ",").replace(";", ",").rpartition(",")
        found.append((name.strip(), address.strip()) if "@" in address else (line.strip(" ,;\t"), ""))
    if not found:
        raise BadField("names", "Write the names of the teams, one per line; an address may follow after a comma.")
    return tuple(found)


def invite_teams(
    store: Store, task: str, owner: str, teams: Sequence[tuple[str, str]], *, days: float, baseline: bool = False
) -> tuple[TeamLink, ...]:
    """Make approved teams of these names and addresses, and a link for each, all or none.

    Raises BadField if another team has the name, BadInput if `days` is not above 0 and at most 366; Denied.
    """
    now, made = store.clock(), []
    with store.transaction(writing=True) as connection:
        organised_task(connection, task, owner)
        for given, address in teams:
            name = _free_name(connection, task, given)
            about = {"address": _address(address)}
            team = _add(connection, task, name, now, about | {"baseline": baseline, "approved": now})
            token = new_invitation(connection, Role.TEAM, task, team, now=now, days=days)
            made.append(TeamLink(name, about["address"], token))
    return tuple(made)


def invite_team(store: Store, task: str, owner: str, name: str, *, days: float, baseline: bool = False) -> str:
    """Make a team and return its link's token, as `invite_teams`."""
    return invite_teams(store, task, owner, [(name, "")], days=days, baseline=baseline)[0].token


def renew_team_link(store: Store, task: str, owner: str, team: str, *, days: float) -> str:
    """Return the token of a new link, also for a team that was withdrawn; older links end."""
    now = store.clock()
    with store.transaction(writing=True) as connection:
        _end_links(connection, task, owner, team, now)
        connection.execute(update(task_teams).where(task_teams.c.id == team).values(revoked=None, approved=now))
        return new_invitation(connection, Role.TEAM, task, team, now=now, days=days)


def withdraw_team(store: Store, task: str, owner: str, team: str) -> None:
    """End a team's links and access, or refuse its sign-up. Its submissions stay, and it is in no leaderboard."""
    now = store.clock()
    with store.transaction(writing=True) as connection:
        _end_links(connection, task, owner, team, now)
        connection.execute(update(task_teams).where(task_teams.c.id == team).values(revoked=now))
        connection.execute(delete(members).where(members.c.rater == team))


def approve_team(store: Store, task: str, owner: str, team: str) -> None:
    """Let a team that signed up take part: the browser that signed up becomes its member."""
    now = store.clock()
    with store.transaction(writing=True) as connection:
        row = _team_row(connection, task, owner, team)
        connection.execute(update(task_teams).where(task_teams.c.id == team).values(approved=now, revoked=None))
        if row.applicant:
            key = {"owner": row.applicant, "campaign": task}
            upsert(connection, members, key | membership(Role.TEAM, team, Grounds.INVITED, ""))


def mark_baseline(store: Store, task: str, owner: str, team: str, *, baseline: bool) -> None:
    """Put a team outside the ranking as a baseline, or into it again."""
    with store.transaction(writing=True) as connection:
        _team_row(connection, task, owner, team)
        connection.execute(update(task_teams).where(task_teams.c.id == team).values(baseline=baseline))


def new_links(store: Store, task: str, owner: str, *, days: float) -> tuple[TeamLink, ...]:
    """Return a new link for each team that takes part; their older links end, and nobody loses access."""
    teams = [one for one in task_teams_of(store, task, owner) if one.approved and not one.revoked]
    tokens = [renew_team_link(store, task, owner, one.id, days=days) for one in teams]
    return tuple(TeamLink(one.name, one.address, token) for one, token in zip(teams, tokens, strict=True))


def accept_terms(store: Store, task: str, owner: str, terms: str) -> None:
    """Keep the consent of the owner's team to these terms. Raises BadInput if they changed since they were shown."""
    found = load_task(store, task, owner)
    if found.team is None:
        raise Denied("Only a team accepts the terms.")
    _require_terms(found.plan, terms)
    with store.transaction() as connection:
        mine = update(task_teams).where(task_teams.c.id == found.team.id)
        connection.execute(mine.values(terms=terms, agreed=store.clock()))


def open_sign_up(store: Store, task: str, owner: str) -> str:
    """Open the sign-up page and return its token, which is shown this once; an older link ends."""
    token = secrets.token_urlsafe(32)
    _set_sign_up(store, task, owner, token_hash(token))
    return token


def close_sign_up(store: Store, task: str, owner: str) -> None:
    """Close the sign-up page. Teams that wait stay."""
    _set_sign_up(store, task, owner, "")


def sign_up_page(store: Store, token: str, owner: str) -> SignUp:
    """Return the task of a sign-up link, and the visitor's own team. Raises Denied for another token."""
    with store.transaction() as connection:
        row = _open_task(connection, token)
        mine = task_teams.c.task == row.id, task_teams.c.applicant == owner
        team = connection.execute(select(task_teams).where(*mine)).one_or_none()
        claims = claims_of_phases(connection, row.id)
    return SignUp(row.id, plan_of(row.plan), claims, _team(team) if team else None)


def sign_up(store: Store, token: str, owner: str, name: str, address: str, *, terms: str) -> None:
    """Sign a team up for the organiser's approval; a visitor signs up one team.

    Raises BadField for a name that is taken, an address without an @, and terms that changed. Raises Denied for a link
    that is not open.
    """
    now = store.clock()
    with store.transaction(writing=True) as connection:
        row = _open_task(connection, token)
        lock_task(connection, row.id)
        plan = plan_of(row.plan)
        _require_terms(plan, terms)
        if "@" not in address:
            raise BadField("address", "Write an e-mail address: the organiser answers there.")
        here = task_teams.c.task == row.id
        if connection.scalar(select(task_teams.c.id).where(here, task_teams.c.applicant == owner)) is not None:
            raise BadInput("You have signed up a team for this task already.")
        waiting = here, task_teams.c.approved.is_(None), task_teams.c.revoked.is_(None)
        if (connection.scalar(select(func.count()).select_from(task_teams).where(*waiting)) or 0) >= MAX_WAITING:
            raise BadInput("Many teams wait for their approval: try again later, or write to the organiser.")
        about = {"address": _address(address), "applicant": owner}
        agreed = {"terms": plan.terms, "agreed": now} if plan.terms else {}
        _add(connection, row.id, _free_name(connection, row.id, name), now, about | agreed)


def task_teams_of(store: Store, task: str, owner: str) -> tuple[Team, ...]:
    """Return the teams: those that wait first, then in the order of their invitation."""
    joined = select(func.count()).select_from(members).where(members.c.rater == task_teams.c.id).scalar_subquery()
    open_links = invitations.c.rater == task_teams.c.id, invitations.c.revoked.is_(None)
    expires = select(func.max(invitations.c.expires)).where(*open_links).scalar_subquery()
    wanted = select(task_teams, joined.label("joined"), expires.label("expires")).where(task_teams.c.task == task)
    with store.transaction() as connection:
        organised_task(connection, task, owner)
        rows = connection.execute(wanted.order_by(task_teams.c.created, task_teams.c.name)).all()
    return tuple(sorted((_team(row, row.joined, row.expires) for row in rows), key=lambda team: not team.waits))


def team_named(store: Store, task: str, owner: str, name: str) -> Team:
    """Return the team of a name. Raises BadField if there is none."""
    found = next((one for one in task_teams_of(store, task, owner) if one.name == name), None)
    if found is None:
        raise BadField("team", f"The task has no team {name!r}: `python -m core task invite` makes one.")
    return found


def _team(row: Row[Any], joined: int = 0, expires: float | None = None) -> Team:
    gone, approved = row.revoked is not None, row.approved is not None
    return Team(row.id, row.name, joined, expires, gone, approved, row.baseline, row.address, row.terms)


def _set_sign_up(store: Store, task: str, owner: str, hashed: str) -> None:
    with store.transaction(writing=True) as connection:
        organised_task(connection, task, owner)
        connection.execute(update(tasks).where(tasks.c.id == task).values(sign_up=hashed))


def _open_task(connection: Connection, token: str) -> Row[Any]:
    row = connection.execute(select(tasks).where(tasks.c.sign_up == token_hash(token))).one_or_none()
    if row is None:
        raise Denied(NO_SIGN_UP)
    return row


def _require_terms(plan: TaskPlan, terms: str) -> None:
    if plan.terms != terms:
        raise BadField("terms", "The organiser has just changed the terms: read them again, then accept them.")


def _free_name(connection: Connection, task: str, given: str) -> str:
    """Return a team's name on one line. Raises BadField for an empty or too long one, and one that is taken."""
    # Without invisible characters, by which two teams would have one name on the board.
    name = "".join(filter(str.isprintable, " ".join(storable(given, "The team's name").split())))
    if not 0 < len(name) <= MAX_NAME:
        raise BadField("name", f"A team's name has 1 to {MAX_NAME} characters.")
    others = connection.scalars(select(task_teams.c.name).where(task_teams.c.task == task))
    if name.casefold() in {other.casefold() for other in others}:
        raise BadField("name", f"There is a team {name} already: write another name.")
    return name


def _address(given: str) -> str:
    address = storable(given.strip(), "The address")
    if len(address) > MAX_NAME:
        raise BadField("address", f"An address has at most {MAX_NAME} characters.")
    return address


def _add(connection: Connection, task: str, name: str, now: float, about: dict[str, Any]) -> str:
    row = {"id": new_id(), "task": task, "name": name, "created": now}
    connection.execute(task_teams.insert().values(row | about))
    return str(row["id"])


def _team_row(connection: Connection, task: str, owner: str, team: str) -> Row[Any]:
    """Return a team of the task, locked, for its organiser."""
    organised_task(connection, task, owner)
    known = select(task_teams).where(task_teams.c.id == team, task_teams.c.task == task)
    row = connection.execute(known.with_for_update()).one_or_none()
    if row is None:
        raise Denied("There is no such team in this task: go back to the list.")
    return row


def _end_links(connection: Connection, task: str, owner: str, team: str, now: float) -> None:
    _team_row(connection, task, owner, team)
    current = update(invitations).where(invitations.c.rater == team, invitations.c.revoked.is_(None))
    connection.execute(current.values(revoked=now))
