"""The items that a new campaign may draw from, from any source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.agreement.ratings import RatingImport
from core.annotations import GoldClaim
from core.campaigns.planning.plans import CampaignItem
from core.campaigns.planning.sources import Items
from core.errors import BadInput, VerideskError
from pages.ui.notices import notice


@dataclass(frozen=True)
class ItemPool:
    """Items, the gold annotations for controls, remarks, and existing ratings.

    `signature` distinguishes pools: its source, and the choices made there.
    """

    signature: tuple[str, ...]
    items: tuple[CampaignItem, ...]
    gold: tuple[GoldClaim, ...] = ()
    notes: tuple[str, ...] = ()
    ratings: RatingImport | None = None

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(item.system for item in self.items if item.system))

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(metric for item in self.items for metric in item.scores))


def filled(
    signature: tuple[str, ...],
    found: Items,
    gold: tuple[GoldClaim, ...] = (),
    *notes: str,
    ratings: RatingImport | None = None,
) -> ItemPool:
    """Return the pool. Raises BadInput if it is empty, with the remarks on the files."""
    if not found.items:
        raise BadInput(" ".join(("There is nothing to rate in these files.", *found.notes)))
    return ItemPool(signature, found.items, gold, (*found.notes, *notes), ratings)


def attempted(read: Callable[[], ItemPool]) -> ItemPool | None:
    """Return the file's contents; if unreadable, show why and return None."""
    try:
        return read()
    except VerideskError as error:
        notice(str(error))
        return None
