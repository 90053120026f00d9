"""Which item a rater gets next. Pure functions of the rater who asks, the items there and the items in others' hands.

Nobody rates their own team. The items with the fewest live ratings go first, so that ratings stay balanced when raters
come, go and stall. Among those, a rater sees all systems about equally often. Control items come at places that look
like any other, one in each equal stretch of the rater's items.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from core.agreement.own_questions import BETWEEN_SYSTEMS

STALLED_SECONDS = 12 * 3600.0
"""An item that its rater has opened but not touched for this long may be given to somebody else."""


@dataclass(frozen=True)
class ItemKind:
    """The item's team, and whether it is a control."""

    system: str
    team: str
    control: bool


@dataclass(frozen=True)
class Item(ItemKind):
    """The facts of an item that assignment uses; `position` is its place in the campaign."""

    id: str
    position: int


@dataclass(frozen=True)
class Rater:
    """A rater; `active` is false once the organiser has withdrawn the invitation or excluded the rater."""

    id: str
    pseudonym: str
    team: str
    active: bool = True


class Assignment(NamedTuple):
    """One item in one rater's hands; `touched` is in seconds since 1970. `counted` is false of excluded items."""

    item: str
    rater: str
    touched: float
    submitted: bool
    counted: bool = True


@dataclass(frozen=True)
class Quota:
    """`items_per_rater` includes the `controls_per_rater` controls among them."""

    ratings_per_item: int
    items_per_rater: int
    controls_per_rater: int


@dataclass(frozen=True)
class Snapshot:
    """The state of a campaign at `now`, in seconds since 1970. `items` are in the campaign's order.

    Numbers are enough for the others' submissions. Those that are no `assignments` are in `rated`, by item, as far as
    they count. `given` has them by rater, without controls.
    """

    items: Sequence[Item]
    raters: Sequence[Rater]
    assignments: Sequence[Assignment]
    quota: Quota
    seed: int
    now: float
    stalled_seconds: float = STALLED_SECONDS
    rated: Mapping[str, int] = field(default_factory=dict)
    given: Mapping[str, int] = field(default_factory=dict)


def own_team(item: ItemKind, rater: Rater) -> bool:
    """Tell whether the rater's team made the item's system, or one of its systems; capitals do not matter."""
    team = folded(rater.team)
    return bool(team) and any(
        team == folded(name) for names in (item.team, item.system) for name in names.split(BETWEEN_SYSTEMS)
    )


def shown_order(systems: Sequence[str], pseudonym: str, position: int, *, seed: int) -> tuple[str, ...]:
    """Return the systems of an item in the order in which a rater sees them; the same at every look."""
    order = list(systems)
    random.Random(f"{seed} {pseudonym} {position}").shuffle(order)
    return tuple(order)


@lru_cache(maxsize=1024)  # the same few names are compared thousands of times
def folded(name: str) -> str:
    """Return a team's name as it is compared: without regard to capitals and blanks."""
    return " ".join(name.casefold().split())


def kinds(items: Iterable[Item]) -> Counter[ItemKind]:
    """Return how many items there are of each kind."""
    found = Counter((item.system, item.team, item.control) for item in items)
    return Counter({ItemKind(*kind): number for kind, number in found.items()})


def share(kinds: Mapping[ItemKind, int], rater: Rater, quota: Quota) -> tuple[int, int]:
    """Return the number of items and of controls that the rater is to get, as far as there are any."""
    foreign = {kind: number for kind, number in kinds.items() if not own_team(kind, rater)}
    controls = sum(number for kind, number in foreign.items() if kind.control)
    wanted = quota.items_per_rater - quota.controls_per_rater
    return min(wanted, sum(foreign.values()) - controls), min(quota.controls_per_rater, controls)


def control_positions(rater: Rater, items: int, controls: int, *, seed: int) -> tuple[int, ...]:
    """Return at which of the rater's positions, from 1, controls come: one at random in each equal stretch."""
    length = items + controls
    chance = random.Random(f"{seed} {rater.pseudonym}")
    ends = [round(number * length / controls) for number in range(controls + 1)] if controls else []
    return tuple(chance.randint(first + 1, last) for first, last in pairwise(ends))


def live(assignment: Assignment, snapshot: Snapshot, active: frozenset[str]) -> bool:
    """Tell whether a rating is there or still to be expected: submitted, or at work and not stalled; not excluded."""
    fresh = snapshot.now - assignment.touched < snapshot.stalled_seconds
    return assignment.counted and (assignment.submitted or (fresh and assignment.rater in active))


