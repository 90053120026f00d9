"""Correlate a score with human ratings: Spearman, Pearson, Kendall τ_b; pooled and by system.

A correlation that is undefined has `value` None and a `reason`; NaN never leaves `correlate`. Ties share
their mean rank (Spearman) or count as neither concordant nor discordant (τ_b); tied items are counted.
"""

from __future__ import annotations

import statistics
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.statistics.bootstrap import (
    MIN_FOR_INTERVAL,
    Floats,
    Interval,
    finite,
    percentile_interval,
    resampled_indices,
)
from core.statistics.clusters import Uncertainty, cluster_codes, jackknife
from core.statistics.crossed import Crossed, permuted, single
from core.statistics.kendall import tau_b, tau_scale


class Coefficient(StrEnum):
    """The three coefficients, by the name they have in tables and JSON."""

    SPEARMAN = "spearman"
    PEARSON = "pearson"
    KENDALL = "kendall_tau_b"


SYMBOLS = {Coefficient.SPEARMAN: "ρ", Coefficient.PEARSON: "r", Coefficient.KENDALL: "τ_b"}


@dataclass(frozen=True)
class Correlation:
    """One coefficient in [-1, 1] over n pairs, or None and the reason why it is undefined.

    `p` is two-sided. `interval` is None where the coefficient, or every resample of it, is undefined, and under
    MIN_FOR_INTERVAL items. `tied_scores` and `tied_ratings` count the items that share their value with another.
    `groups` counts the raters in a within-rater correlation, `left_out` the omitted raters. `clusters` counts the
    independent units: the items of several ratings each, or the rows themselves.
    """

    coefficient: Coefficient
    value: float | None
    p: float | None
    n: int
    interval: Interval | None
    reason: str = ""
    tied_scores: int = 0
    tied_ratings: int = 0
    groups: int = 1
    left_out: int = 0
    clusters: int = 0


def coefficient_value(coefficient: Coefficient, scores: ArrayLike, ratings: ArrayLike) -> float:
    """Return the coefficient of two arrays of shape (items,), or NaN where one of them is all equal."""
    x, y = np.asarray(scores, dtype=np.float64), np.asarray(ratings, dtype=np.float64)
    return float(weighted(coefficient, x, y, np.ones((1, len(x))))[0])


def correlate_rows(coefficient: Coefficient, rows: Floats, ratings: Floats) -> Floats:
    """Return the coefficient of each row of scores, shape (rows, items), with the ratings, shape (items,).

    NaN marks a row, or ratings, that are all equal.
    """
    from scipy.stats import rankdata

    ones = np.ones((1, rows.shape[1]))
    if coefficient is Coefficient.PEARSON:
        values = weighted_pearson(rows, ratings[None, :], ones)
    elif coefficient is Coefficient.SPEARMAN:
        values = weighted_pearson(rankdata(rows, axis=1), rankdata(ratings)[None, :], ones)
    else:
        values = np.concatenate([tau_b(row, ratings, ones) for row in rows])
    return np.where((np.ptp(rows, axis=1) > 0) & (np.ptp(ratings) > 0), values, np.nan)


