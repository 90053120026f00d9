"""The standard error of a correlation if scores and ratings were independent, for rows in clusters.

The variance 1 / n grows by the design effect 1 + (m − 1) ρ_scores ρ_ratings. There m counts the rows of a cluster, and
ρ are intraclass correlations. A jackknife depends on the few rows with the highest scores, this error does not. So
Pearson's r of skewed scores keeps its level. Kish 1965, section 5.4; for τ_b Kendall 1970, chapter 4.
`tests/statistics/test_calibration.py` measures its coverage.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import rankdata

from core.statistics.bootstrap import Floats, Interval
from core.statistics.clusters import ALMOST_ONE, Codes, Jackknife, smallest_p


def suits(scores: Floats, codes: Codes) -> bool:
    """Tell whether the design effect of the clusters can be estimated: one score each, or more clusters than rows.

    Of few large clusters it cannot be estimated: leave them out in turn instead.
    """
    sizes = np.bincount(codes)
    lowest, highest = (np.full(len(sizes), value) for value in (np.inf, -np.inf))
    np.minimum.at(lowest, codes, scores)
    np.maximum.at(highest, codes, scores)
    return bool((lowest == highest).all() or len(sizes) >= sizes.mean())


def design_effect(first: Floats, second: Floats, codes: Codes) -> float:
    """Return the factor of the variance of the mean product of two standardised arrays, shape (rows,); at least 1."""
    sizes = np.bincount(codes)
    pairs = float((sizes * (sizes - 1)).sum())
    if not pairs:
        return 1.0
    shared = [float((np.bincount(codes, one) ** 2).sum() - (one**2).sum()) for one in (first, second)]
    return 1 + max(0.0, shared[0] * shared[1] / pairs) / len(codes)


def mean_error(first: Floats, second: Floats, codes: Codes) -> float:
    """Return the standard error of the mean product of two standardised arrays, such as Pearson's r."""
    clusters = int(codes.max()) + 1
    return math.sqrt(design_effect(first, second, codes) / len(codes) * clusters / (clusters - 1))


def tau_error(scores: Floats, ratings: Floats, codes: Codes) -> float:
    """Return the standard error of Kendall's τ_b of two arrays of shape (rows,) with ties."""
    n = len(scores)
    above = [2 * (rankdata(one) - (n + 1) / 2) for one in (scores, ratings)]
    untied = [n * n - float((np.unique(one, return_counts=True)[1] ** 2).sum()) for one in (scores, ratings)]
    triples = [float((one**2).sum()) - pairs for one, pairs in zip(above, untied, strict=True)]
    effect = design_effect(_standardised(above[0]), _standardised(above[1]), codes)
    single = 4 / (n * (n - 1) * (n - 2)) * triples[0] * triples[1] * effect
    return math.sqrt((single + 2 / (n * (n - 1)) * untied[0] * untied[1]) / (untied[0] * untied[1]))


def by_null_error(value: float, error: float, codes: Codes, *, level: float = 0.95) -> Jackknife:
    """Return interval and two-sided p of a coefficient by its standard error, on Fisher's z with t quantiles."""
    from scipy import stats

    count = int(codes.max()) + 1
    z = math.atanh(min(max(value, -ALMOST_ONE), ALMOST_ONE))
    reach = float(stats.t.ppf((1 + level) / 2, count - 1)) * error
    interval = Interval(math.tanh(z - reach), math.tanh(z + reach), level, count, 0, 0, "design effect")
    return Jackknife(interval, max(2 * float(stats.t.sf(abs(z) / error, count - 1)), smallest_p(count)))


def _standardised(values: Floats) -> Floats:
    standardised: Floats = (values - values.mean()) / values.std()
    return standardised
