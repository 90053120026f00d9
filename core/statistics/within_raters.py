"""Correlate within raters, because raters' different severity lowers a pooled correlation."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.statistics.bootstrap import Floats
from core.statistics.clusters import cluster_codes, jackknife
from core.statistics.correlation import (
    Coefficient,
    Correlation,
    exchangeable,
    same_length,
    standard_values,
    tied,
    undefined_reason,
    weighted,
)
from core.statistics.crossed import Crossed, permuted
from core.statistics.kendall import tau_scale


def correlate_within(
    scores: ArrayLike,
    ratings: ArrayLike,
    raters: Sequence[str],
    *,
    coefficient: Coefficient,
    seed: int,
    resamples: int = 2000,
    clusters: Sequence[Hashable] | Crossed | None = None,
    level: float = 0.95,
) -> Correlation:
    """Return the mean over raters of each rater's own correlation, weighted by the items they rated.

    So a severe and a mild rater who order items alike agree fully. Raters with an undefined correlation (fewer than 3
    items, all equal) are left out and counted. Interval and p take whole `clusters`, such as items, as independent;
    None takes each rating as independent. Scores are permuted over whole clusters, as in `correlate`.
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
        own: Sequence[Hashable] | Crossed = clusters.taken(kept.tolist())
    else:
        own = [clusters[row] for row in kept] if clusters is not None else kept.tolist()
    ends = np.cumsum([len(group) for group in usable])
    x, y, groups = x[kept], y[kept], np.split(np.arange(len(kept)), ends[:-1])

    def mean_of_raters(weights: Floats) -> Floats:
        return _mean_of_raters(coefficient, x, y, groups, weights)

    value = float(mean_of_raters(np.ones((1, len(kept))))[0])

    units = exchangeable(x, own)
    if units is None:
        names_of = own.first if isinstance(own, Crossed) else own
        found = jackknife(mean_of_raters, cluster_codes(list(names_of)), level=level)
    else:
        first, second = (np.concatenate([standard_values(coefficient, one[rows]) for rows in groups]) for one in (x, y))
        scales = [tau_scale(x[rows], y[rows]) if coefficient is Coefficient.KENDALL else 1.0 for rows in groups]
        scale = float(np.average(scales, weights=[len(rows) for rows in groups]))
        found = permuted(value, first, second, units, scale=scale, seed=seed, resamples=resamples, level=level)
    ties, count = (tied(x), tied(y)), len(set(own.first if isinstance(own, Crossed) else own))
    return Correlation(
        coefficient, value, found.p, len(kept), found.interval, "", *ties, len(usable), left_out, clusters=count
    )


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
