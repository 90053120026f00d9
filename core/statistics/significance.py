"""Correct many tests by Holm or Benjamini–Hochberg, and mark a ranking's groups with letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.statistics.bootstrap import Floats, finite
from core.statistics.permutation import PermutationResult, paired_permutations


@dataclass(frozen=True)
class PairwiseComparison:
    """Every pair of systems compared; arrays of shape (systems, systems), in the systems' given order.

    `difference[i, j]` is mean i minus mean j on the items both have; `n` is their number. `p` is the two-sided
    permutation p value, `adjusted` the same after Holm's correction over all pairs. `letters[i]` are system i's
    letters (see `group_letters`).
    """

    difference: Floats
    p: Floats
    adjusted: Floats
    n: NDArray[np.int64]
    letters: tuple[str, ...]
    alpha: float
    resamples: int
    seed: int


def holm(p_values: ArrayLike) -> Floats:
    """Return Holm's step-down adjusted p values, shape and order kept (Holm 1979)."""
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    scaled = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(scaled)) if len(p) else scaled
    return adjusted


def benjamini_hochberg(p_values: ArrayLike) -> Floats:
    """Return p values adjusted for the false discovery rate, shape and order kept (Benjamini & Hochberg 1995).

    Of the findings below α, at most a share of α is expected to be chance. Holm bounds the chance of any.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(-p, kind="stable")
    scaled = p[order] * len(p) / np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(scaled)) if len(p) else scaled
    return adjusted


def group_letters(scores: ArrayLike, p_values: ArrayLike, *, alpha: float = 0.05) -> tuple[str, ...]:
    """Return each system's letters, in the systems' given order; two share one exactly if they do not differ.

    `scores` has shape (systems,), higher is better; `p_values[i, j]` has shape (systems, systems); two differ where
    p < alpha. Each letter is a largest set of systems of which no two differ; "a" holds the best. Groups overlap.
    Source: the compact letter display of Piepho 2004, here from all maximal cliques.
    """
    values = np.asarray(scores, dtype=np.float64)
    alike = np.asarray(p_values, dtype=np.float64) >= alpha
    order = np.argsort(-values, kind="stable").tolist()
    groups: list[frozenset[int]] = []
    for system in order:
        joined = {frozenset(other for other in group if alike[system, other]) | {system} for group in groups}
        candidates = {*groups, *joined, frozenset({system})}
        groups = [one for one in candidates if not any(one < other for other in candidates)]
    place = {system: position for position, system in enumerate(order)}
    groups.sort(key=lambda group: sorted(place[system] for system in group))
    return tuple("".join(_letter(i) for i, group in enumerate(groups) if s in group) for s in range(len(values)))


def _letter(number: int) -> str:
    return chr(ord("a") + number) if number < 26 else f"[{number + 1}]"


def compare_systems(
    values: ArrayLike | Sequence[ArrayLike], *, seed: int, resamples: int = 10_000, alpha: float = 0.05
) -> PairwiseComparison:
    """Compare the mean of every pair of systems by paired permutation, corrected after Holm.

    `values` has shape (systems, items), columns in the same order of items. NaN marks an unscored item, which its
    pairs leave out. Letters come from the means over each system's scored items. Raises ValueError where two systems
    have no scored item in common.
    """
    table = np.asarray(values, dtype=np.float64)
    scored = ~np.isnan(table)
    pairs = list(combinations(range(len(table)), 2))
    differences: dict[int, dict[tuple[int, int], Floats]] = {}
    for i, j in pairs:
        both = scored[i] & scored[j]
        if not both.any():
            raise ValueError(f"Systems {i} and {j} have no scored item in common.")
        differences.setdefault(int(both.sum()), {})[i, j] = finite(table[i][both]) - finite(table[j][both])
    found: dict[tuple[int, int], PermutationResult] = {}
    for alike in differences.values():
        tested = paired_permutations(list(alike.values()), seed=seed, resamples=resamples)
        found |= zip(alike, tested, strict=True)
    tests = [found[pair] for pair in pairs]
    difference = _square(len(table), pairs, [test.value for test in tests], diagonal=0.0, sign=-1.0)
    p = _square(len(table), pairs, [test.p for test in tests], diagonal=1.0)
    adjusted = _square(len(table), pairs, holm([test.p for test in tests]).tolist(), diagonal=1.0)
    letters = group_letters([np.nanmean(row) for row in table], adjusted, alpha=alpha)
    n = scored.astype(np.int64) @ scored.T.astype(np.int64)
    return PairwiseComparison(difference, p, adjusted, n, letters, alpha, resamples, seed)


def _square(
    size: int,
    pairs: Sequence[tuple[int, int]],
    values: Sequence[float],
    *,
    diagonal: float,
    sign: float = 1.0,
) -> Floats:
    """Return the matrix with values[k] at pair k, and `sign` times it at the mirrored place."""
    matrix = np.full((size, size), diagonal)
    for (i, j), value in zip(pairs, values, strict=True):
        matrix[i, j], matrix[j, i] = value, sign * value
    return matrix
