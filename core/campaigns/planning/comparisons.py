"""Items of comparisons: the evidence of several systems for one claim, by design every combination of systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from core.agreement.own_questions import BETWEEN_SYSTEMS
from core.campaigns.planning.form_questions import TIE
from core.campaigns.planning.plans import CampaignItem
from core.campaigns.planning.rating_form import FormKind
from core.campaigns.planning.sources import Items
from core.errors import BadInput
from core.wording import counted

MOST_COMBINATIONS = 200
"""Combinations of systems of one claim."""


def comparison_items(items: Sequence[CampaignItem], kind: FormKind) -> Items:
    """Return an item for each claim and combination of its systems, and a note on claims with too few systems.

    Items with the evidence of several systems, such as controls, stay as they are. A sample of the result is even over
    the combinations. Raises BadInput if no claim has enough systems.
    """
    if kind is FormKind.RATING:
        return Items(tuple(items))
    whole = [item for item in items if len(item.systems) == kind.systems]
    by_claim: dict[tuple[str, str], dict[str, CampaignItem]] = {}
    for item in items:
        if len(item.systems) == 1 and not item.control:
            by_claim.setdefault((item.item, item.claim), {})[_named(item)] = item
    made = []
    for systems in by_claim.values():
        found = list(combinations(sorted(systems), kind.systems))
        if len(found) > MOST_COMBINATIONS:
            raise BadInput(f"{len(systems)} systems make {len(found):,} comparisons of a claim: choose fewer systems.")
        made += [_joined([systems[name] for name in names]) for names in found]
    if not made and not whole:
        raise BadInput(f"No claim has evidence of {kind.systems} systems: a {kind} form needs them.")
    few = sum(len(systems) < kind.systems for systems in by_claim.values())
    note = f"{counted(few, 'claim')} with fewer than {kind.systems} systems left out."
    return Items((*made, *whole), (note,) if few else ())


def _named(item: CampaignItem) -> str:
    if not item.system or item.system == TIE:
        raise BadInput(f"Item {item.item} names no system to compare. Give each system a name other than {TIE!r}.")
    return item.system


def _joined(items: Sequence[CampaignItem]) -> CampaignItem:
    """Return one item with the evidence of all; scores, ranks and predicted labels are each system's, and left out."""
    return replace(
        items[0],
        system=BETWEEN_SYSTEMS.join(item.system for item in items),
        team=BETWEEN_SYSTEMS.join(item.team for item in items),
        evidence=tuple(replace(pair, system=item.system) for item in items for pair in item.evidence),
        reference=next((item.reference for item in items if item.reference), ()),
        predicted=None,
        rank=None,
        scores={},
    )
