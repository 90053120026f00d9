"""Bootstrap percentile intervals for a mean over items, or from the samples of any other statistic.

Pure functions on arrays with the items on the first axis. Every random draw comes from the keyword `seed`, so the same
call gives the same figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

# Draws are made in blocks of this many numbers: 2,000 resamples of 50,000 items would not fit in memory.
BLOCK = 4_000_000
# Minimum items for resampling; fewer say nothing about other items.
MIN_FOR_INTERVAL = 5


@dataclass(frozen=True)
class Interval:
    """A percentile interval from `resamples` resamples in which the statistic was defined.

    `undefined` counts the other resamples (all values equal, an empty class), which are left out. `method` is
    "bootstrap", "jackknife" (`core.statistics.clusters`) or "permutation" (`crossed`). With a jackknife, `resamples`
    counts the clusters.
    """

    low: float
    high: float
    level: float
    resamples: int
    undefined: int
    seed: int
    method: str = "bootstrap"


def resampled_indices(n: int, *, seed: int, resamples: int = 2000) -> Iterator[NDArray[np.int64]]:
    """Yield blocks of rows of indices into n items, drawn with replacement; all blocks have `resamples` rows.

    The stream equals `default_rng(seed).integers(0, n, (resamples, n))` cut into blocks of rows.
    """
    if n < 1:
        raise ValueError("Nothing to resample: there are no items.")
    generator = np.random.default_rng(seed)
    rows = max(1, BLOCK // n)
    for start in range(0, resamples, rows):
        yield generator.integers(0, n, (min(rows, resamples - start), n))


def percentile_interval(samples: ArrayLike, *, seed: int, level: float = 0.95) -> Interval:
    """Return the percentile interval of bootstrap samples, shape (resamples,); NaN marks an undefined one.

    Raises ValueError if the statistic was undefined in every resample.
    """
    values = np.asarray(samples, dtype=np.float64)
    defined = values[~np.isnan(values)]
    if not len(defined):
        raise ValueError(f"The statistic was undefined in all {len(values)} resamples.")
    tail = 50 * (1 - level)
    low, high = np.percentile(defined, [tail, 100 - tail])
    return Interval(float(low), float(high), level, len(defined), len(values) - len(defined), seed)


def mean_interval(values: ArrayLike, *, seed: int, resamples: int = 2000, level: float = 0.95) -> Interval:
    """Return the bootstrap percentile interval of the mean of `values`, shape (items,).

    Raises ValueError without items or with a NaN: leave unscored items out and say how many.
    """
    array = finite(values)
    blocks = resampled_indices(len(array), seed=seed, resamples=resamples)
    means = np.concatenate([array[rows].mean(axis=1) for rows in blocks])
    return percentile_interval(means, seed=seed, level=level)


def finite(values: ArrayLike) -> Floats:
    """Return the values as floats of shape (items,). Raises ValueError if one is NaN or infinite."""
    array = np.asarray(values, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValueError("A value is NaN or infinite: leave unscored items out.")
    return array
