"""Does one metric agree better with people than another? PERM-BOTH, pair by pair."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from core.agreement.study import Study, clusters_of, pairs
from core.statistics.correlation import Coefficient, coefficient_value, undefined_reason
from core.statistics.crossed import Crossed, too_few
from core.statistics.permutation import perm_both, perm_crossed
from core.statistics.significance import benjamini_hochberg, holm

EXCHANGES = 1000


@dataclass(frozen=True)
class MetricComparison:
    """`better` has the higher correlation of the two on the n responses that have both scores.

    `p` is two-sided, by PERM-BOTH, or by `perm_crossed` for claims crossed with systems. `adjusted` is the same after
    Holm over all pairs of one scale, `adjusted_bh` after Benjamini & Hochberg. None, with the reason, where undefined.
    `units` counts the units exchanged whole: items, claims, raters, systems or single responses.
    """

    scale: str
    coefficient: Coefficient
    better: str
    worse: str
    better_value: float | None
    worse_value: float | None
    p: float | None
    adjusted: float | None
    n: int
    units: int = 0
    exact: bool = False
    reason: str = ""
    adjusted_bh: float | None = None


def compare_metrics(study: Study, scale: str, *, coefficient: Coefficient) -> tuple[MetricComparison, ...]:
    """Compare every pair of metrics on one scale, smallest p first; undefined pairs come last."""
    found = [_compare(study, scale, first, second, coefficient) for first, second in combinations(study.metrics, 2)]
    defined = [one for one in found if one.p is not None]
    values = [one.p for one in defined if one.p is not None]
    both = zip(defined, holm(values).tolist(), benjamini_hochberg(values).tolist(), strict=True)
    corrected = [replace(one, adjusted=p, adjusted_bh=p_bh) for one, p, p_bh in both]
    undefined = [one for one in found if one.p is None]
    return (*sorted(corrected, key=lambda one: (one.p or 0.0, one.better, one.worse)), *undefined)


def _compare(study: Study, scale: str, first: str, second: str, coefficient: Coefficient) -> MetricComparison:
    rows = [(judged, dict(judged.item.scores)) for judged in pairs(study, first, scale).judged]
    both = [(scores[first], scores[second], judged.ratings[scale]) for judged, scores in rows if second in scores]
    a, b, human = np.array(both, dtype=np.float64).reshape(-1, 3).T
    clusters = clusters_of([judged for judged, given in rows if second in given], study.recipe.cluster)
    reason = undefined_reason(a, human) or undefined_reason(b, human)
    if isinstance(clusters, Crossed):
        reason = reason or too_few(clusters)
    if reason:
        return MetricComparison(scale, coefficient, first, second, None, None, None, None, len(both), reason=reason)
    names, scores = (first, second), (a, b)
    if coefficient_value(coefficient, b, human) > coefficient_value(coefficient, a, human):
        names, scores = (second, first), (b, a)
    seed = study.recipe.seed
    if isinstance(clusters, Crossed):
        test = perm_crossed(human, *scores, clusters, coefficient=coefficient, seed=seed, resamples=EXCHANGES)
    else:
        test = perm_both(human, *scores, coefficient=coefficient, seed=seed, resamples=EXCHANGES, clusters=clusters)
    first_value, second_value = (coefficient_value(coefficient, score, human) for score in scores)
    return MetricComparison(
        scale=scale,
        coefficient=coefficient,
        better=names[0],
        worse=names[1],
        better_value=first_value,
        worse_value=second_value,
        p=test.p,
        adjusted=None,
        n=len(both),
        units=test.n,
        exact=test.exact,
    )