def correlate(
    scores: ArrayLike,
    ratings: ArrayLike,
    *,
    coefficient: Coefficient,
    seed: int,
    resamples: int = 2000,
    level: float = 0.95,
    clusters: Sequence[Hashable] | Crossed | None = None,
) -> Correlation:
    """Correlate scores with ratings, both of shape (rows,), with p value and interval.

    `clusters` names the cluster of each row, such as its item, since rows of one cluster are not independent. If a
    cluster has one score, the scores are permuted over whole clusters; else whole clusters are left out. `Crossed`
    names claim and system: both are permuted whole. None takes the rows as independent, as the published figures do.
    Then there are bootstrap percentiles and scipy's p.
    Raises ValueError if the lengths differ or a value is NaN: drop missing ratings first and say how many.
    """
    x, y = same_length(scores, ratings)
    ties = tied(x), tied(y)
    reason = undefined_reason(x, y)
    if reason:
        return Correlation(coefficient, None, None, len(x), None, reason, *ties)
    value = coefficient_value(coefficient, x, y)
    if clusters is not None:
        found, count = _uncertainty(coefficient, value, x, y, clusters, seed=seed, resamples=resamples, level=level)
        return Correlation(coefficient, value, found.p, len(x), found.interval, "", *ties, clusters=count)
    p = _scipy_p(coefficient, x, y)
    if len(x) < MIN_FOR_INTERVAL:
        return Correlation(coefficient, value, p, len(x), None, "", *ties, clusters=len(x))
    samples = np.concatenate(
        [
            weighted(coefficient, x, y, draw_counts(rows))
            for rows in resampled_indices(len(x), seed=seed, resamples=resamples)
        ]
    )
    interval = interval_or_none(samples, seed=seed, level=level)
    return Correlation(coefficient, value, p, len(x), interval, "", *ties, clusters=len(x))


def _uncertainty(
    coefficient: Coefficient,
    value: float,
    x: Floats,
    y: Floats,
    clusters: Sequence[Hashable] | Crossed,
    *,
    seed: int,
    resamples: int,
    level: float,
) -> tuple[Uncertainty, int]:
    """Return interval and p, and the number of clusters."""

    units = exchangeable(x, clusters)
    if units is None:
        codes = cluster_codes(list(clusters.first if isinstance(clusters, Crossed) else clusters))
        found = jackknife(lambda weights: weighted(coefficient, x, y, weights), codes, level=level)
        return found, int(codes.max()) + 1
    first, second = (standard_values(coefficient, one) for one in (x, y))
    scale = tau_scale(x, y) if coefficient is Coefficient.KENDALL else 1.0
    found = permuted(value, first, second, units, scale=scale, seed=seed, resamples=resamples, level=level)
    return found, len(set(units.first))


def exchangeable(scores: Floats, clusters: Sequence[Hashable] | Crossed) -> Crossed | None:
    """Return the units for permuting scores; None if the rows of a cluster have several scores."""
    if isinstance(clusters, Crossed):
        return clusters
    one_score = len(set(zip(clusters, scores.tolist(), strict=True))) == len(set(clusters))
    return single(clusters) if one_score else None


def standard_values(coefficient: Coefficient, values: Floats) -> Floats:
    """Return values scaled to mean 0 and variance 1, shape (rows,). Spearman and Kendall take their ranks."""
    from scipy.stats import rankdata

    ranked = values if coefficient is Coefficient.PEARSON else rankdata(values)
    standard: Floats = (ranked - ranked.mean()) / ranked.std()
    return standard


def system_means(
    systems: Sequence[str], scores: ArrayLike, ratings: ArrayLike
) -> tuple[tuple[str, ...], Floats, Floats]:
    """Return the systems' names in order, and the mean score and mean rating of each, shape (systems,)."""
    x, y = same_length(scores, ratings)
    names = np.asarray(systems, dtype=object)
    order = tuple(sorted(set(systems)))
    rows = [names == name for name in order]
    return order, np.array([exact_mean(x[row]) for row in rows]), np.array([exact_mean(y[row]) for row in rows])


def undefined_reason(scores: Floats, ratings: Floats) -> str:
    """Return why the two arrays have no correlation, or "" where they have one."""
    if len(scores) < 3:
        return f"{len(scores)} item{'s' * (len(scores) != 1)}: a correlation needs at least 3"
    if np.ptp(scores) == 0:
        return "all scores are equal"
    if np.ptp(ratings) == 0:
        return "all ratings are equal"
    return ""


def tied(values: Floats) -> int:
    """Return how many items share their value with another."""
    counts = np.unique(values, return_counts=True)[1]
    return int(counts[counts > 1].sum())


