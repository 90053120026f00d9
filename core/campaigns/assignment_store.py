"""Assignment in the database: one rater at a time takes the next item of a campaign."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    delete,
    false,
    func,
    literal,
    or_,
    select,
    true,
    union_all,
    update,
)

from core.campaigns.assignment import (
    Assignment,
    Item,
    Quota,
    Rater,
    Snapshot,
    conflicted,
    kinds,
    next_item,
    share,
    superfluous,
)
from core.campaigns.planning.rating_form import CANNOT_JUDGE
from core.storage.tables import answers, assignments, campaign_items, campaigns, exclusions, raters

MAX_POOLS = 32
"""Campaigns with items kept in memory: 2,000 of them take half a megabyte."""
_POOLS: dict[str, tuple[Item, ...]] = {}
_READING = Lock()

NO_TEXT = '""'
"""An empty text as the database keeps it."""


@dataclass(frozen=True)
class Turn:
    """One rater's turn in a campaign: the campaign's state, and the rater."""

    campaign: str
    snapshot: Snapshot
    rater: Rater


def lock(connection: Connection, campaign: str) -> None:
    """Keep all others from assigning items or adding raters until the transaction ends.

    SQLite's writing transaction does so by itself, PostgreSQL by the campaign's row.
    """
    connection.execute(select(campaigns.c.id).where(campaigns.c.id == campaign).with_for_update())


def turn(connection: Connection, campaign: str, rater: str, *, now: float) -> Turn:
    """Return the state of the campaign for a rater. These values decide; none of them is shown to a rater."""
    plan = connection.execute(select(campaigns).where(campaigns.c.id == campaign)).one()
    everyone = _raters(connection, campaign)
    items = _items(connection, campaign)
    held, rated = _at_work_and_rated(connection, campaign, rater)
    controls = [item.id for item in items if item.control]
    # The raters' remaining capacity counts only where somebody may not rate everything.
    given = _given_by_others(connection, campaign, rater, controls) if conflicted(items, everyone) else {}
    snapshot = Snapshot(items, everyone, held, _quota(plan), plan.seed, now, rated=rated, given=given)
    return Turn(campaign, snapshot, next(me for me in everyone if me.id == rater))


def total(connection: Connection, campaign: str, rater: str) -> int:
    """Return how many items the rater is to get in all, controls included."""
    plan = connection.execute(select(campaigns).where(campaigns.c.id == campaign)).one()
    me = _rater(connection.execute(select(raters).where(raters.c.id == rater)).one(), frozenset())
    return sum(share(kinds(_items(connection, campaign)), me, _quota(plan)))


def assign(connection: Connection, turn: Turn) -> str | None:
    """Give the rater the next item and return its id, None if nothing is left. The campaign must be locked."""
    item = next_item(turn.snapshot, turn.rater)
    if item is None:
        return None
    mine = select(assignments.c.position).where(assignments.c.rater == turn.rater.id, assignments.c.position > 0)
    taken = set(connection.scalars(mine))
    # A place that was given back is taken again: the rater counts without gaps.
    position = next(place for place in range(1, len(taken) + 2) if place not in taken)
    now = turn.snapshot.now
    row = {"campaign": turn.campaign, "item": item, "rater": turn.rater.id, "position": position}
    connection.execute(assignments.insert().values(row | {"opened": now, "touched": now, "seconds": 0.0}))
    return item


def give_back(connection: Connection, turn: Turn, item: str) -> bool:
    """Take an item out of the rater's hands if they left it lying unanswered and others have rated it since."""
    assignment = next(h for h in turn.snapshot.assignments if (h.item, h.rater) == (item, turn.rater.id))
    answered = select(answers.c.question).where(answers.c.item == item, answers.c.rater == turn.rater.id)
    if assignment.submitted or not superfluous(assignment, turn.snapshot) or connection.execute(answered).first():
        return False
    mine = (assignments.c.campaign == turn.campaign, assignments.c.item == item, assignments.c.rater == turn.rater.id)
    connection.execute(delete(assignments).where(*mine))
    return True


