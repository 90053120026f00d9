"""Stress-test an evidence metric: change the evidence in known ways and measure the change of the score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.annotations import GoldClaim, PredictedEvidence, Prediction
from core.scoring.items import ItemScore
from core.scoring.metrics.hungarian_meteor import PAIR_LIMIT
from core.scoring.metrics.metric import Metric
from core.scoring.perturbation import FALLS, PERTURBATIONS, Perturbation, perturbed
from core.scoring.progress import UNMONITORED, ProgressMonitor
from core.scoring.registry import registered
from core.statistics.bootstrap import MIN_FOR_INTERVAL, Interval, mean_interval

Values = Mapping[tuple[str, str], float]
"""Scores by metric and claim id."""

CLEAR = 0.05
"""The kinds of movement."""

CHANGED = PAIR_LIMIT - 1
"""Number of a claim's pairs that take part: one less than count, so that an added pair counts."""

RULE = (
    f"Over the items that the perturbation changed, by their first {CHANGED} pairs. Sound: falls clearly (95 % "
    "bootstrap interval below −0.05) where it should fall, stays within ±0.05 where it should hold. Blind: did not "
    "fall. Fragile: did not hold."
)


@dataclass(frozen=True)
class Movement:
    """The change of one metric under one perturbation, over the items actually changed.

    `before` and `after` are means, `interval` the bootstrap interval of the mean of after minus before. All are None if
    no changed item was scored both times.
    """

    perturbation: str
    expected: str
    metric: str
    n: int
    before: float | None
    after: float | None
    interval: Interval | None
    signature: str = ""

    @property
    def moved(self) -> float | None:
        """After minus before."""
        return None if self.before is None or self.after is None else self.after - self.before

    @property
    def finding(self) -> str:
        """Whether the metric is sound, blind (should have fallen), fragile (should have held) or unclear here."""
        if self.interval is None:
            return "not applicable"
        if self.n < MIN_FOR_INTERVAL:
            return "too few items"
        low, high = self.interval.low, self.interval.high
        if self.expected == FALLS:
            return "sound" if high < -CLEAR else "blind" if low > -CLEAR else "unclear"
        return "sound" if low >= -CLEAR and high <= CLEAR else "fragile" if high < -CLEAR or low > CLEAR else "unclear"


def as_predictions(gold: Sequence[GoldClaim]) -> dict[str, Prediction]:
    """Return the gold evidence as the prediction of a perfect system."""
    return {
        claim.id: Prediction(
            claim.id, claim.claim.text, claim.label, tuple(PredictedEvidence(q, a) for q, a in claim.pairs)
        )
        for claim in gold
    }


def stress(
    gold: Sequence[GoldClaim],
    predictions: Mapping[str, Prediction],
    metric: Metric,
    monitor: ProgressMonitor = UNMONITORED,
    *,
    seed: int = 0,
) -> list[Movement]:
    """Return the changes of an evidence metric under each perturbation.

    Only claims with a prediction take part, with their first CHANGED pairs. Raises Cancelled if the monitor said so.
    """
    claims = [claim for claim in gold if claim.id in predictions]
    evidence = [replace(predictions[c.id], evidence=predictions[c.id].evidence[:CHANGED]) for c in claims]
    changed = {perturbation: perturbed(evidence, perturbation, seed=seed) for perturbation in PERTURBATIONS}
    done, total = len(claims), len(claims) + sum(map(len, changed.values()))
    measured = metric.measure(claims, {p.claim_id: p for p in evidence}, monitor.part(0, total))
    name, before = registered(metric.name).evidence, _values(measured.items)
    movements = []
    for perturbation, others in changed.items():
        kept = [claim for claim in claims if claim.id in others]
        after = _values(metric.measure(kept, others, monitor.part(done, total)).items) if kept else {}
        movements.append(_movement(perturbation, name, before, after, measured.signature))
        done += len(kept)
    return movements


def _values(items: Sequence[ItemScore]) -> dict[tuple[str, str], float]:
    return {(item.metric, item.claim_id): item.value for item in items if item.value is not None}


def _movement(perturbation: Perturbation, metric: str, before: Values, after: Values, signature: str) -> Movement:
    keys = [key for key in after if key[0] == metric and key in before]
    nothing = Movement(perturbation.name, perturbation.expected, metric, 0, None, None, None, signature)
    if not keys:
        return nothing
    first, second = np.array([before[k] for k in keys]), np.array([after[k] for k in keys])
    moved = mean_interval(second - first, seed=0)
    return replace(nothing, n=len(keys), before=float(first.mean()), after=float(second.mean()), interval=moved)
