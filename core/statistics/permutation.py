"""Is a difference more than chance? Paired permutation tests of two systems' means and of two metrics' correlations.

Pure functions on arrays with the items on the first axis. Every random draw comes from the keyword `seed`, so the same
call gives the same figures. Tests that can enumerate all relabellings do so and say `exact`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.statistics.bootstrap import BLOCK, Floats, finite
from core.statistics.clusters import cluster_codes
from core.statistics.correlation import Coefficient, coefficient_value, correlate_rows, standard_values
from core.statistics.crossed import Crossed, permutation_p, permutations
from core.statistics.kendall import exchanged_tau_b

# Two ways of summing the same relabelling differ in the last digits; a tie must count as "at least as large".
TOLERANCE = 1e-12

MAX_ITEMS = 1500
"""Of more items the signs of all pairs would take too much memory."""


@dataclass(frozen=True)
class PermutationResult:
    """An observed difference (first minus second), and the probability that chance gives one at least as far from 0.

    `n` counts the items compared; `exact` says that all relabellings were enumerated, so no seed matters.
    """

    value: float
    p: float
    n: int
    resamples: int
    exact: bool
    seed: int


def paired_permutation(first: ArrayLike, second: ArrayLike, *, seed: int, resamples: int = 10_000) -> PermutationResult:
    """Return the two-sided paired permutation (sign-flip) test of the difference of means.

    `first` and `second` have shape (items,). Under the null hypothesis the two systems' values of an item may
    be exchanged. Exact where 2**items <= resamples. Otherwise p counts the observed labelling as one more
    relabelling and is never 0 (Phipson & Smyth 2010).
    """
    a, b = _paired(first, second)
    return paired_permutations([finite(a) - finite(b)], seed=seed, resamples=resamples)[0]


def paired_permutations(
    differences: Sequence[Floats], *, seed: int, resamples: int = 10_000
) -> tuple[PermutationResult, ...]:
    """Return `paired_permutation` of many pairs of systems at once, from their differences, each of shape (items,).

    The draws depend on the number of items alone, so all tests share them.
    """
    table = np.stack(differences)
    tests, n = table.shape
    observed = np.array([row.mean() for row in table])
    total, count, drawn = table.sum(axis=1), np.zeros(tests, dtype=np.int64), 0
    exact = _enumerable(n, resamples)
    for swaps in _swaps(n, seed=seed, resamples=resamples):
        permuted = (total - 2 * (swaps.astype(np.float64) @ table.T)) / n
        count += (np.abs(permuted) >= np.abs(observed) - TOLERANCE).sum(axis=0)
        drawn += len(swaps)
    return tuple(
        PermutationResult(float(value), _share(int(far), drawn, exact=exact), n, drawn, exact, seed)
        for value, far in zip(observed, count, strict=True)
    )


def perm_both(
    ratings: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    coefficient: Coefficient,
    seed: int,
    resamples: int = 1000,
    clusters: Sequence[Hashable] | None = None,
) -> PermutationResult:
    """Return the two-sided test that `first` and `second` correlate alike with the ratings.

    All three have shape (rows,). Both metrics are standardised (for Spearman: ranked). Then their values are exchanged
    at random, whole `clusters` at a time (None: row by row). The statistic is correlation(first) - correlation(second).
    The p-value is the share of exchanges with a statistic at least as far from 0 as the observed one. An exchange with
    an undefined correlation counts as at least as far, so it can only make the p-value larger. `n` of the result counts
    the clusters. Raises ValueError where a metric or the ratings are all equal. Source: PERM-BOTH, Deutsch, Dror &
    Roth, TACL 2021, as used by mt-metrics-eval, two-sided.
    """
    human = finite(ratings)
    a, b = _standardised(first), _standardised(second)
    if not len(human) == len(a) == len(b):
        raise ValueError(f"The ratings ({len(human)}) and metrics ({len(a)}, {len(b)}) differ in length.")
    if np.ptp(human) == 0:
        raise ValueError("The correlation of a metric with the ratings is undefined.")
    codes = np.arange(len(a)) if clusters is None else cluster_codes(clusters)
    units = int(codes.max()) + 1
    if coefficient is Coefficient.KENDALL:
        differences = _by_rows(human, a, b, codes)
    else:
        differences = _by_sums(human, a, b, codes, ranked=coefficient is Coefficient.SPEARMAN)
    observed = float(differences(np.zeros((1, units), dtype=bool))[0])
    exact = _enumerable(units, resamples)
    count = drawn = 0
    for swaps in _swaps(units, seed=seed, resamples=resamples, rows=max(1, BLOCK // len(a))):
        count += int((~(np.abs(differences(swaps)) < abs(observed) - TOLERANCE)).sum())
        drawn += len(swaps)
    return PermutationResult(observed, _share(count, drawn, exact=exact), units, drawn, exact, seed)


def perm_crossed(
    ratings: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    crossed: Crossed,
    *,
    coefficient: Coefficient,
    seed: int,
    resamples: int = 1000,
) -> PermutationResult:
    """Return the two-sided test that two metrics correlate alike with the ratings, over claims crossed with systems.

    The correlations' difference, over its two-way error, is compared with two sets of draws. The first permutes whole
    claims and systems, the second exchanges the metrics of whole claims. The larger p counts: systems may be alike,
    and scores may be skewed. τ_b is tested by its ranks. `n` counts the claims. Raises ValueError where a metric or the
    ratings are all equal.
    """
    human = finite(ratings)
    standard = [standard_values(coefficient, _standardised(one)) for one in (first, second)]
    if np.ptp(human) == 0:
        raise ValueError("The correlation of a metric with the ratings is undefined.")
    value = coefficient_value(coefficient, finite(first), human) - coefficient_value(coefficient, finite(second), human)
    claims = len(set(crossed.first))
    if np.ptp(standard[0] - standard[1]) < TOLERANCE:
        return PermutationResult(value, 1.0, claims, resamples, False, seed)
    ranked = standard_values(coefficient, human)
    p_values = []
    for exchange in (False, True):
        own, found = permutations(standard, ranked, crossed, seed=seed, resamples=resamples, exchange=exchange)
        p_values.append(permutation_p(own.studentised[0], found.studentised))
    return PermutationResult(value, max(p_values), claims, resamples, False, seed)


# Takes which units are exchanged, shape (exchanges, units); returns correlation(first) - correlation(second) of each.
Differences = Callable[[NDArray[np.bool_]], Floats]


def _by_sums(human: Floats, a: Floats, b: Floats, codes: NDArray[np.int64], *, ranked: bool) -> Differences:
    """Return Pearson's r by sums over units: an exchange moves a unit's sums from one metric to the other."""
    from scipy.stats import rankdata

    y, a, b = (_standardised(rankdata(one)) if ranked else _standardised(one) for one in (human, a, b))
    sums = [[np.bincount(codes, term) for term in (x, x * x, x * y)] for x in (a, b)]
    own, other = (np.stack(terms, axis=1) for terms in sums)
    n = len(y)

    def correlation(totals: Floats) -> Floats:
        mean, square, product = (totals / n).T
        spread = square - mean**2
        with np.errstate(divide="ignore", invalid="ignore"):
            values: Floats = np.where(spread > TOLERANCE, product / np.sqrt(spread), np.nan)
        return values

    def differences(swaps: NDArray[np.bool_]) -> Floats:
        moved = swaps.astype(np.float64) @ (other - own)
        return correlation(own.sum(axis=0) + moved) - correlation(other.sum(axis=0) - moved)

    return differences


def _by_rows(human: Floats, a: Floats, b: Floats, codes: NDArray[np.int64]) -> Differences:
    """Return Kendall's τ_b from all pairs of items, or row by row where these are too many."""

    def differences(swaps: NDArray[np.bool_]) -> Floats:
        if len(a) <= MAX_ITEMS:
            return exchanged_tau_b(a, b, human, codes, swaps) - exchanged_tau_b(a, b, human, codes, ~swaps)
        swapped, tau = swaps[:, codes], Coefficient.KENDALL
        return correlate_rows(tau, np.where(swapped, b, a), human) - correlate_rows(tau, np.where(swapped, a, b), human)

    return differences


