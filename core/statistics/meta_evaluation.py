"""How well does a metric rank systems and their answers? The measures that WMT's organisers use for metrics.

Matrices have a row per system and a column per segment (here a claim), NaN where there is no value. The figures are
those of google-research/mt-metrics-eval at commit 544e0fc. Each docstring names the function there: `stats`, `pce` and
`data` are files of its folder `mt_metrics_eval`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.statistics.bootstrap import Floats

PERMUTATIONS, SEED = 1000, 4
"""Those of mt-metrics-eval for soft pairwise accuracy (`pce.py`)."""


@dataclass(frozen=True)
class TiedAccuracy:
    """The accuracy in [0, 1] at the best `threshold`, averaged over the groups that have a pair.

    `uncalibrated` is the accuracy at threshold 0: only equal scores are ties. `rows` is the accuracy of each group.
    """

    value: float
    threshold: float
    uncalibrated: float
    pairs: int
    rows: Floats


def pairwise_accuracy(human: ArrayLike, metric: ArrayLike) -> float | None:
    """Return the share of pairs of systems that a metric orders as people do; shape (systems,). None without a pair.

    accuracy = |{i < j: sign(m_i − m_j) = sign(h_i − h_j)}| / (n (n − 1) / 2). Kocmi et al. 2021, "To Ship or Not to
    Ship" (arXiv 2107.10821). A tie agrees with a tie alone, as in `stats.Agreement`.
    """
    h, m = (np.asarray(one, dtype=np.float64) for one in (human, metric))
    i, j = np.triu_indices(len(h), 1)
    return float((np.sign(h[i] - h[j]) == np.sign(m[i] - m[j])).mean()) if len(i) else None


def tied_accuracy(human: ArrayLike, metric: ArrayLike) -> TiedAccuracy | None:
    """Return acc_eq with tie calibration; matrices of shape (groups, members), NaN is left out. None without a pair.

    acc_eq = (C + T_hm) / (C + D + T_h + T_m + T_hm): concordant pairs and pairs tied by both, of all pairs. Scores that
    differ by at most a threshold ε are a tie. ε is 0 or the difference between two scores. It gives the highest mean
    accuracy over groups; of several it is the smallest. Deutsch, Foster & Freitag 2023, "Ties Matter" (arXiv
    2305.14324). Equals `stats.KendallWithTiesOpt(variant="acc23", sample_rate=1)`.
    """
    found = [_pairs(h, m) for h, m in zip(*map(_rows, (human, metric)), strict=True)]
    groups = [group for group in found if len(group[0])]
    if not groups:
        return None
    weights = np.concatenate([np.full(len(gap), 1 / (len(gap) * len(groups))) for gap, _, _ in groups])
    gaps, tied, right = (np.concatenate([group[k] for group in groups]) for k in range(3))
    order = np.argsort(gaps, kind="stable")
    gained = np.cumsum((weights * (tied.astype(np.float64) - right))[order])
    thresholds, last = np.unique(gaps[order][::-1], return_index=True)
    at = len(gaps) - 1 - last  # the last pair of each threshold
    base = float((weights * right).sum())
    values = base + gained[at]
    if thresholds[0] > 0:
        thresholds, values = np.append(0.0, thresholds), np.append(base, values)
    best = int(np.argmax(np.round(values, 12)))
    threshold = float(thresholds[best])
    rows = np.array([np.where(gap <= threshold, tie, right_).mean() for gap, tie, right_ in groups])
    return TiedAccuracy(float(rows.mean()), threshold, float(values[0]), len(gaps), rows)


def _rows(matrix: ArrayLike) -> Floats:
    return np.atleast_2d(np.asarray(matrix, dtype=np.float64))


def _pairs(human: Floats, metric: Floats) -> tuple[Floats, NDArray[np.bool_], NDArray[np.bool_]]:
    """Return for each pair the metric's difference, people's ties, and correctness without a threshold."""
    known = ~(np.isnan(human) | np.isnan(metric))
    h, m = human[known], metric[known]
    i, j = np.triu_indices(len(h), 1)
    return np.abs(m[i] - m[j]), h[i] == h[j], np.sign(h[i] - h[j]) == np.sign(m[i] - m[j])


def soft_pairwise_accuracy(human: ArrayLike, metric: ArrayLike) -> float | None:
    """Return soft pairwise accuracy (SPA) in [0, 1]; complete matrices of shape (systems, segments).

    SPA = 1 − mean over pairs of |p_h − p_m|, with p the one-sided p that one system is better than the other. Thompson
    et al. 2024, "Improving Statistical Significance in Human Evaluation of Automatic Metrics via Soft Pairwise
    Accuracy" (arXiv 2409.09598). Equals `stats.PairwiseConfidenceError`, with its seed and 32-bit sums.
    """
    h, m = (np.asarray(one, dtype=np.float64) for one in (human, metric))
    if len(h) < 2 or not h.shape[1]:
        return None
    signs = relabellings(h.shape[1])
    return float(1 - np.abs(one_sided_p(h, signs) - one_sided_p(m, signs)).mean())


def relabellings(segments: int) -> NDArray[np.float32]:
    """Return which segments are exchanged: −1 or 1, shape (PERMUTATIONS, segments)."""
    drawn = np.random.default_rng(SEED).random(size=(PERMUTATIONS, segments), dtype=np.float32)
    return np.rint(drawn) * np.float32(2) - np.float32(1)


def one_sided_p(matrix: Floats, signs: NDArray[np.float32]) -> Floats:
    """Return for each pair i < j of systems the share of relabellings in which i leads by as much; shape (pairs,)."""
    scores = matrix.astype(np.float32)
    totals, relabelled = np.sum(scores, axis=1), np.matmul(signs, scores.T)
    i, j = np.triu_indices(len(matrix), 1)
    shares: Floats = np.mean(relabelled[:, i] - relabelled[:, j] >= totals[i] - totals[j], axis=0)
    return shares


def significance_ranks(p_values: ArrayLike, *, alpha: float = 0.05) -> tuple[int, ...]:
    """Return the cluster of each metric, from 1; `p_values[i, j]` tests that metric i is better than j, best first.

    A new cluster begins at a metric that one of the current cluster is better than, p ≤ alpha. Equals
    `data.AssignRanks`; Freitag et al. 2022, "Results of WMT22 Metrics Shared Task".
    """
    p = np.asarray(p_values, dtype=np.float64)
    ranks: list[int] = []
    start = 0
    for i in range(len(p)):
        start = i if (p[start:i, i] <= alpha).any() else start
        ranks.append((ranks[-1] if ranks else 0) + (start == i))
    return tuple(ranks)
