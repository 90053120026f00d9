"""Permissions: roles, invitation links, local mode. Decided from an owner hash and the database alone."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Mapping
from enum import StrEnum
from ipaddress import ip_address

from sqlalchemy import Connection, delete, select

from core.errors import BadInput, Denied
from core.storage.database import upsert
from core.storage.store import Store
from core.storage.tables import invitations, members

EVERY_CAMPAIGN = ""
"""In the place of a campaign's id: an organiser's role is for all of a server's campaigns."""
COMMAND_LINE = "command line"
"""The owner of everything done on the command line; no browser can have it, for its owners are hashes."""
MAX_DAYS = 366
_PROXY_HEADERS = ("forwarded", "x-forwarded-for", "x-real-ip")


class Role(StrEnum):
    """Roles of a person, who may have several. TEAM is that of a shared task's team."""

    ORGANISER = "organiser"
    ANNOTATOR = "annotator"
    TEAM = "team"
    JOURNALIST = "journalist"


class Grounds(StrEnum):
    """Why an owner has a role. A role on LISTED or LOCAL ends when its ground no longer holds."""

    INVITED = "invitation"
    LISTED = "list"
    LOCAL = "local"
    COMMAND = "command"


def reached_locally(server_address: str, headers: Mapping[str, str]) -> bool:
    """Tell whether only this machine can reach the server, and this request came without a proxy.

    `server_address` is the address that the server listens at ("" means everywhere); `headers` are the request's.
    A page with another host name is not local, even if that name leads to this machine.
    """
    names = {name.lower(): value for name, value in headers.items()}
    host = names.get("host", "localhost").strip()
    host = host[1 : host.index("]")] if host.startswith("[") and "]" in host else host.partition(":")[0]
    return is_loopback(server_address) and is_loopback(host) and not any(name in names for name in _PROXY_HEADERS)


def is_loopback(host: str) -> bool:
    """Tell whether a name or address leads to the machine itself."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def roles_of(
    store: Store, owner: str, *, email: str = "", local: bool = False, organisers: Collection[str] = ()
) -> frozenset[Role]:
    """Return the owner's roles, and bring their organiser's role up to date; call it as a page begins.

    `email` is verified by sign-in, `organisers` are the organisers' e-mail addresses. `local` means a single machine
    without sign-in (`reached_locally`). Every visitor is then its organiser, until an organiser's invitation has been
    redeemed. Raises StoreError.
    """
    listed = bool(email) and email.casefold() in {address.casefold() for address in organisers}
    with store.transaction() as connection:
        grounds = _organiser_grounds(connection, owner)
        due = _due_grounds(connection, grounds, listed=listed, local=local)
    if due != grounds:
        with store.transaction(writing=True) as connection:
            grounds = _organiser_grounds(connection, owner)
            due = _due_grounds(connection, grounds, listed=listed, local=local)
            set_organiser(connection, owner, due)
    with store.transaction() as connection:
        roles = connection.scalars(select(members.c.role).where(members.c.owner == owner))
        return frozenset({Role.JOURNALIST, *(Role(role) for role in roles)})


def local_mode_has_ended(store: Store) -> bool:
    """Tell whether an organiser's invitation was redeemed: since then nobody is one for having reached the machine."""
    with store.transaction() as connection:
        return _organiser_was_invited(connection)


def _organiser_grounds(connection: Connection, owner: str) -> Grounds | None:
    wanted = select(members.c.grounds).where(members.c.owner == owner, members.c.campaign == EVERY_CAMPAIGN)
    grounds = connection.scalar(wanted)
    return Grounds(grounds) if grounds else None


def _due_grounds(connection: Connection, grounds: Grounds | None, *, listed: bool, local: bool) -> Grounds | None:
    if grounds in (Grounds.INVITED, Grounds.COMMAND):
        return grounds
    if listed:
        return Grounds.LISTED
    return Grounds.LOCAL if local and not _organiser_was_invited(connection) else None


def _organiser_was_invited(connection: Connection) -> bool:
    invited = select(members.c.owner).where(members.c.campaign == EVERY_CAMPAIGN, members.c.grounds == Grounds.INVITED)
    return connection.execute(invited.limit(1)).first() is not None


def set_organiser(connection: Connection, owner: str, grounds: Grounds | None, invitation: str = "") -> None:
    """Make the owner an organiser on these grounds, or with None no longer one."""
    if grounds is None:
        connection.execute(delete(members).where(members.c.owner == owner, members.c.campaign == EVERY_CAMPAIGN))
        return
    key = {"owner": owner, "campaign": EVERY_CAMPAIGN}
    upsert(connection, members, key | membership(Role.ORGANISER, "", grounds, invitation))


def membership(role: Role, rater: str, grounds: Grounds, invitation: str) -> dict[str, str]:
    """Return the columns of `members` beside its key."""
    return {"role": role, "rater": rater, "grounds": grounds, "invitation": invitation}


def command_line(store: Store) -> str:
    """Return the owner for the command line, an organiser: who runs it can read the database anyway."""
    with store.transaction(writing=True) as connection:
        set_organiser(connection, COMMAND_LINE, Grounds.COMMAND)
    return COMMAND_LINE


def is_organiser(connection: Connection, owner: str) -> bool:
    """Tell whether the owner is an organiser."""
    return _organiser_grounds(connection, owner) is not None


def require_organiser(connection: Connection, owner: str) -> None:
    """Raise Denied unless the owner is an organiser."""
    if not is_organiser(connection, owner):
        raise Denied("Only an organiser may do this: open your organiser link, or sign in as one.")


def token_hash(token: str) -> str:
    """Return the database's key of an invitation; the token itself is never stored."""
    return hashlib.sha256(token.encode()).hexdigest()


def invite_organiser(store: Store, *, days: float) -> str:
    """Make an organiser's link good for `days` and return its token, which is shown this once."""
    with store.transaction(writing=True) as connection:
        return new_invitation(connection, Role.ORGANISER, EVERY_CAMPAIGN, "", now=store.clock(), days=days)


def new_invitation(connection: Connection, role: Role, campaign: str, rater: str, *, now: float, days: float) -> str:
    """Store an invitation and return its token. Raises BadInput unless `days` is above 0 and at most 366."""
    if not 0 < days <= MAX_DAYS:
        raise BadInput(f"A link is good for more than 0 and at most {MAX_DAYS} days, not {days:g}.")
    token = secrets.token_urlsafe(32)
    row = {"token_hash": token_hash(token), "role": role, "campaign": campaign, "rater": rater}
    connection.execute(invitations.insert().values(row | {"created": now, "expires": now + days * 86_400}))
    return token
