"""Do raters agree with each other? Krippendorff's α, and κ per pair of raters, quadratic-weighted and unweighted.

Matrices have one row per rater and
one column per item; NaN marks an item the rater did not rate. An undefined figure is None with its reason.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from core.statistics.bootstrap import Floats, Interval
from core.statistics.clusters import ALMOST_ONE, MAX_LEFT_OUT, jackknife_variance

MIN_SHARED = 5
"""Shared items needed for κ of two raters; with fewer, κ means little."""

MIN_FOR_ALPHA = 10
"""Items needed for an interval of α; with fewer, 95 % intervals cover less than 93 %."""

COMMON_SHARE, MIN_OTHERS = 0.75, 30
"""From this share of one value on, an interval of α needs at least MIN_OTHERS items with another value."""

Level = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True)
class Alpha:
    """Krippendorff's α (1 full agreement, 0 chance, negative below chance), or None and the reason.

    `items` counts items rated at least twice; others say nothing about agreement. There is no
    interval under MIN_FOR_ALPHA items, or if too few items differ from the usual value. `reason` says so.
    """

    value: float | None
    level: Level
    raters: int
    items: int
    interval: Interval | None = None
    reason: str = ""


@dataclass(frozen=True)
class Kappa:
    """Quadratic-weighted κ of two raters over the n items both rated, or None and the reason; `unweighted` likewise."""

    first: str
    second: str
    value: float | None
    n: int
    reason: str = ""
    unweighted: float | None = None


def krippendorff_alpha(matrix: ArrayLike, *, level: Level) -> Alpha:
    """Return Krippendorff's α of ratings, shape (raters, items), with a 95 % interval over items.

    `level` is "ordinal" for scales, "interval" if their steps are equal, "nominal" for verdicts (as numbers). Source:
    Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011; the figures of the `krippendorff` package. The
    interval leaves items out in turn, on Fisher's z with t quantiles. Its error is at least that of ratings by chance.
    """
    ratings = np.asarray(matrix, dtype=np.float64)
    domain = np.unique(ratings[~np.isnan(ratings)])
    counts = np.stack([(ratings == value).sum(axis=0) for value in domain], axis=1) if len(domain) else np.empty((0, 0))
    pairable = counts[counts.sum(axis=1) > 1]
    raters = int((~np.isnan(ratings)).any(axis=1).sum())
    reason = _alpha_reason(raters, pairable)
    if reason:
        return Alpha(None, level, raters, len(pairable), None, reason)
    value = float(_alphas(pairable, np.ones((1, len(pairable))), level, domain)[0])
    interval, reason = _alpha_interval(value, pairable, level, domain)
    return Alpha(value, level, raters, len(pairable), interval, reason)


def _alpha_interval(value: float, counts: Floats, level: Level, domain: Floats) -> tuple[Interval | None, str]:
    """Return the 95 % interval of α, or None, and a remark on it; `counts` has shape (items, values)."""
    from scipy import stats

    items, each = len(counts), counts.sum(axis=1)
    if items < MIN_FOR_ALPHA:
        return None, f"{items} shared items: an interval needs at least {MIN_FOR_ALPHA}"
    usual = int(counts.sum(axis=0).argmax())
    share, others = counts[:, usual].sum() / each.sum(), int((counts[:, usual] < each).sum())
    common = f"one value has {100 * share:.0f} % of the ratings"
    if share >= COMMON_SHARE and others < MIN_OTHERS:
        return None, f"{common}: an interval needs another value on {MIN_OTHERS} items, and there are {others}"
    left_out = jackknife_variance(lambda draws: _alphas(counts, draws, level, domain), np.arange(items))
    by_chance = float((2 * each / (each - 1)).sum() / each.sum() ** 2)
    units = min(items, MAX_LEFT_OUT)
    reach = float(stats.t.ppf(0.975, units - 1)) * math.sqrt(max(left_out, by_chance))
    z = math.atanh(min(max(value, -ALMOST_ONE), ALMOST_ONE))
    interval = Interval(math.tanh(z - reach), math.tanh(z + reach), 0.95, units, 0, 0, "jackknife")
    return interval, f"{common}: 95 % intervals cover 91–95 %" if share >= COMMON_SHARE else ""


def pairwise_kappa(matrix: ArrayLike, raters: Sequence[str], *, least: int = MIN_SHARED) -> tuple[Kappa, ...]:
    """Return κ of every pair of raters that share an item; ratings are whole numbers.

    κ is undefined under `least` shared items, and if both raters gave all items the same value.
    """
    ratings = np.asarray(matrix, dtype=np.float64)
    shared, kappas = _weighted_kappas(ratings)
    unweighted = _unweighted_kappas(ratings)
    pairs = zip(*np.nonzero(np.triu(shared, k=1)), strict=True)
    return tuple(
        _kappa(raters[i], raters[j], float(kappas[i, j]), float(unweighted[i, j]), int(shared[i, j]), least)
        for i, j in pairs
    )


def _kappa(first: str, second: str, value: float, unweighted: float, n: int, least: int) -> Kappa:
    if n < least:
        return Kappa(first, second, None, n, f"{n} shared item{'s' * (n != 1)}: at least {least} are needed")
    if np.isnan(value):
        return Kappa(first, second, None, n, "both gave every shared item one and the same value")
    return Kappa(first, second, value, n, unweighted=unweighted)


def _unweighted_kappas(ratings: Floats) -> Floats:
    """Return Cohen's κ of each two raters, without weights; NaN where undefined (Cohen 1960)."""
    rated = (~np.isnan(ratings)).astype(np.float64)
    shared = rated @ rated.T
    observed, expected = np.zeros_like(shared), np.zeros_like(shared)
    with np.errstate(invalid="ignore", divide="ignore"):
        for value in np.unique(ratings[~np.isnan(ratings)]):
            given = (ratings == value).astype(np.float64)
            own = given @ rated.T
            observed += given @ given.T / shared
            expected += own * own.T / shared**2
        kappas: Floats = np.where(expected < 1 - 1e-12, (observed - expected) / (1 - expected), np.nan)
    return kappas


