"""Test correlations over claims crossed with systems, where rows of one claim or system are similar.

Scores are permuted over whole claims and over whole systems at once, so that both kinds of likeness stay. The share of
permutations with a coefficient as far from 0 is p. The quantile of their Fisher z is the reach of the interval. This is
the permutation of rows and columns of Hubert 1987, chapter 4. `tests/statistics/test_calibration.py` measures it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from core.statistics.bootstrap import MIN_FOR_INTERVAL, Floats, Interval
from core.statistics.clusters import ALMOST_ONE, Codes, Jackknife, cluster_codes

# Two ways of summing the same permutation differ in the last digits; a tie must count as "at least as far".
TOLERANCE = 1e-12


@dataclass(frozen=True)
class Crossed:
    """The claim and the system of each row; shape (rows,) both."""

    first: Sequence[Hashable]
    second: Sequence[Hashable]

    def taken(self, rows: Sequence[int]) -> Crossed:
        return Crossed([self.first[row] for row in rows], [self.second[row] for row in rows])

    @property
    def codes(self) -> tuple[Codes, Codes]:
        return cluster_codes(self.first), cluster_codes(self.second)


def permuted_correlations(scores: Floats, ratings: Floats, crossed: Crossed, *, seed: int, resamples: int) -> Floats:
    """Return the correlation of standardised arrays, shape (rows,), and of each permutation: (1 + resamples,).

    A score is the mean of its claim's and system's rows. After a permutation, a cell counts only if it has
    both a score and a rating.
    """
    first, second = crossed.codes
    shape = (int(first.max()) + 1, int(second.max()) + 1)
    cell = np.ravel_multi_index((first, second), shape)
    size = int(np.prod(shape))
    count, total, product, square = (
        np.bincount(cell, weights, size).reshape(shape) for weights in (None, scores, ratings, ratings**2)
    )
    score = np.divide(total, count, out=np.zeros(shape), where=count > 0)
    there = (count > 0).astype(np.float64)
    generator = np.random.default_rng(seed)
    found = np.empty(resamples + 1)
    for i in range(resamples + 1):
        order = (np.arange(shape[0]), np.arange(shape[1]))
        if i:
            order = (generator.permutation(shape[0]), generator.permutation(shape[1]))
        moved, known = score[np.ix_(*order)], there[np.ix_(*order)]
        spread = (count * moved**2).sum() * (known * square).sum()
        found[i] = (moved * product).sum() / np.sqrt(spread) if spread > 0 else 0.0
    return found


def permutation_test(value: float, found: Floats, *, scale: float = 1.0, seed: int, level: float = 0.95) -> Jackknife:
    """Return interval and two-sided p of a coefficient from `permuted_correlations`.

    `scale` is the ratio of the coefficient's standard error to that of the correlations.
    """
    z = np.arctanh(np.clip(found, -ALMOST_ONE, ALMOST_ONE))
    far = int((np.abs(z[1:]) >= abs(z[0]) - TOLERANCE).sum())
    reach = scale * float(np.quantile(np.abs(z[1:]), level))
    own = float(np.arctanh(np.clip(value, -ALMOST_ONE, ALMOST_ONE)))
    interval = Interval(
        float(np.tanh(own - reach)), float(np.tanh(own + reach)), level, len(z) - 1, 0, seed, "permutation"
    )
    return Jackknife(interval, (far + 1) / len(z))


def too_few(crossed: Crossed) -> str:
    """Return why a crossed design has neither interval nor p, or ""."""
    claims, systems = (len(set(names)) for names in (crossed.first, crossed.second))
    if claims < MIN_FOR_INTERVAL or systems < 2:
        there = f"{claims} claim{'s' * (claims != 1)} and {systems} system{'s' * (systems != 1)}"
        return f"{there}: at least {MIN_FOR_INTERVAL} and 2 are needed"
    return ""