def smallest_exchange_p(units: int, resamples: int) -> float:
    """Return the smallest p of an exchange of `units` units: 2 of 2**units, or 1 of all draws and one more."""
    return min(1.0, 2 / 2**units) if _enumerable(units, resamples) else 1 / (resamples + 1)


def _enumerable(n: int, resamples: int) -> bool:
    return n < 60 and 2**n <= resamples


def _swaps(n: int, *, seed: int, resamples: int, rows: int = 0) -> Iterator[NDArray[np.bool_]]:
    """Yield blocks of at most `rows` rows saying which of n units are exchanged: all 2**n if they fit."""
    if _enumerable(n, resamples):
        yield (np.arange(2**n)[:, None] >> np.arange(n)) % 2 == 1
        return
    generator = np.random.default_rng(seed)
    rows = rows or max(1, BLOCK // n)
    for start in range(0, resamples, rows):
        yield generator.integers(0, 2, (min(rows, resamples - start), n), dtype=np.int8) == 1


def _share(count: int, drawn: int, *, exact: bool) -> float:
    return count / drawn if exact else (count + 1) / (drawn + 1)


def _paired(first: ArrayLike, second: ArrayLike) -> tuple[NDArray[np.generic], NDArray[np.generic]]:
    a, b = np.asarray(first), np.asarray(second)
    if a.shape != b.shape:
        raise ValueError(f"Paired values must have one shape, got {a.shape} and {b.shape}.")
    if not len(a):
        raise ValueError("There are no items to compare.")
    return a, b


def _standardised(values: ArrayLike) -> Floats:
    array = finite(values)
    spread = array.std()
    if not spread > 0:
        raise ValueError("A metric gives every item the same value, so its correlation is undefined.")
    standardised: Floats = (array - array.mean()) / spread
    return standardised
