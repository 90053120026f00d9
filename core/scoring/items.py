"""Compute scores from items. Every score has its number of items and its signature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.annotations import GoldClaim
from core.types import Label

SCORER_VERSION = "veridesk-1"
"""Version of the scoring; it changes if code could change a score."""

ALL = "all"

TYPE_PREFIX = "type: "
VERDICT_PREFIX = "verdict: "


class ItemStatus(StrEnum):
    """The outcome of one item. A missing prediction scores 0; an unscored item has no value."""

    SCORED = "scored"
    MISSING = "missing"
    UNSCORED = "unscored"


@dataclass(frozen=True)
class ItemScore:
    """One claim's value under one metric. `value` is None exactly if `status` is UNSCORED.

    `reason` explains a missing or unscored item.
    """

    claim_id: str
    metric: str
    value: float | None
    status: ItemStatus = ItemStatus.SCORED
    reason: str = ""


@dataclass(frozen=True)
class Score:
    """The mean over the scored items of one group of claims.

    `value` is None if no item was scored. `lower` and `upper` are the means with all unscored items at the lowest or
    highest value (`bounds`). Both equal `value` if every item was scored.
    """

    metric: str
    group: str
    value: float | None
    n_scored: int
    n_unscored: int
    signature: str
    lower: float | None
    upper: float | None


def same_items(
    claim_id: str, metrics: Sequence[str], value: float | None, status: ItemStatus = ItemStatus.SCORED, reason: str = ""
) -> list[ItemScore]:
    """Return one item for each metric, equal except for the metric's name."""
    return [ItemScore(claim_id, metric, value, status, reason) for metric in metrics]


def make_signature(metric: str, *fields: str) -> str:
    """Return the data needed to compute a score again: "metric|version|field|…"."""
    return "|".join((metric, SCORER_VERSION, *fields))


def mean_score(
    items: Sequence[ItemScore], signature: str, *, group: str = ALL, bounds: tuple[float, float] = (0.0, 1.0)
) -> Score:
    """Return the mean of one metric's items in their order; `bounds` are the lowest and highest value of an item.

    Raises ValueError if there are no items or they belong to several metrics.
    """
    import numpy as np  # `--help` should not wait for it

    metrics = {item.metric for item in items}
    if len(metrics) != 1:
        raise ValueError(f"the items of a score must belong to one metric, got {sorted(metrics)}")
    values = [item.value for item in items if item.value is not None]
    unscored = len(items) - len(values)
    # NumPy's mean, not fsum, because the last digit must equal the shared task's.
    mean = float(np.mean(values)) if values else None
    metric = metrics.pop()
    least, most = bounds
    lower = (float(np.sum(values)) + unscored * least) / len(items) if unscored else mean
    upper = (float(np.sum(values)) + unscored * most) / len(items) if unscored else mean
    return Score(metric, group, mean, len(values), unscored, signature, lower, upper)


def claim_groups(gold: Sequence[GoldClaim]) -> dict[str, frozenset[str]]:
    """Return the ids of each claim type and each gold verdict present, types first, in a fixed order.

    A claim of several types counts in each. There are no types if the gold file has none.
    """
    types = sorted({kind for claim in gold for kind in claim.claim_types})
    groups = {TYPE_PREFIX + t: frozenset(c.id for c in gold if t in c.claim_types) for t in types}
    for label in Label:
        ids = frozenset(claim.id for claim in gold if claim.label is label)
        if ids:
            groups[VERDICT_PREFIX + label.value] = ids
    return groups


def group_scores(
    items: Sequence[ItemScore],
    signature: str,
    groups: Mapping[str, frozenset[str]],
    bounds: tuple[float, float] = (0.0, 1.0),
) -> tuple[Score, ...]:
    """Return the score of one metric over all items, then over each group that has any."""
    scores = [mean_score(items, signature, bounds=bounds)]
    for group, ids in groups.items():
        chosen = [item for item in items if item.claim_id in ids]
        if chosen:
            scores.append(mean_score(chosen, signature, group=group, bounds=bounds))
    return tuple(scores)
