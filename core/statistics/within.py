"""Correlation within raters: raters differ in severity, and a pooled correlation pays for it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.statistics.bootstrap import Floats
from core.statistics.clusters import cluster_codes, jackknife
from core.statistics.correlation import Coefficient, Correlation, same_length, tied, undefined_reason, weighted


def correlate_within(
    scores: ArrayLike,
    ratings: ArrayLike,
    raters: Sequence[str],
    *,
    coefficient: Coefficient,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
) -> Correlation:
    """Return the mean over raters of each rater's own correlation, weighted by the items they rated.

    So a severe and a mild rater who order items alike agree fully. Raters with an undefined correlation (fewer than 3
    items, all equal) are left out and counted. Interval and p leave out whole `clusters`, such as items; None takes
    each rating as independent of the others.
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
    kept = np.concatenate(usable)
    codes = cluster_codes([clusters[row] for row in kept] if clusters is not None else kept.tolist())
    ends = np.cumsum([len(group) for group in usable])
    x, y, groups = x[kept], y[kept], np.split(np.arange(len(kept)), ends[:-1])

    def mean_of_raters(weights: Floats) -> Floats:
        return _mean_of_raters(coefficient, x, y, groups, weights)

    value = float(mean_of_raters(np.ones((1, len(kept))))[0])
    found = jackknife(mean_of_raters, codes, level=level)
    ties, count = (tied(x), tied(y)), int(codes.max()) + 1
    return Correlation(
        coefficient, value, found.p, len(kept), found.interval, "", *ties, len(usable), left_out, clusters=count
    )


def _mean_of_raters(
    coefficient: Coefficient, x: Floats, y: Floats, groups: Sequence[NDArray[np.int64]], weights: Floats
) -> Floats:
    """Return the weighted mean over raters in each sample, without raters of undefined correlation there."""
    sums, totals = np.zeros(len(weights)), np.zeros(len(weights))
    for rows in groups:
        own = weights[:, rows]
        values = weighted(coefficient, x[rows], y[rows], own)
        sums += np.where(np.isnan(values), 0.0, values * own.sum(axis=1))
        totals += np.where(np.isnan(values), 0.0, own.sum(axis=1))
    return np.where(totals > 0, sums / np.maximum(totals, 1), np.nan)