def excluded_raters(connection: Connection, campaign: str) -> frozenset[str]:
    """Return the ids of the raters of whom nothing counts."""
    table = exclusions.c
    wanted = select(table.rater, table.excluded).where(table.campaign == campaign, table.item == "")
    newest = {row.rater: row.excluded for row in connection.execute(wanted.order_by(table.id))}
    return frozenset(rater for rater, excluded in newest.items() if excluded)


def recount(connection: Connection, campaign: str, rater: str) -> None:
    """Update the `counted` marks of a rater's items, after an exclusion or a "cannot judge"."""
    table = exclusions.c
    mine = (table.campaign == campaign, table.rater == rater)
    rows = connection.execute(select(table.item, table.excluded).where(*mine).order_by(table.id))
    newest = {row.item: row.excluded for row in rows}
    declined = select(answers.c.item).where(
        answers.c.campaign == campaign,
        answers.c.rater == rater,
        answers.c.question == CANNOT_JUDGE,
        answers.c.value != NO_TEXT,
    )
    dropped = {item for item, excluded in newest.items() if excluded} | set(connection.scalars(declined))
    change = update(assignments).where(assignments.c.campaign == campaign, assignments.c.rater == rater)
    counted = false() if newest.get("") else assignments.c.item.not_in(dropped)
    connection.execute(change.values(counted=counted))


def _items(connection: Connection, campaign: str) -> tuple[Item, ...]:
    """Return the campaign's items in their order, practice items left out. They never change, and are read once."""
    with _READING:
        if campaign in _POOLS:
            return _POOLS[campaign]
    table = campaign_items.c
    wanted = select(table.system, table.team, table.control, table.id, table.position)
    mine = wanted.where(table.campaign == campaign, table.practice.is_(False)).order_by(table.position)
    found = tuple(Item(*row) for row in connection.execute(mine).all())
    with _READING:
        while len(_POOLS) >= MAX_POOLS:
            del _POOLS[next(iter(_POOLS))]
        _POOLS[campaign] = found
    return found


def _raters(connection: Connection, campaign: str) -> tuple[Rater, ...]:
    wanted = select(raters).where(raters.c.campaign == campaign).order_by(raters.c.pseudonym)
    excluded = excluded_raters(connection, campaign)
    return tuple(_rater(row, excluded) for row in connection.execute(wanted))


def _quota(plan: Row[Any]) -> Quota:
    return Quota(plan.ratings_per_item, plan.items_per_rater, plan.controls_per_rater)


def _rater(row: Row[Any], excluded: frozenset[str]) -> Rater:
    return Rater(row.id, row.pseudonym, row.team, active=row.revoked is None and row.id not in excluded)


def _at_work_and_rated(
    connection: Connection, campaign: str, rater: str
) -> tuple[tuple[Assignment, ...], dict[str, int]]:
    """Return the rater's items with those that others have in their hands, and how many ratings others have submitted.

    Of each item, those that count. Both are one statement: somebody may submit between two. That rating would count
    twice, and leave nothing to rate for the last rater.
    """
    table = assignments.c
    there = (table.campaign == campaign, table.position > 0)
    hands = select(
        table.item, table.rater, table.touched, table.submitted.is_not(None), table.counted, literal(1).label("number")
    ).where(*there, or_(table.rater == rater, table.submitted.is_(None)))
    others = select(table.item, literal(""), literal(0.0), true(), true(), func.count())
    others = others.where(*_by_others(campaign, rater), table.counted).group_by(table.item)
    rows = connection.execute(union_all(hands, others)).all()
    held = tuple(Assignment(*row[:-1]) for row in rows if row.rater)
    return held, {row.item: row.number for row in rows if not row.rater}


def _given_by_others(connection: Connection, campaign: str, rater: str, controls: list[str]) -> dict[str, int]:
    """Return how many items each of the others has submitted, controls left out."""
    table = assignments.c
    wanted = select(table.rater, func.count()).where(*_by_others(campaign, rater), table.item.not_in(controls))
    return {row[0]: row[1] for row in connection.execute(wanted.group_by(table.rater))}


def _by_others(campaign: str, rater: str) -> tuple[ColumnElement[bool], ...]:
    table = assignments.c
    return table.campaign == campaign, table.position > 0, table.rater != rater, table.submitted.is_not(None)
