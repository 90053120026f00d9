"""Estimate the uncertainty of a coefficient over dependent rows, such as ratings of one item.

Leave out whole clusters, one at a time (delete-one-cluster jackknife), on Fisher's z = arctanh(coefficient). The t
distribution has clusters − 1 degrees of freedom. Efron & Tibshirani 1993, chapter 11; for few clusters Bell & McCaffrey
2002 (CR3). `tests/statistics/test_calibration.py` measures its coverage.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.statistics.bootstrap import BLOCK, MIN_FOR_INTERVAL, Floats, Interval

Codes = NDArray[np.int64]
Statistic = Callable[[Floats], Floats]
"""Takes weights of the rows, shape (samples, rows), and returns one coefficient a sample; NaN where undefined."""

# Beyond this a coefficient counts as ±1: arctanh of 1 is infinite.
ALMOST_ONE = 1 - 1e-12


MAX_LEFT_OUT = 200
"""Samples that are left out in turn; more clusters are drawn together. Leaving out 3,000 would take minutes."""


@dataclass(frozen=True)
class Uncertainty:
    """The interval and the two-sided p of a coefficient being 0, or None and the reason."""

    interval: Interval | None
    p: float | None
    reason: str = ""


def cluster_codes(names: Sequence[Hashable]) -> Codes:
    """Return each row's cluster as a number from 0, in order of appearance; shape (rows,)."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)


def smallest_p(clusters: int) -> float:
    """Return the smallest two-sided p for a number of clusters: their order and its mirror, of all orders."""
    return min(1.0, 2 / math.factorial(clusters)) if clusters < 20 else 0.0


def jackknife(statistic: Statistic, codes: Codes, *, level: float = 0.95) -> Uncertainty:
    """Return the interval and p of a coefficient in [-1, 1] over rows in clusters; codes has shape (rows,).

    Neither is given under MIN_FOR_INTERVAL clusters, or if leaving one out makes the coefficient undefined. p is never
    below `smallest_p`.
    """
    from scipy import stats

    count = int(codes.max()) + 1 if len(codes) else 0
    if count < MIN_FOR_INTERVAL:
        return Uncertainty(None, None, f"{count} clusters: at least {MIN_FOR_INTERVAL} are needed")
    error = math.sqrt(jackknife_variance(statistic, codes))
    if math.isnan(error):
        return Uncertainty(None, None, "undefined without one of its clusters")
    count = min(count, MAX_LEFT_OUT)
    whole = _z(statistic(np.ones((1, len(codes)))))[0]
    reach = float(stats.t.ppf((1 + level) / 2, count - 1)) * error
    interval = Interval(math.tanh(whole - reach), math.tanh(whole + reach), level, count, 0, 0, "jackknife")
    p = 2 * float(stats.t.sf(abs(whole) / error, count - 1)) if error > 0 else 0.0
    return Uncertainty(interval, max(p, smallest_p(count)))


def jackknife_variance(statistic: Statistic, codes: Codes) -> float:
    """Return the variance of Fisher's z over clusters left out in turn; NaN if it is undefined without one."""
    count = int(codes.max()) + 1
    if count > MAX_LEFT_OUT:
        codes, count = _merged(codes, count), MAX_LEFT_OUT
    without = _z(np.concatenate([statistic(weights) for weights in _without_each(codes, count)]))
    return (count - 1) / count * float(((without - without.mean()) ** 2).sum())


def _merged(codes: Codes, count: int) -> Codes:
    """Return the clusters drawn together into MAX_LEFT_OUT groups of equal size: the delete-a-group jackknife."""
    groups = np.random.default_rng(0).permutation(count) % MAX_LEFT_OUT
    return groups[codes]


def _z(values: Floats) -> Floats:
    z: Floats = np.arctanh(np.clip(values, -ALMOST_ONE, ALMOST_ONE))
    return z


def _without_each(codes: Codes, count: int) -> Iterator[Floats]:
    """Yield blocks of weights, a row a cluster: 0 for its rows and 1 for all others."""
    size = max(1, BLOCK // len(codes))
    clusters = np.arange(count)
    for start in range(0, count, size):
        yield (codes[None, :] != clusters[start : start + size, None]).astype(np.float64)
