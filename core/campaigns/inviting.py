"""An organiser's actions on raters: invite them, send a new link, withdraw it, list them; and on all links."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, case, delete, func, or_, select, update

from core.campaigns.access import Role, new_invitation, require_organiser
from core.campaigns.assignment_store import lock
from core.campaigns.organising import organised
from core.campaigns.redeeming import add_rater, storable
from core.campaigns.types import InvitedRater, Link
from core.errors import BadInput, Denied
from core.storage.store import Store
from core.storage.tables import campaigns, invitations, members, people, raters, task_teams


@dataclass(frozen=True)
class Person:
    """Somebody to be invited; `team` keeps them from rating its own system. All but the name may be empty."""

    name: str
    address: str = ""
    team: str = ""


@dataclass(frozen=True)
class Invitation:
    """A rater's new link: the token is shown this once."""

    person: Person
    pseudonym: str
    token: str


def read_people(text: str) -> tuple[Person, ...]:
    """Return the people of pasted lines: a name, and after commas, semicolons or tabs an address and a team.

    Raises BadInput if a line has no name or too many parts, and names the line; also for no lines.
    """
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        parts = _parts(line)
        if not line.strip():
            continue
        if not parts[0] or len(parts) > 3:
            raise BadInput(f"Line {number}: write a name, and if you like an address and a team, with commas between.")
        found.append(Person(*parts))
    if not found:
        raise BadInput("Write the names of those who are to be invited, one per line.")
    return tuple(found)


def _parts(line: str) -> list[str]:
    """Return name, address and team of a line; "Smith, John" is one name, for an address has an @."""
    parts = [part.strip() for part in re.split(r"[;\t]" if re.search(r"[;\t]", line) else ",", line)]
    if len(parts) > 1 and parts[1] and "@" not in parts[1] and (len(parts) == 2 or "@" in parts[2]):
        parts[:2] = [f"{parts[0]}, {parts[1]}"]
    return parts


def invite_raters(
    store: Store, campaign: str, owner: str, people: Sequence[Person], *, days: float
) -> tuple[Invitation, ...]:
    """Make raters with the next pseudonyms and a link for each, all or none.

    Raises BadInput if an address has a rater already, or `days` is not above 0 and at most 366.
    """
    made = []
    with store.transaction(writing=True) as connection:
        lock(connection, campaign)
        organised(connection, campaign, owner)
        for person in map(_tidy, people):
            _refuse_twice(connection, campaign, person.address)
            now = store.clock()
            rater, pseudonym = add_rater(connection, campaign, now, **vars(person))
            token = new_invitation(connection, Role.ANNOTATOR, campaign, rater, now=now, days=days)
            made.append(Invitation(person, pseudonym, token))
    return tuple(made)


def invite_rater(store: Store, campaign: str, owner: str, name: str, address: str, team: str, *, days: float) -> str:
    """Make a rater and return the token of their link, as `invite_raters`."""
    return invite_raters(store, campaign, owner, [Person(name, address, team)], days=days)[0].token


def invite_anyone(store: Store, campaign: str, owner: str, *, days: float) -> str:
    """Return the token of a link that makes each visitor a rater: see `core.campaigns.redeeming.redeem`."""
    with store.transaction(writing=True) as connection:
        organised(connection, campaign, owner)
        return new_invitation(connection, Role.ANNOTATOR, campaign, "", now=store.clock(), days=days)


def renew_link(store: Store, campaign: str, owner: str, rater: str, *, days: float) -> str:
    """Return the token of a new link for a rater, also for one who was withdrawn; older links end."""
    with store.transaction(writing=True) as connection:
        _end_links(store, connection, campaign, owner, rater)
        connection.execute(update(raters).where(raters.c.id == rater).values(revoked=None))
        now = store.clock()
        return new_invitation(connection, Role.ANNOTATOR, campaign, rater, now=now, days=days)


def revoke_rater(store: Store, campaign: str, owner: str, rater: str) -> None:
    """Withdraw a rater's links and access. Their answers stay; others may get their open items."""
    with store.transaction(writing=True) as connection:
        _end_links(store, connection, campaign, owner, rater)
        connection.execute(update(raters).where(raters.c.id == rater).values(revoked=store.clock()))
        connection.execute(delete(members).where(members.c.rater == rater))