def interval_or_none(samples: Floats, *, seed: int, level: float) -> Interval | None:
    """Return the percentile interval, or None where the coefficient was undefined in every resample."""
    return percentile_interval(samples, seed=seed, level=level) if np.isfinite(samples).any() else None


def same_length(scores: ArrayLike, ratings: ArrayLike) -> tuple[Floats, Floats]:
    """Return both as floats of shape (items,). Raises ValueError if the lengths differ or a value is NaN."""
    x, y = finite(scores), finite(ratings)
    if len(x) != len(y):
        raise ValueError(f"There are {len(x)} scores but {len(y)} ratings.")
    return x, y


def _scipy_p(coefficient: Coefficient, x: Floats, y: Floats) -> float:
    from scipy import stats

    tests = {
        Coefficient.SPEARMAN: stats.spearmanr,
        Coefficient.PEARSON: stats.pearsonr,
        Coefficient.KENDALL: stats.kendalltau,
    }
    return float(tests[coefficient](x, y).pvalue)


def draw_counts(rows: NDArray[np.int64]) -> Floats:
    """Return how often each resample drew each item, shape (resamples, items)."""
    resamples, n = rows.shape
    flat = (rows + np.arange(resamples)[:, None] * n).ravel()
    return np.bincount(flat, minlength=resamples * n).reshape(resamples, n).astype(np.float64)


def weighted(coefficient: Coefficient, x: Floats, y: Floats, weights: Floats) -> Floats:
    """Return the coefficient under each row of item weights, shape (rows, items); NaN where undefined.

    A resample is a weighting of the items, so no resample need be sorted or copied.
    """
    defined = _varies(x, weights) & _varies(y, weights)
    if coefficient is Coefficient.KENDALL:
        values = tau_b(x, y, weights)
    elif coefficient is Coefficient.SPEARMAN:
        values = weighted_pearson(mid_ranks(x, weights), mid_ranks(y, weights), weights)
    else:
        values = weighted_pearson(x[None, :], y[None, :], weights)
    return np.where(defined, values, np.nan)


def weighted_pearson(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Return Pearson's r along the last axis under each row of weights; shapes (rows or 1, items)."""
    total = weights.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):  # a sample may lack all rows, and is then undefined
        a = x - (weights * x).sum(axis=1, keepdims=True) / total
        b = y - (weights * y).sum(axis=1, keepdims=True) / total
    return _ratio((weights * a * b).sum(axis=1), (weights * a * a).sum(axis=1), (weights * b * b).sum(axis=1))


def mid_ranks(values: Floats, weights: Floats) -> Floats:
    """Return the rank of each item, shape (items,), in each weighted sample, shape (rows, items).

    Ties share their mean rank.
    """
    place, per_value = _per_value(values, weights)
    ranks: Floats = np.cumsum(per_value, axis=1) - (per_value - 1) / 2
    return ranks[:, place]


def _varies(values: Floats, weights: Floats) -> NDArray[np.bool_]:
    varies: NDArray[np.bool_] = (_per_value(values, weights)[1] > 0).sum(axis=1) > 1
    return varies


def _per_value(values: Floats, weights: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Return each item's place among the distinct values, and the weight of each distinct value per row."""
    distinct, place = np.unique(values, return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(len(distinct)))
    return place, np.add.reduceat(weights[:, order], starts, axis=1)


def _ratio(product: Floats, first: Floats, second: Floats) -> Floats:
    """Return product / sqrt(first * second) within [-1, 1]; undefined if a spread is 0."""
    scale = np.sqrt(np.where(first > 0, first, 1.0)) * np.sqrt(np.where(second > 0, second, 1.0))
    ratio: Floats = np.clip(product / scale, -1.0, 1.0)
    return ratio


def exact_mean(values: Iterable[float]) -> float:
    """Return the mean, rounded once: 7 in 3 ratings and 14 in 6 are a tie, and so are equal scores, to the last digit.

    Raises ValueError if there are no values.
    """
    return statistics.mean(map(float, values))
