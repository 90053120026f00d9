"""Leaving careless raters, or single ratings, out of every figure: with a reason, reversible, and in the history."""

from __future__ import annotations

from sqlalchemy import Connection, select

from core.campaigns.assignment_store import lock, recount
from core.campaigns.organising import organised
from core.campaigns.redeeming import storable
from core.campaigns.types import Exclusion
from core.errors import BadInput, Denied
from core.storage.store import Store
from core.storage.tables import assignments, exclusions, raters

MAX_REASON = 2000


def set_excluded(
    store: Store, campaign: str, owner: str, rater: str, reason: str, *, item: str = "", excluded: bool = True
) -> None:
    """Exclude a rater's answers, or take them back in with `excluded` false; the items go to others, or no more.

    `rater` is a pseudonym, `item` the item's id in the campaign. An empty `item` means all items; the rater then gets
    no new ones. Raises BadInput for an exclusion without a reason, Denied where there is no such rating.
    """
    reason = storable(reason.strip(), "The reason")
    if len(reason) > MAX_REASON or (excluded and not reason):
        raise BadInput(f"An exclusion needs a reason of at most {MAX_REASON:,} characters: readers of the study ask.")
    with store.transaction(writing=True) as connection:
        lock(connection, campaign)
        organised(connection, campaign, owner)
        rater_id = _rater(connection, campaign, rater, item)
        row = {"campaign": campaign, "rater": rater_id, "item": item, "excluded": excluded, "reason": reason}
        connection.execute(exclusions.insert().values(row | {"owner": owner, "saved": store.clock()}))
        recount(connection, campaign, rater_id)


def exclusion_history(store: Store, campaign: str, owner: str) -> tuple[Exclusion, ...]:
    """Return every decision, the oldest first."""
    wanted = select(exclusions, raters.c.pseudonym).join(raters, raters.c.id == exclusions.c.rater)
    with store.transaction() as connection:
        organised(connection, campaign, owner)
        rows = connection.execute(wanted.where(exclusions.c.campaign == campaign).order_by(exclusions.c.id)).all()
    return tuple(Exclusion(row.pseudonym, row.item, row.excluded, row.reason, row.saved) for row in rows)


def excluded_now(history: tuple[Exclusion, ...]) -> dict[tuple[str, str], Exclusion]:
    """Return the current exclusions, by (rater, item): of the decisions about one thing the last counts."""
    newest = {(one.rater, one.item): one for one in history}
    return {key: one for key, one in newest.items() if one.excluded}


def _rater(connection: Connection, campaign: str, rater: str, item: str) -> str:
    known = select(raters.c.id).where(raters.c.campaign == campaign, raters.c.pseudonym == rater)
    found = connection.scalar(known)
    held = select(assignments.c.item).where(assignments.c.rater == found, assignments.c.item == item)
    if found is None or (item and connection.scalar(held) is None):
        raise Denied("There is no such rater or rating in this campaign: go back to the list.")
    return str(found)