def live_ratings(snapshot: Snapshot, *, besides: str = "") -> Counter[str]:
    """Return item → ratings that are there or still to be expected, those of the rater `besides` left out."""
    active = frozenset(rater.id for rater in snapshot.raters if rater.active)
    found = Counter(h.item for h in snapshot.assignments if h.rater != besides and live(h, snapshot, active))
    found.update(snapshot.rated)
    return found


def superfluous(assignment: Assignment, snapshot: Snapshot) -> bool:
    """Tell whether an item that its rater left lying is no longer wanted of them: others have rated it."""
    stalled = snapshot.now - assignment.touched >= snapshot.stalled_seconds
    item = next(item for item in snapshot.items if item.id == assignment.item)
    others = live_ratings(snapshot, besides=assignment.rater)[assignment.item]
    return stalled and not item.control and others >= snapshot.quota.ratings_per_item


def next_item(snapshot: Snapshot, rater: Rater) -> str | None:
    """Return the id of the item that the rater gets next, None if nothing is left for them.

    The same state gives the same answer. Raters differ in the order of equally urgent items.
    """
    if not rater.active:
        return None
    by_id = {item.id: item for item in snapshot.items}
    mine = [by_id[assignment.item] for assignment in snapshot.assignments if assignment.rater == rater.id]
    counts = live_ratings(snapshot)
    held = {item.id for item in mine}
    left = [item for item in snapshot.items if item.id not in held and not own_team(item, rater)]
    items, controls = share(kinds(snapshot.items), rater, snapshot.quota)
    had = sum(item.control for item in mine)
    wanted = [i for i in left if not i.control and counts[i.id] < snapshot.quota.ratings_per_item]
    if len(mine) - had >= items:
        wanted = []
    due = sum(p <= len(mine) + 1 for p in control_positions(rater, items, controls, seed=snapshot.seed))
    if had < due and (wanted or mine):
        spare = [item for item in left if item.control]
        return min(spare, key=lambda item: (counts[item.id], _shuffled(item, rater, snapshot.seed))).id
    return _most_urgent(snapshot, rater, wanted, Counter(item.system for item in mine), counts) if wanted else None


def _most_urgent(
    snapshot: Snapshot, rater: Rater, wanted: Sequence[Item], seen: Counter[str], counts: Counter[str]
) -> str:
    """Return the item with the fewest ratings; among those, of a short team's, then of a rarely seen system."""
    fewest = min(counts[item.id] for item in wanted)
    slack = _slack(snapshot, counts) if conflicted(snapshot.items, snapshot.raters) else {}
    return min(
        (item for item in wanted if counts[item.id] == fewest),
        key=lambda item: (
            min(0, slack.get(folded(item.team or item.system), 1) - 1),
            seen[item.system],
            _shuffled(item, rater, snapshot.seed),
        ),
    ).id


def conflicted(items: Iterable[Item], raters: Iterable[Rater]) -> bool:
    """Tell whether any rater may not rate some of the items, because they are their own team's."""
    teams = {name for item in items for both in (item.team, item.system) for name in both.split(BETWEEN_SYSTEMS)}
    return not {folded(name) for name in teams if name}.isdisjoint({folded(r.team) for r in raters if r.team.strip()})


def _slack(snapshot: Snapshot, counts: Counter[str]) -> dict[str, int]:
    """Return, by team, how many ratings more the other teams' raters can give than its items still want.

    Where nothing is to spare, they must take its items first, or only its own raters are left for them.
    """
    by_id = {item.id: item for item in snapshot.items}
    given = Counter(assignment.rater for assignment in snapshot.assignments if not by_id[assignment.item].control)
    given.update(snapshot.given)
    active = [rater for rater in snapshot.raters if rater.active]
    there_are = kinds(snapshot.items)
    room: Counter[str] = Counter()
    for rater in active:
        room[folded(rater.team)] += max(0, share(there_are, rater, snapshot.quota)[0] - given[rater.id])
    demand: Counter[str] = Counter()
    for item in snapshot.items:
        if not item.control:
            demand[folded(item.team or item.system)] += max(0, snapshot.quota.ratings_per_item - counts[item.id])
    return {team: room.total() - room[team] - wanted for team, wanted in demand.items()}


def _shuffled(item: Item, rater: Rater, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}\n{rater.pseudonym}\n{item.position}".encode()).digest()
