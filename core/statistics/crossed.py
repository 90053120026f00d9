"""Test correlations by permuting the scores of whole items, or of whole claims and whole systems.

Rows of one unit are alike, so their scores move together. Rows and columns are permuted as in Hubert 1987, chapter 4.
For intervals each permuted correlation is divided by its standard error (DiCiccio & Romano 2017). The error over claims
and systems is two-way: claims + systems − cells (Cameron, Gelbach & Miller 2011).
`tests/statistics/test_calibration.py` measures the levels.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.statistics.bootstrap import BLOCK, MIN_FOR_INTERVAL, Floats, Interval
from core.statistics.clusters import (
    ALMOST_ONE,
    Codes,
    Uncertainty,
    cluster_codes,
    smallest_p,
)

# Two ways of summing the same permutation differ in the last digits; a tie must count as "at least as far".
TOLERANCE = 1e-9

MIN_SYSTEMS = 3
"""Two systems permuted whole say nothing about others."""


@dataclass(frozen=True)
class Crossed:
    """The claim and the system of each row, shape (rows,) both; without `both` there is one system."""

    first: Sequence[Hashable]
    second: Sequence[Hashable]
    both: bool = True

    def taken(self, rows: Sequence[int]) -> Crossed:
        return Crossed([self.first[row] for row in rows], [self.second[row] for row in rows], self.both)

    @property
    def codes(self) -> tuple[Codes, Codes]:
        return cluster_codes(self.first), cluster_codes(self.second)


def single(units: Sequence[Hashable]) -> Crossed:
    """Return units that are not crossed with others, such as items."""
    return Crossed(units, [0] * len(units), both=False)


def permuted(
    value: float,
    scores: Floats,
    ratings: Floats,
    crossed: Crossed,
    *,
    scale: float = 1.0,
    seed: int,
    resamples: int,
    level: float = 0.95,
) -> Uncertainty:
    """Return interval and two-sided p of a coefficient with `value`, from standardised arrays of shape (rows,).

    p is the share of permutations with a correlation as far from 0, which tests independence. The interval reaches the
    quantile of the studentised permutations times the error of the correlation. `scale` is the ratio of the
    coefficient's error to the correlation's.
    """
    reason = too_few(crossed)
    if reason:
        return Uncertainty(None, None, reason)
    own, found = permutations([scores], ratings, crossed, seed=seed, resamples=resamples)
    p = max(permutation_p(own.scaled[0], found.scaled), smallest_p(len(set(crossed.first))))
    quantile = float(np.quantile(np.abs(found.studentised), level, method="higher"))
    error = float(own.errors[0])
    reach = scale * quantile * error if error > TOLERANCE else 0.0
    z = math.atanh(min(max(value, -ALMOST_ONE), ALMOST_ONE))
    interval = Interval(math.tanh(z - reach), math.tanh(z + reach), level, resamples, 0, seed, "permutation")
    return Uncertainty(interval, p)


def permutation_p(own: float, found: Floats) -> float:
    """Return the share of permutations at least as far from 0, with the observed order as one more."""
    far = int((np.abs(found) >= abs(own) - TOLERANCE).sum())
    return (far + 1) / (len(found) + 1)


@dataclass(frozen=True)
class Permutations:
    """Fisher's z of correlations, or differences of two, with errors and numbers of rows; shape (samples,) each."""

    estimates: Floats
    errors: Floats
    rows: Floats

    @property
    def scaled(self) -> Floats:
        """Estimates times the root of their rows: a permutation has fewer rows where cells are missing."""
        return self.estimates * np.sqrt(self.rows)

    @property
    def studentised(self) -> Floats:
        """Estimates over their errors."""
        sure = self.errors < TOLERANCE
        over = self.estimates / np.where(sure, 1.0, self.errors)
        return np.where(sure & (self.estimates != 0), np.inf, over)


