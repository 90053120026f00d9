"""Which items are rated: a sample even over systems, and over high and low scores within each.

Every draw follows from a seed: the order of items is that of a hash of seed and key. So the same seed
draws the same items from files in any order.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.agreement.ratings import MajorError
from core.annotations import GoldClaim
from core.campaigns.planning.plans import CampaignItem, ControlKey, EvidencePair
from core.campaigns.planning.rating_form import HIGHEST
from core.campaigns.planning.sources import reference_pairs
from core.errors import BadInput
from core.types import Label

LOW, HIGH, UNSCORED, ANY = "low", "high", "unscored", "any score"
CONTROL_SYSTEM = "control"
"""The system that control items made of gold annotations are filed under; raters never see it."""
CLEAR = (Label.SUPPORTED, Label.REFUTED)
"""Verdicts that people can be expected to find from the annotated evidence."""


@dataclass(frozen=True)
class Stratum:
    """One group that items were drawn from; `half` is low, high, unscored or any score."""

    system: str
    half: str
    available: int
    drawn: int


def stratified_sample(
    items: Sequence[CampaignItem], *, n: int, seed: int, metric: str = ""
) -> tuple[CampaignItem, ...]:
    """Return `n` items (all, if there are fewer) with their strata, in the order in which they were drawn.

    Systems get equal shares, and so do the lower and the higher half of their scores under `metric`. Items without
    that score are a third group. If a group has too few, the others fill its share. Controls are never drawn. Raises
    BadInput if `n` is not positive or no item has the metric.
    """
    pool = [item for item in items if not item.control]
    if n < 1:
        raise BadInput("A sample needs at least one item.")
    if metric and not any(metric in item.scores for item in pool):
        raise BadInput(f"No item has a {metric} score: choose another metric, or sample without one.")
    by_system = _grouped(halved(pool, seed=seed, metric=metric), seed)
    sizes = {system: sum(map(len, halves.values())) for system, halves in by_system.items()}
    drawn: list[CampaignItem] = []
    for system, share in even_shares(sizes, n, seed=seed).items():
        halves = by_system[system]
        for half, count in even_shares({name: len(of) for name, of in halves.items()}, share, seed=seed).items():
            drawn += halves[half][:count]
    return in_drawing_order(drawn, seed)


def halved(items: Sequence[CampaignItem], *, seed: int, metric: str) -> list[tuple[str, CampaignItem]]:
    """Return (half, item) for every item, its stratum set; halves are within a system.

    With an odd number the higher half has one more. Equal scores are split in the order of drawing.
    """
    scored: dict[str, list[CampaignItem]] = {}
    found = []
    for item in in_drawing_order(items, seed):
        if metric in item.scores:
            scored.setdefault(item.system, []).append(item)
        else:
            found.append((UNSCORED if metric else ANY, item))
    for of_system in scored.values():
        ranked = sorted(of_system, key=lambda item: item.scores[metric])
        found += [(LOW if place < len(ranked) // 2 else HIGH, item) for place, item in enumerate(ranked)]
    return [(half, replace(item, stratum=_name(item.system, half))) for half, item in found]


def even_shares(sizes: Mapping[str, int], n: int, *, seed: int) -> dict[str, int]:
    """Return how many to take of each group: `n` in all, or everything; shares differ by one at most.

    If a group is too small, all of it is taken, and more of the others. The seed decides which group gives one more.
    """
    order = sorted(sizes, key=lambda name: (_digest(seed, "share", name), name))
    shares = dict.fromkeys(order, 0)
    left = min(n, sum(sizes.values()))
    while left:
        open_groups = [name for name in order if shares[name] < sizes[name]]
        for name in open_groups[:left]:
            shares[name] += 1
        left -= min(left, len(open_groups))
    return shares


def strata(
    items: Sequence[CampaignItem], drawn: Sequence[CampaignItem], *, seed: int, metric: str
) -> tuple[Stratum, ...]:
    """Return every group of the pool and the number drawn of it; show them with the sample."""
    pool = [item for item in items if not item.control]
    chosen = {(item.key, item.claim) for item in drawn}
    counts: dict[tuple[str, str], list[int]] = {}
    for half, item in halved(pool, seed=seed, metric=metric):
        count = counts.setdefault((item.system, half), [0, 0])
        count[0] += 1
        count[1] += (item.key, item.claim) in chosen
    return tuple(Stratum(system, half, *count) for (system, half), count in sorted(counts.items()))


def gold_controls(
    gold: Sequence[GoldClaim], *, n: int, seed: int, without: Sequence[CampaignItem] = ()
) -> tuple[CampaignItem, ...]:
    """Return `n` control items made of gold annotations, with right answers by construction.

    They alternate. One is a supported or refuted claim with its own evidence (verdict as annotated, rated 4 or 5). The
    next is a claim with the evidence of the claim that shares the fewest words with it (completely irrelevant). Claims
    that are in `without` are not used. Raises BadInput where there are too few claims.
    """
    taken = {item.claim for item in without}
    usable = [claim for claim in gold if claim.questions and claim.claim.text not in taken and claim.label in CLEAR]
    usable.sort(key=lambda claim: _digest(seed, "control", claim.id))
    if len(usable) < n or (n > 1 and len(gold) < 2):
        raise BadInput(
            f"{n} control items need as many claims, annotated as supported or refuted, that are not in the sample; "
            f"there are {len(usable)}. Draw fewer items, ask for fewer controls, or give controls of your own."
        )
    return tuple(
        _own_evidence(claim) if place % 2 == 0 else _foreign_evidence(claim, _farthest(claim, gold))
        for place, claim in enumerate(usable[:n])
    )


def practice_items(
    gold: Sequence[GoldClaim], *, n: int, seed: int, without: Sequence[CampaignItem]
) -> tuple[CampaignItem, ...]:
    """Return `n` practice items made as `gold_controls` are, of claims that are not in `without`."""
    made = gold_controls(gold, n=n, seed=seed, without=without) if n else ()
    return tuple(replace(item, item=item.item.replace("control", "practice", 1), stratum="practice") for item in made)


def in_drawing_order(items: Sequence[CampaignItem], seed: int) -> tuple[CampaignItem, ...]:
    """Return the items in the order that the seed gives them, independent of their own order."""
    return tuple(sorted(items, key=lambda item: (_digest(seed, *item.key, item.claim), item.key, item.claim)))


def _grouped(halves: Sequence[tuple[str, CampaignItem]], seed: int) -> dict[str, dict[str, tuple[CampaignItem, ...]]]:
    found: dict[str, dict[str, list[CampaignItem]]] = {}
    for half, item in halves:
        found.setdefault(item.system, {}).setdefault(half, []).append(item)
    return {
        system: {half: in_drawing_order(of, seed) for half, of in groups.items()} for system, groups in found.items()
    }


def _own_evidence(claim: GoldClaim) -> CampaignItem:
    key = ControlKey(MajorError.NONE, claim.label, {"semantic_coverage": (4, HIGHEST), "relevance": (4, HIGHEST)})
    return _control(claim, reference_pairs(claim), key)


def _foreign_evidence(claim: GoldClaim, other: GoldClaim) -> CampaignItem:
    return _control(claim, reference_pairs(other), ControlKey(MajorError.IRRELEVANT))


def _farthest(claim: GoldClaim, gold: Sequence[GoldClaim]) -> GoldClaim:
    others = [other for other in gold if other.id != claim.id and other.questions]
    return min(others, key=lambda other: len(_words(claim) & _words(other)) / len(_words(other)))


def _words(claim: GoldClaim) -> set[str]:
    # Short words are in any two texts.
    text = " ".join([claim.claim.text, *(part for pair in claim.pairs for part in pair)])
    return {word for word in re.findall(r"\w+", text.casefold()) if len(word) > 3} or {claim.id}


def _control(claim: GoldClaim, evidence: tuple[EvidencePair, ...], key: ControlKey) -> CampaignItem:
    return CampaignItem(
        item=f"control-{claim.id}",
        system=CONTROL_SYSTEM,
        claim=claim.claim.text,
        evidence=evidence,
        predicted=claim.label,
        gold=claim.label,
        reference=reference_pairs(claim),
        control=True,
        control_key=key,
        stratum=CONTROL_SYSTEM,
    )


def _name(system: str, half: str) -> str:
    return f"{system} · {half}" if system else half


def _digest(seed: int, *parts: str) -> str:
    return hashlib.sha256("\n".join([str(seed), *parts]).encode()).hexdigest()
