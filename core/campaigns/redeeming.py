"""Make somebody a rater or an organiser when they open a link."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, delete, select

from core.campaigns.access import Grounds, Role, membership, set_organiser, token_hash
from core.errors import BadInput, Denied
from core.storage.database import upsert
from core.storage.ids import new_id
from core.storage.store import Store
from core.storage.tables import campaigns, invitations, members, people, raters

MAX_EXTERNAL = 200


@dataclass(frozen=True)
class Redeemed:
    """The result of an invitation link: the role, and the campaign or the task ("" for an organiser)."""

    role: Role
    campaign: str


def redeem(store: Store, token: str, owner: str, external: str = "") -> Redeemed:
    """Give the owner the role of an invitation link, on this device as on others where it was opened.

    An open link makes every visitor a rater. Each `external` id of another service is one rater, and so is each owner
    without an id.

    Raises Denied, with a sentence, if the link is not known, was withdrawn or has ended.
    """
    hashed = token_hash(token)
    with store.transaction(writing=True) as connection:
        # Locked: a link that is being withdrawn lets nobody in.
        wanted = select(invitations).where(invitations.c.token_hash == hashed).with_for_update()
        link = connection.execute(wanted).one_or_none()
        if link is None:
            raise Denied("This invitation is not known here: check that the link is whole, or ask for a new one.")
        if link.revoked is not None:
            raise Denied("This invitation was withdrawn: ask the organiser for a new link.")
        if link.expires <= store.clock():
            end = datetime.fromtimestamp(link.expires, UTC)
            raise Denied(f"This invitation ended on {end.day} {end:%B %Y}: ask the organiser for a new link.")
        if link.role == Role.ORGANISER:
            set_organiser(connection, owner, Grounds.INVITED, hashed)
            # From now on there are organisers with names: nobody is one for having reached the machine.
            connection.execute(delete(members).where(members.c.grounds == Grounds.LOCAL))
        else:
            rater = link.rater or _whoever(connection, link.campaign, owner, external, store.clock())
            key = {"owner": owner, "campaign": link.campaign}
            upsert(connection, members, key | membership(Role(link.role), rater, Grounds.INVITED, hashed))
        return Redeemed(Role(link.role), link.campaign)


def add_rater(
    connection: Connection,
    campaign: str,
    now: float,
    *,
    name: str = "",
    address: str = "",
    team: str = "",
    external: str = "",
) -> tuple[str, str]:
    """Store a rater under the next free pseudonym; return its id and pseudonym. The campaign must be locked."""
    rater, pseudonym = new_id(), free_pseudonym(connection, campaign)
    row = {"id": rater, "campaign": campaign, "team": team, "created": now, "pseudonym": pseudonym}
    connection.execute(raters.insert().values(row))
    person = {"rater": rater, "campaign": campaign, "name": name, "address": address, "external": external}
    connection.execute(people.insert().values(person))
    return rater, pseudonym


def free_pseudonym(connection: Connection, campaign: str) -> str:
    """Return the first of R01, R02, … that nobody has; imported raters bring theirs, with gaps."""
    taken = set(connection.scalars(select(raters.c.pseudonym).where(raters.c.campaign == campaign)))
    return next(name for number in range(1, len(taken) + 2) if (name := f"R{number:02}") not in taken)


def storable(text: str, what: str) -> str:
    """Return a text that both databases can keep. Raises BadInput naming the text with a character that they cannot
    keep.
    """
    # PostgreSQL has no U+0000, and neither can write half of a surrogate pair.
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise BadInput(f"{what} holds a character of no script (U+0000 or a lone surrogate): remove it.")
    return text


def _whoever(connection: Connection, campaign: str, owner: str, external: str, now: float) -> str:
    """Return the rater that this visitor is, a new one at their first visit. Raises Denied if they were revoked."""
    connection.execute(select(campaigns.c.id).where(campaigns.c.id == campaign).with_for_update())
    external = storable(external.strip(), "The id")[:MAX_EXTERNAL]
    known = select(raters.c.id, raters.c.revoked).where(raters.c.campaign == campaign)
    if external:
        known = known.join(people, people.c.rater == raters.c.id).where(people.c.external == external)
    else:
        known = known.join(members, members.c.rater == raters.c.id).where(members.c.owner == owner)
    row = connection.execute(known).first()
    if row is None:
        return add_rater(connection, campaign, now, external=external)[0]
    if row.revoked is not None:
        raise Denied("The organiser has ended your access to this campaign; your answers are kept.")
    return str(row.id)
