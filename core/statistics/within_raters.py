"""Correlate within raters, because raters' different severity lowers a pooled correlation."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.statistics.bootstrap import MIN_FOR_INTERVAL, Floats
from core.statistics.clusters import Codes, Jackknife, cluster_codes, jackknife
from core.statistics.correlation import (
    Coefficient,
    Correlation,
    same_length,
    standard_values,
    tied,
    undefined_reason,
    weighted,
)
from core.statistics.crossed import Crossed
from core.statistics.design_effect import by_null_error, mean_error, suits


def correlate_within(
    scores: ArrayLike,
    ratings: ArrayLike,
    raters: Sequence[str],
    *,
    coefficient: Coefficient,
    clusters: Sequence[Hashable] | Crossed | None = None,
    level: float = 0.95,
) -> Correlation:
    """Return the mean over raters of each rater's own correlation, weighted by the items they rated.

    So a severe and a mild rater who order items alike agree fully. Raters with an undefined correlation (fewer than 3
    items, all equal) are left out and counted. Interval and p take whole `clusters`, such as items, as independent;
    None takes each rating as independent. For `Crossed`, the wider interval counts: over claims or over systems.
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
    if isinstance(clusters, Crossed):
        units: tuple[Codes, ...] = clusters.taken(kept.tolist()).codes
    else:
        units = (cluster_codes([clusters[row] for row in kept] if clusters is not None else kept.tolist()),)
    ends = np.cumsum([len(group) for group in usable])
    x, y, groups = x[kept], y[kept], np.split(np.arange(len(kept)), ends[:-1])

    def mean_of_raters(weights: Floats) -> Floats:
        return _mean_of_raters(coefficient, x, y, groups, weights)

    value = float(mean_of_raters(np.ones((1, len(kept))))[0])

    def uncertainty(codes: Codes) -> Jackknife:
        if coefficient is Coefficient.KENDALL or codes.max() + 1 < MIN_FOR_INTERVAL or not suits(x, codes):
            return jackknife(mean_of_raters, codes, level=level)
        first, second = (np.concatenate([standard_values(coefficient, one[own]) for own in groups]) for one in (x, y))
        return by_null_error(value, mean_error(first, second, codes), codes, level=level)

    found = max(map(uncertainty, units), key=_width)
    ties, count = (tied(x), tied(y)), int(units[0].max()) + 1
    return Correlation(
        coefficient, value, found.p, len(kept), found.interval, "", *ties, len(usable), left_out, clusters=count
    )


def _width(found: Jackknife) -> float:
    return np.inf if found.interval is None else found.interval.high - found.interval.low


def _mean_of_raters(
    coefficient: Coefficient, x: Floats, y: Floats, groups: Sequence[NDArray[np.int64]], weights: Floats
) -> Floats:
    """Return the weighted mean over raters in each sample, without undefined correlations."""
    sums, totals = np.zeros(len(weights)), np.zeros(len(weights))
    for rows in groups:
        own = weights[:, rows]
        values = weighted(coefficient, x[rows], y[rows], own)
        sums += np.where(np.isnan(values), 0.0, values * own.sum(axis=1))
        totals += np.where(np.isnan(values), 0.0, own.sum(axis=1))
    return np.where(totals > 0, sums / np.maximum(totals, 1), np.nan)
