"""Compute Kendall's τ_b for many weightings of the same items at once, without the matrix of all pairs.

Ratings take few values. Items are visited by rising score, and one pass a value counts the earlier items with that
value. So a resample costs (items × values) and not (items × items).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.statistics.bootstrap import Floats

# With more distinct values on both sides, scipy's n log n for each row is faster.
MAX_VALUES = 200


def tau_b(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Return τ_b of x and y, shape (items,), under each row of whole-number weights, shape (rows, items).

    A weight is how often the item counts. The result is undefined if x or y is all equal.
    """
    (x_values, x_place), (y_values, y_place) = (np.unique(v, return_inverse=True) for v in (x, y))
    if len(x_values) < len(y_values):
        x_place, y_place, x_values, y_values = y_place, x_place, y_values, x_values
    if len(y_values) > MAX_VALUES:
        return np.array([_scipy_tau_b(np.repeat(x, row), np.repeat(y, row)) for row in weights.astype(np.int64)])
    places = np.broadcast_to(y_place, weights.shape)
    excess = _excess(x_place, places, len(y_values), weights)
    untied = _untied(x_place, len(x_values), weights) * _untied(y_place, len(y_values), weights)
    ratio: Floats = excess / np.sqrt(np.where(untied > 0, untied, 1.0))
    return np.clip(ratio, -1.0, 1.0)


def tau_scale(x: Floats, y: Floats) -> float:
    """Return the ratio of τ_b's error to that of the ranks' correlation, for independent x and y.

    Kendall 1970, chapter 4. The ratio is 2/3 without ties.
    """
    from scipy.stats import rankdata

    n = len(x)
    above = [2 * (rankdata(one) - (n + 1) / 2) for one in (x, y)]
    untied = [n * n - float((np.unique(one, return_counts=True)[1] ** 2).sum()) for one in (x, y)]
    triples = [float((one**2).sum()) - pairs for one, pairs in zip(above, untied, strict=True)]
    single = 4 / (n * (n - 1) * (n - 2)) * triples[0] * triples[1]
    variance = (single + 2 / (n * (n - 1)) * untied[0] * untied[1]) / (untied[0] * untied[1])
    return float(np.sqrt(variance * (n - 1)))


def exchanged_tau_b(
    first: Floats, second: Floats, y: Floats, codes: NDArray[np.int64], exchanged: NDArray[np.bool_]
) -> Floats:
    """Return τ_b with y of `first`, after the items of exchanged units have their value in `second`.

    `codes` holds the unit of each item, from 0; `exchanged` has the shape (rows, units). The signs of all pairs make it
    a quadratic form in `exchanged`. NaN marks a row without differences.
    """
    order = np.argsort(codes, kind="stable")
    first, second, y = first[order], second[order], y[order]
    starts = np.searchsorted(codes[order], np.arange(exchanged.shape[1]))
    signs = [_signs(first, first), _signs(first, second), _signs(second, second)]
    pairs = _signs(y, y)
    moved = exchanged.astype(np.float64)
    kept = 1.0 - moved

    def over_pairs(matrices: Sequence[Floats]) -> Floats:
        of_first, mixed, of_second = (
            np.add.reduceat(np.add.reduceat(matrix, starts, axis=0), starts, axis=1) for matrix in matrices
        )
        total: Floats = (kept * (kept @ of_first + 2.0 * (moved @ mixed.T)) + moved * (moved @ of_second)).sum(axis=1)
        return total

    untied = over_pairs([np.abs(sign) for sign in signs]) * np.abs(pairs).sum()
    excess = over_pairs([sign * pairs for sign in signs])
    ratio = excess / np.sqrt(np.where(untied > 0, untied, 1.0))
    return np.where(untied > 0, np.clip(ratio, -1.0, 1.0), np.nan)


def _signs(x: Floats, y: Floats) -> Floats:
    """Return the sign of x - y for each pair, shape (items, items)."""
    signs: Floats = np.sign(x[:, None] - y[None, :])
    return signs


def _excess(place: NDArray[np.intp], others: NDArray[np.intp], values: int, weights: Floats) -> Floats:
    """Return concordant minus discordant pairs per row. Shapes: `place` (items,), `others` (rows, items)."""
    order = np.argsort(place, kind="stable")
    first = np.searchsorted(place[order], place[order])  # where the items with this one's score begin
    others, weights = others[:, order], weights[:, order]
    excess = np.zeros(len(weights))
    for value in range(values):
        counts = np.cumsum(weights * (others == value), axis=1)
        earlier = np.where(first > 0, counts[:, first - 1], 0.0)
        excess += (weights * np.sign(others - value) * earlier).sum(axis=1)
    return excess


def _untied(place: NDArray[np.intp], values: int, weights: Floats) -> Floats:
    """Return the number of pairs that are not tied, per row of weights."""
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(values))
    per_value = np.add.reduceat(weights[:, order], starts, axis=1)
    pairs: Floats = (weights.sum(axis=1) ** 2 - (per_value**2).sum(axis=1)) / 2
    return pairs


def _scipy_tau_b(x: Floats, y: Floats) -> float:
    from scipy.stats import kendalltau

    return float(kendalltau(x, y).statistic)
