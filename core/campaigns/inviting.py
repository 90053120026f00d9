"""What an organiser may do with raters: invite them, send a new link, withdraw it, list them; and with all links."""

from __future__ import annotations

from sqlalchemy import Connection, case, delete, func, or_, select, update

from core.campaigns.access import Role, new_invitation, require_organiser
from core.campaigns.assigning import lock
from core.campaigns.organising import new_id, organised, storable
from core.campaigns.types import InvitedRater, Link
from core.errors import BadInput, Denied
from core.storage.store import Store
from core.storage.tables import campaigns, invitations, members, people, raters


def invite_rater(store: Store, campaign: str, owner: str, name: str, address: str, team: str, *, days: float) -> str:
    """Make a rater with the next pseudonym and return the token of their link, which is shown this once.

    `team` keeps them from rating its own system; it, `name` and `address` may be empty. Raises BadInput if
    the address has a rater already, or `days` is not above 0 and at most 366.
    """
    name, address, team = (" ".join(storable(text, "The invitation").split()) for text in (name, address, team))
    with store.transaction(writing=True) as connection:
        lock(connection, campaign)
        organised(connection, campaign, owner)
        _refuse_twice(connection, campaign, address)
        now = store.clock()
        rater = new_id()
        row = {"id": rater, "campaign": campaign, "team": team, "created": now}
        connection.execute(raters.insert().values(row | {"pseudonym": free_pseudonym(connection, campaign)}))
        person = {"rater": rater, "campaign": campaign, "name": name, "address": address}
        connection.execute(people.insert().values(person))
        return new_invitation(connection, Role.ANNOTATOR, campaign, rater, now=now, days=days)


def renew_link(store: Store, campaign: str, owner: str, rater: str, *, days: float) -> str:
    """Return the token of a new link for a rater, also for one who was withdrawn; older links end."""
    with store.transaction(writing=True) as connection:
        _end_links(store, connection, campaign, owner, rater)
        connection.execute(update(raters).where(raters.c.id == rater).values(revoked=None))
        now = store.clock()
        return new_invitation(connection, Role.ANNOTATOR, campaign, rater, now=now, days=days)


def revoke_rater(store: Store, campaign: str, owner: str, rater: str) -> None:
    """Withdraw a rater's links and access. Their answers stay; what they had not submitted others may get."""
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
        select(raters, people.c.name, people.c.address, links.c.expires)
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
        )
        for row in rows
    )


def open_links(store: Store, owner: str) -> tuple[Link, ...]:
    """Return the organisers' and raters' links that are open, or by which somebody has a role, the oldest first."""
    table = invitations.c
    # A rater may still be there by an older link than the last.
    theirs = case((table.rater == "", members.c.invitation == table.token_hash), else_=members.c.rater == table.rater)
    opened = select(func.count()).select_from(members).where(theirs).correlate(invitations).scalar_subquery()
    wanted = (
        select(invitations, campaigns.c.title, raters.c.pseudonym, people.c.name, opened.label("opened"))
        .outerjoin(campaigns, campaigns.c.id == table.campaign)
        .outerjoin(raters, raters.c.id == table.rater)
        .outerjoin(people, people.c.rater == table.rater)
        .where(table.revoked.is_(None), or_(table.expires > store.clock(), opened > 0))
    )
    with store.transaction() as connection:
        require_organiser(connection, owner)
        rows = connection.execute(wanted.order_by(table.created, table.token_hash)).all()
    return tuple(
        Link(
            name=row.token_hash,
            whom=f"{row.name or row.pseudonym}, rater of {row.title}" if row.rater else "an organiser",
            campaign=row.campaign,
            rater=row.rater,
            created=row.created,
            expires=row.expires,
            opened=row.opened,
        )
        for row in rows
    )


def withdraw_link(store: Store, owner: str, name: str) -> Link:
    """End the link of this name, or beginning of one, and the role it gave; of a rater all links, as `revoke`.

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


def free_pseudonym(connection: Connection, campaign: str) -> str:
    """Return the first of R01, R02, … that nobody has; imported raters bring theirs, with gaps."""
    taken = set(connection.scalars(select(raters.c.pseudonym).where(raters.c.campaign == campaign)))
    return next(name for number in range(1, len(taken) + 2) if (name := f"R{number:02}") not in taken)


def _refuse_twice(connection: Connection, campaign: str, address: str) -> None:
    known = (
        select(raters.c.pseudonym, people.c.address)
        .join(people, people.c.rater == raters.c.id)
        .where(raters.c.campaign == campaign)
    )
    for pseudonym, other in connection.execute(known):
        if address and other.casefold() == address.casefold():
            raise BadInput(f"{address} is invited already, as {pseudonym}: make a new link for them instead.")