def permutations(
    scores: Sequence[Floats], ratings: Floats, crossed: Crossed, *, seed: int, resamples: int, exchange: bool = False
) -> tuple[Permutations, Permutations]:
    """Return the correlation of standardised arrays, shape (rows,), and that of each permutation.

    Of two arrays of scores it is the difference of their correlations. With `exchange` whole claims exchange the two,
    and nothing is permuted. A score is the mean of its cell's rows. After a permutation, a cell counts only if it has
    both a score and a rating.
    """
    first, second = crossed.codes
    shape = (int(first.max()) + 1, int(second.max()) + 1)
    cell, size = np.ravel_multi_index((first, second), shape), int(np.prod(shape))
    count, total, square = (
        np.bincount(cell, w, size).reshape(shape).astype(np.float64) for w in (None, ratings, ratings**2)
    )
    means = [np.bincount(cell, one, size).reshape(shape) / np.maximum(count, 1) for one in scores]
    rated = (count, total, square)
    there = (count > 0).astype(np.float64)
    own = _correlations([one[None] for one in means], there[None], rated, both=crossed.both)
    generator = np.random.default_rng(seed)
    found = []
    block = max(1, BLOCK // size)
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        if exchange:
            swaps = generator.integers(0, 2, (rows, shape[0], 1)) == 1
            moved, known = [np.where(swaps, *pair) for pair in (means, means[::-1])], there[None]
        else:
            places = _places(generator, rows, shape)
            moved, known = [one[places] for one in means], there[places]
        found.append(_correlations(moved, known, rated, both=crossed.both))
    return Permutations(*own), Permutations(*(np.concatenate(values) for values in zip(*found, strict=True)))


def _places(
    generator: np.random.Generator, rows: int, shape: tuple[int, int]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    claims, systems = (np.argsort(generator.random((rows, units)), axis=1) for units in shape)
    return claims[:, :, None], systems[:, None, :]


def _correlations(
    scores: Sequence[Floats], known: Floats, rated: tuple[Floats, Floats, Floats], *, both: bool
) -> tuple[Floats, Floats, Floats]:
    """Return z, or the difference of two correlations, its error and the number of rows.

    Arrays have the shape (samples, claims, systems).
    """
    count, total, square = rated
    rows = (count * known).sum(axis=(1, 2))
    alone = len(scores) == 1
    estimate, influence = np.zeros(len(scores[0])), np.zeros_like(scores[0])
    for sign, one in zip((1, -1), scores, strict=False):
        centred = known * (one - ((count * one).sum(axis=(1, 2)) / rows)[:, None, None])
        x, y = ((spread.sum(axis=(1, 2)) / rows)[:, None, None] for spread in (count * centred**2, known * square))
        product = centred * total / np.sqrt(np.maximum(x * y, TOLERANCE))
        r = np.clip(product.sum(axis=(1, 2)) / rows, -ALMOST_ONE, ALMOST_ONE)
        spread = count * centred**2 / np.maximum(x, TOLERANCE) + known * square / np.maximum(y, TOLERANCE)
        own = product - r[:, None, None] / 2 * spread
        estimate = estimate + sign * (np.arctanh(r) if alone else r)
        influence = influence + sign * (own / (1 - r**2)[:, None, None] if alone else own)
    return estimate, np.sqrt(_sandwich(influence, both=both)) / rows, rows


def _sandwich(influence: Floats, *, both: bool) -> Floats:
    """Return the variance of the sum of influences of shape (samples, claims, systems): two-way, never below either."""
    claims, systems = (_spread(influence.sum(axis=axis)) for axis in (2, 1))
    if not both:
        return claims
    cells = (influence**2).sum(axis=(1, 2))
    wider: Floats = np.maximum(np.maximum(claims, systems), claims + systems - cells)
    return wider


def _spread(sums: Floats) -> Floats:
    units = sums.shape[1]
    spread: Floats = ((sums - sums.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) * (units / max(units - 1, 1))
    return spread


def too_few(crossed: Crossed) -> str:
    """Return why a design has neither interval nor p, or ""."""
    claims, systems = (len(set(names)) for names in (crossed.first, crossed.second))
    if not crossed.both:
        few = f"{claims} clusters: at least {MIN_FOR_INTERVAL} are needed"
        return few if claims < MIN_FOR_INTERVAL else ""
    if claims < MIN_FOR_INTERVAL or systems < MIN_SYSTEMS:
        there = f"{claims} claim{'s' * (claims != 1)} and {systems} system{'s' * (systems != 1)}"
        return f"{there}: at least {MIN_FOR_INTERVAL} and {MIN_SYSTEMS} are needed"
    return ""
