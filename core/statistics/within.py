"""Correlation within raters: raters differ in severity, and a pooled correlation pays for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.statistics.bootstrap import BLOCK, MIN_FOR_INTERVAL, Floats
from core.statistics.correlation import (
    Coefficient,
    Correlation,
    coefficient_value,
    draw_counts,
    interval_or_none,
    mid_ranks,
    same_length,
    tied,
    undefined_reason,
    weighted,
    weighted_pearson,
)
from core.statistics.kendall import tau_b_of_orders


def correlate_within(
    scores: ArrayLike,
    ratings: ArrayLike,
    raters: Sequence[str],
    *,
    coefficient: Coefficient,
    seed: int,
    resamples: int = 2000,
    level: float = 0.95,
) -> Correlation:
    """Return the mean over raters of each rater's own correlation, weighted by the items they rated.

    So a severe and a mild rater who order items alike agree fully. Raters whose correlation is undefined
    (fewer than 3 items, all equal) are left out and counted. The interval resamples items within raters; there
    is none under MIN_FOR_INTERVAL items in all. p is a two-sided permutation test that shuffles ratings within
    raters, (count + 1) / (resamples + 1).
    """
    x, y = same_length(scores, ratings)
    if len(raters) != len(x):
        raise ValueError(f"There are {len(x)} ratings but {len(raters)} raters.")
    names = np.asarray(raters, dtype=object)
    rows = [np.flatnonzero(names == rater) for rater in sorted(set(raters))]
    usable = [group for group in rows if not undefined_reason(x[group], y[group])]
    left_out = len(rows) - len(usable)
    if not usable:
        reason = "no rater has 3 items with different scores and different ratings"
        return Correlation(coefficient, None, None, len(x), None, reason, groups=0, left_out=left_out)
    groups = [(x[group], y[group]) for group in usable]
    n = sum(len(a) for a, _ in groups)
    observed = sum(len(a) * coefficient_value(coefficient, a, b) for a, b in groups) / n
    shuffled = _within_shuffles(coefficient, groups, seed=seed, resamples=resamples)
    reached = int((np.abs(shuffled) >= abs(observed) - 1e-12).sum())
    interval = None
    if n >= MIN_FOR_INTERVAL:
        samples = _within_samples(coefficient, groups, seed=seed, resamples=resamples)
        interval = interval_or_none(samples, seed=seed, level=level)
    p = (reached + 1) / (resamples + 1)
    return Correlation(coefficient, observed, p, n, interval, "", tied(x), tied(y), len(usable), left_out)


def _within_samples(
    coefficient: Coefficient, groups: Sequence[tuple[Floats, Floats]], *, seed: int, resamples: int
) -> Floats:
    """Return the weighted mean over raters in each resample of items within raters."""
    generator = np.random.default_rng(seed)
    sums, weights = np.zeros(resamples), np.zeros(resamples)
    for x, y in groups:
        values = np.concatenate(
            [
                weighted(coefficient, x, y, draw_counts(generator.integers(0, len(x), (rows, len(x)))))
                for rows in _blocks(len(x), resamples)
            ]
        )
        sums += np.where(np.isnan(values), 0.0, values) * len(x)
        weights += np.where(np.isnan(values), 0, len(x))
    return np.where(weights > 0, sums / np.maximum(weights, 1), np.nan)


def _within_shuffles(
    coefficient: Coefficient, groups: Sequence[tuple[Floats, Floats]], *, seed: int, resamples: int
) -> Floats:
    """Return the weighted mean over raters for each shuffling of ratings within raters."""
    generator = np.random.default_rng(seed)
    sums = np.zeros(resamples)
    for x, y in groups:
        values = np.concatenate(
            [
                _shuffled(coefficient, x, y, generator.permuted(np.tile(np.arange(len(x)), (rows, 1)), axis=1))
                for rows in _blocks(len(x), resamples)
            ]
        )
        sums += values * len(x)
    return sums / sum(len(x) for x, _ in groups)


def _shuffled(coefficient: Coefficient, x: Floats, y: Floats, orders: NDArray[np.int64]) -> Floats:
    """Return the coefficient of x with y in each order, shape (orders,); neither may be all equal."""
    ones = np.ones((1, len(x)))
    if coefficient is Coefficient.KENDALL:
        return tau_b_of_orders(x, y, orders)
    if coefficient is Coefficient.SPEARMAN:
        x, y = mid_ranks(x, ones)[0], mid_ranks(y, ones)[0]
    return weighted_pearson(x[None, :], y[orders], ones)


def _blocks(row: int, rows: int) -> Iterator[int]:
    """Yield the numbers of rows, in all `rows`, that keep each block of `row` numbers a row under BLOCK."""
    size = max(1, BLOCK // row)
    for start in range(0, rows, size):
        yield min(size, rows - start)
