"""Metrics ranked by WMT's measures: pairs of systems, ties calibrated, soft accuracy, segments, clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from core.agreement.study import Study, clusters_of, pairs
from core.statistics.bootstrap import Floats
from core.statistics.correlation import Coefficient, coefficient_value, undefined_reason
from core.statistics.crossed import Crossed, too_few
from core.statistics.meta_evaluation import (
    TiedAccuracy,
    pairwise_accuracy,
    significance_ranks,
    soft_pairwise_accuracy,
    tied_accuracy,
)
from core.statistics.permutation import paired_permutation, perm_both, perm_crossed
from core.statistics.significance import benjamini_hochberg, holm

ALPHA = 0.05
MAX_SEGMENTS = 2000
"""Of more rated segments not every pair is compared: 2,000 have two million."""


@dataclass(frozen=True)
class MetricMeasures:
    """One metric against people on one scale; None where there are no two systems, or no shared claim.

    `systems`, `claims` and `cells` are counts. `complete` counts the claims rated and scored for every system: soft
    accuracy is over those. `segment` compares the systems on each claim, `pooled` all segments. A
    rank is a cluster of significance: after Holm's correction, and `uncorrected` as WMT does.
    """

    metric: str
    systems: int
    claims: int
    cells: int
    complete: int
    system: float | None
    system_tied: float | None
    system_threshold: float | None
    soft: float | None
    segment: float | None
    segment_threshold: float | None
    segment_untied: float | None
    segment_pairs: int
    pooled: float | None
    pooled_threshold: float | None
    segment_rank: int | None = None
    segment_rank_uncorrected: int | None = None
    correlation_rank: int | None = None
    correlation_rank_uncorrected: int | None = None


def measure_metrics(study: Study, scale: str, comparisons: Sequence[MetricComparison]) -> tuple[MetricMeasures, ...]:
    """Return the measures of every metric, best segment accuracy first, else best system accuracy.

    `comparisons` are those of the metrics' correlations on the scale, from which that ranking comes.
    """
    matrices = {metric: _matrices(study, metric, scale) for metric in study.metrics}
    found = {metric: _measured(metric, *both) for metric, both in matrices.items()}
    segments = {metric: one for metric, (_, one) in found.items() if one is not None}
    by_segment = _ranked({metric: one.value for metric, one in segments.items()}, _segment_p(matrices, segments, study))
    values: dict[str, float] = {}
    p_values = {}
    for one in comparisons:
        if one.p is not None and one.better_value is not None and one.worse_value is not None:
            values |= {one.better: one.better_value, one.worse: one.worse_value}
            p_values[frozenset((one.better, one.worse))] = one.p
    by_correlation = _ranked(values, p_values)
    measures = [
        replace(
            measured,
            segment_rank=by_segment.get(metric, (None, None))[0],
            segment_rank_uncorrected=by_segment.get(metric, (None, None))[1],
            correlation_rank=by_correlation.get(metric, (None, None))[0],
            correlation_rank_uncorrected=by_correlation.get(metric, (None, None))[1],
        )
        for metric, (measured, _) in found.items()
    ]
    return tuple(sorted(measures, key=lambda one: tuple(-(v or 0.0) for v in (one.segment, one.system, one.pooled))))


def _matrices(study: Study, metric: str, scale: str) -> tuple[Floats, Floats]:
    """Return mean rating and mean score of each system and claim, shape (systems, claims), NaN where there is none."""
    data = pairs(study, metric, scale)
    systems = {name: i for i, name in enumerate(sorted(set(data.systems)))}
    claims = {name: i for i, name in enumerate(dict.fromkeys(judged.claim for judged in data.judged))}
    shape = (len(systems), len(claims))
    places = [(systems[judged.system], claims[judged.claim]) for judged in data.judged]
    cell = np.array([row * shape[1] + column for row, column in places], dtype=np.int64)
    count = np.bincount(cell, minlength=shape[0] * shape[1])
    with np.errstate(invalid="ignore"):
        human, scores = (
            (np.bincount(cell, values, len(count)) / count).reshape(shape) for values in (data.ratings, data.scores)
        )
    return human, scores


def _measured(metric: str, human: Floats, scores: Floats) -> tuple[MetricMeasures, TiedAccuracy | None]:
    cells = ~np.isnan(human)
    complete = cells.all(axis=0)
    several = len(human) > 1
    means = [np.nanmean(one, axis=1) for one in (human, scores)] if several else []
    system = tied_accuracy(*means) if several else None
    segment = tied_accuracy(human.T, scores.T)
    pooled = tied_accuracy(human[cells], scores[cells]) if cells.sum() <= MAX_SEGMENTS else None
    measures = MetricMeasures(
        metric=metric,
        systems=len(human),
        claims=human.shape[1],
        cells=int(cells.sum()),
        complete=int(complete.sum()),
        system=pairwise_accuracy(*means) if several else None,
        system_tied=system.value if system else None,
        system_threshold=system.threshold if system else None,
        soft=soft_pairwise_accuracy(human[:, complete], scores[:, complete]),
        segment=segment.value if segment else None,
        segment_threshold=segment.threshold if segment else None,
        segment_untied=segment.uncalibrated if segment else None,
        segment_pairs=segment.pairs if segment else 0,
        pooled=pooled.value if pooled else None,
        pooled_threshold=pooled.threshold if pooled else None,
    )
    return measures, segment


def _segment_p(
    matrices: dict[str, tuple[Floats, Floats]], segments: dict[str, TiedAccuracy], study: Study
) -> dict[frozenset[str], float]:
    """Return p of each pair of metrics with the same rated segments: whole claims are exchanged, two-sided."""
    seed, resamples = study.recipe.seed, 10 * EXCHANGES
    return {
        frozenset((a, b)): paired_permutation(segments[a].rows, segments[b].rows, seed=seed, resamples=resamples).p
        for a, b in combinations(segments, 2)
        if np.array_equal(matrices[a][0], matrices[b][0], equal_nan=True)
    }


def _ranked(values: dict[str, float], p_values: dict[frozenset[str], float]) -> dict[str, tuple[int, int]]:
    """Return each metric's clusters: two-sided p after Holm over all pairs, and one-sided p without correction."""
    order = sorted(values, key=lambda name: (-values[name], name))
    adjusted = dict(zip(p_values, holm(list(p_values.values())).tolist(), strict=True))
    both = []
    for known in (adjusted, {pair: p / 2 for pair, p in p_values.items()}):
        square = [[known.get(frozenset((a, b)), 1.0) for b in order] for a in order]
        both.append(significance_ranks(square, alpha=ALPHA))
    return {name: (first, second) for name, first, second in zip(order, *both, strict=True)}


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