def _weighted_kappas(ratings: Floats) -> tuple[Floats, Floats]:
    """Return, for each two raters, the number of shared items and Cohen's quadratic κ, NaN if undefined.

    κ = 1 - Σ(a-b)² / n over Σ(a_i - b_j)² / n², which needs no table of categories (Cohen 1968).

    500 raters make 124,750 pairs, so sums over shared items come from products of matrices. They are exact as long as
    ratings are whole numbers.
    """
    rated = (~np.isnan(ratings)).astype(np.float64)
    given = np.nan_to_num(ratings)
    shared = rated @ rated.T
    with np.errstate(invalid="ignore", divide="ignore"):
        mean, squares = given @ rated.T / shared, given**2 @ rated.T
        observed = (squares + squares.T - 2 * (given @ given.T)) / shared
        expected = squares / shared + squares.T / shared - 2 * mean * mean.T
        return shared, np.where(expected == 0, np.nan, 1 - observed / expected)


def _alphas(counts: Floats, draws: Floats, level: Level, domain: Floats) -> Floats:
    """Return α of each draw of items, NaN where all values are equal.

    `counts` has shape (items, values), `draws` (samples, items): how often a sample has an item. A pair of ratings by
    two raters of an item with m ratings counts 1 / (m - 1). Sums of squares stand for the table of all pairs of values
    (Krippendorff 2011). So a scale of 101 points needs no table.
    """
    each, given = counts.sum(axis=1), draws @ counts
    total = given.sum(axis=1)
    if level == "nominal":
        apart = each**2 - (counts**2).sum(axis=1)
        expected = total**2 - (given**2).sum(axis=1)
    else:
        # On an ordinal scale two values are as far apart as there are ratings between them, half of either end's.
        places = domain[None, :] if level == "interval" else np.cumsum(given, axis=1) - given / 2
        apart = 2 * (each * (places**2 @ counts.T) - (places @ counts.T) ** 2)
        expected = 2 * (total * (given * places**2).sum(axis=1) - (given * places).sum(axis=1) ** 2)
    observed = (draws * apart / (each - 1)).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        alphas: Floats = np.where(expected > 0, 1 - (total - 1) * observed / expected, np.nan)
    return alphas


def _alpha_reason(raters: int, pairable: Floats) -> str:
    if raters < 2:
        return f"{raters} rater{'s' * (raters != 1)}: agreement needs at least two"
    if len(pairable) < 2:
        shared = "1 item was" if len(pairable) == 1 else f"{len(pairable)} items were"
        return f"{shared} rated by two raters: α compares items, so it needs at least two"
    if (pairable.sum(axis=0) > 0).sum() < 2:
        return "all ratings of the shared items are equal, so there is no disagreement to expect by chance"
    return ""