def invited_raters(store: Store, campaign: str, owner: str) -> tuple[InvitedRater, ...]:
    """Return the raters of a campaign by pseudonym, with their names and addresses."""
    links = (
        select(invitations.c.rater, func.max(invitations.c.expires).label("expires"))
        .where(invitations.c.campaign == campaign, invitations.c.revoked.is_(None))
        .group_by(invitations.c.rater)
        .subquery()
    )
    wanted = (
        select(raters, people.c.name, people.c.address, people.c.external, links.c.expires)
        .add_columns(select(members.c.owner).where(members.c.rater == raters.c.id).exists().label("joined"))
        .join(people, people.c.rater == raters.c.id)
        .outerjoin(links, links.c.rater == raters.c.id)
        .where(raters.c.campaign == campaign)
    )
    with store.transaction() as connection:
        organised(connection, campaign, owner)
        rows = connection.execute(wanted.order_by(raters.c.created, raters.c.pseudonym)).all()
    return tuple(
        InvitedRater(
            id=row.id,
            pseudonym=row.pseudonym,
            team=row.team,
            name=row.name,
            address=row.address,
            created=row.created,
            expires=row.expires,
            joined=row.joined,
            revoked=row.revoked is not None,
            external=row.external,
        )
        for row in rows
    )


def open_links(store: Store, owner: str) -> tuple[Link, ...]:
    """Return all links that are open, or by which somebody has a role, the oldest first."""
    table = invitations.c
    # A rater may still be there by an older link than the last.
    theirs = case((table.rater == "", members.c.invitation == table.token_hash), else_=members.c.rater == table.rater)
    opened = select(func.count()).select_from(members).where(theirs).correlate(invitations).scalar_subquery()
    wanted = (
        select(invitations, campaigns.c.title, raters.c.pseudonym, people.c.name, opened.label("opened"))
        .add_columns(task_teams.c.name.label("team"))
        .outerjoin(campaigns, campaigns.c.id == table.campaign)
        .outerjoin(raters, raters.c.id == table.rater)
        .outerjoin(people, people.c.rater == table.rater)
        .outerjoin(task_teams, task_teams.c.id == table.rater)
        .where(table.revoked.is_(None), or_(table.expires > store.clock(), opened > 0))
    )
    with store.transaction() as connection:
        require_organiser(connection, owner)
        rows = connection.execute(wanted.order_by(table.created, table.token_hash)).all()
    return tuple(
        Link(
            name=row.token_hash,
            whom=_whom(row),
            campaign=row.campaign,
            rater="" if row.team else row.rater,
            created=row.created,
            expires=row.expires,
            opened=row.opened,
        )
        for row in rows
    )


def _whom(row: Row[Any]) -> str:
    if row.team:
        return f"the team {row.team} of a task"
    if row.rater:
        return f"{row.name or row.pseudonym}, rater of {row.title}"
    return f"anybody who opens it, as a rater of {row.title}" if row.campaign else "an organiser"


def withdraw_link(store: Store, owner: str, name: str) -> Link:
    """End the link of this name, or beginning of one, and the role it gave. For a rater end all links, as `revoke`.

    Raises BadInput if it is not exactly one.
    """
    found = [link for link in open_links(store, owner) if name and link.name.startswith(name)]
    if len(found) != 1:
        several = "Several links begin" if found else "No link begins"
        raise BadInput(f"{several} with {name[:64]!r}: `python -m core invite --links` shows their names.")
    (link,) = found
    if link.rater:
        revoke_rater(store, link.campaign, owner, link.rater)
    else:
        with store.transaction(writing=True) as connection:
            require_organiser(connection, owner)
            mine = update(invitations).where(invitations.c.token_hash == link.name)
            connection.execute(mine.values(revoked=store.clock()))
            connection.execute(delete(members).where(members.c.invitation == link.name))
    return link


def _end_links(store: Store, connection: Connection, campaign: str, owner: str, rater: str) -> None:
    lock(connection, campaign)
    organised(connection, campaign, owner)
    known = select(raters.c.id).where(raters.c.id == rater, raters.c.campaign == campaign)
    if connection.scalar(known) is None:
        raise Denied("There is no such rater in this campaign: go back to the list.")
    current = update(invitations).where(invitations.c.rater == rater, invitations.c.revoked.is_(None))
    connection.execute(current.values(revoked=store.clock()))


def _refuse_twice(connection: Connection, campaign: str, address: str) -> None:
    known = (
        select(raters.c.pseudonym, people.c.address)
        .join(people, people.c.rater == raters.c.id)
        .where(raters.c.campaign == campaign)
    )
    for pseudonym, other in connection.execute(known):
        if address and other.casefold() == address.casefold():
            raise BadInput(f"{address} is invited already, as {pseudonym}: make a new link for them instead.")


def _tidy(person: Person) -> Person:
    return Person(*(" ".join(storable(text, "The invitation").split()) for text in vars(person).values()))
