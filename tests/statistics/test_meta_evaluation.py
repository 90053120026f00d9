"""WMT's measures against plain formulas, written as the papers have them, on 20 random inputs each."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from core.statistics.agreement import krippendorff_alpha, pairwise_kappa
from core.statistics.meta_evaluation import pairwise_accuracy, significance_ranks, soft_pairwise_accuracy, tied_accuracy
from core.statistics.significance import benjamini_hochberg

SEEDS = pytest.mark.parametrize("seed", range(20))


def drawn(seed, *, missing=0.0):
    """Return ratings and scores of 2 to 7 systems on 3 to 20 claims: whole, halves or thirds, with many ties."""
    generator = np.random.default_rng(seed)
    shape = (int(generator.integers(2, 8)), int(generator.integers(3, 16)))
    human = generator.integers(1, 6, shape) / int(generator.integers(1, 4))
    metric = np.round(0.1 * human + generator.normal(size=shape), int(generator.integers(0, 4)))
    absent = generator.random(shape) < missing
    return np.where(absent, np.nan, human), np.where(absent, np.nan, metric)


def sign(value):
    return int(value > 0) - int(value < 0)


@SEEDS
def test_pairwise_accuracy(seed):
    human, metric = (one.mean(axis=1) for one in drawn(seed))
    pairs = list(combinations(range(len(human)), 2))
    right = sum(sign(human[i] - human[j]) == sign(metric[i] - metric[j]) for i, j in pairs)
    assert pairwise_accuracy(human, metric) == pytest.approx(right / len(pairs), abs=1e-12)


def plain_accuracy(human, metric, threshold):
    """Return the mean accuracy over groups, counting C, D and ties pair by pair."""
    found = []
    for h, m in zip(human, metric, strict=True):
        pairs = [(i, j) for i, j in combinations(range(len(h)), 2) if not np.isnan([h[i], h[j], m[i], m[j]]).any()]
        right = 0
        for i, j in pairs:
            tied = abs(m[i] - m[j]) <= threshold
            right += tied if h[i] == h[j] else (not tied and (h[i] > h[j]) == (m[i] > m[j]))
        found += [right / len(pairs)] if pairs else []
    return sum(found) / len(found)


@SEEDS
@pytest.mark.parametrize("grouping", ["claims", "systems", "all"])
def test_accuracy_with_ties_calibrated(seed, grouping):
    human, metric = drawn(seed, missing=0.2 * (seed % 2))
    human, metric = {
        "claims": (human.T, metric.T),
        "systems": (human, metric),
        "all": (human.reshape(1, -1), metric.reshape(1, -1)),
    }[grouping]
    gaps = {abs(a - b) for row in metric for a, b in combinations(row, 2) if not np.isnan([a, b]).any()}
    if len(gaps) > 20:  # a plain formula for each of thousands of thresholds would take minutes
        gaps = set(sorted(gaps)[:: len(gaps) // 12]) | {tied_accuracy(human, metric).threshold}
    accuracies = {gap: plain_accuracy(human, metric, gap) for gap in {0.0, *gaps}}
    found = tied_accuracy(human, metric)
    assert found.value == pytest.approx(accuracies[found.threshold], abs=1e-12)
    assert found.value >= max(accuracies.values()) - 1e-12
    assert found.uncalibrated == pytest.approx(accuracies[0.0], abs=1e-12)


@SEEDS
def test_soft_pairwise_accuracy(seed):
    human, metric = drawn(seed)
    drawn_signs = np.random.default_rng(4).random((1000, human.shape[1]), dtype=np.float32)
    signs = np.where(drawn_signs > 0.5, 1, -1).astype(np.float32)

    def better(scores, i, j):
        scores = scores.astype(np.float32)
        relabelled = signs @ scores.T
        lead = scores.sum(axis=1)[i] - scores.sum(axis=1)[j]
        return sum(float(row[i] - row[j]) >= float(lead) for row in relabelled) / 1000

    pairs = list(combinations(range(len(human)), 2))
    wanted = 1 - sum(abs(better(human, i, j) - better(metric, i, j)) for i, j in pairs) / len(pairs)
    assert soft_pairwise_accuracy(human, metric) == pytest.approx(wanted, abs=1e-9)


@SEEDS
def test_clusters_of_significance(seed):
    generator = np.random.default_rng(seed)
    p = np.triu(generator.random((8, 8)) ** 3, 1) + np.tril(np.ones((8, 8)))
    wanted, begins = [], 0
    for j in range(8):
        if j and min(p[i][j] for i in range(begins, j)) <= 0.05:
            begins = j
            wanted.append(wanted[-1] + 1)
        else:
            wanted.append(wanted[-1] if wanted else 1)
    assert list(significance_ranks(p)) == wanted


@SEEDS
def test_benjamini_hochberg(seed):
    p = np.random.default_rng(seed).random(seed % 9 + 1) ** 2
    wanted = [min(1.0, *(q * len(p) / sum(p <= q) for q in p if q >= one)) for one in p]
    assert benjamini_hochberg(p) == pytest.approx(wanted)


def test_no_p_values_are_none():
    assert benjamini_hochberg([]).tolist() == []


@SEEDS
def test_interval_alpha_and_unweighted_kappa(seed):
    generator = np.random.default_rng(seed)
    ratings = generator.integers(1, 6, (3, 20)).astype(float)
    ratings[generator.random(ratings.shape) < 0.2] = np.nan
    columns = [column[~np.isnan(column)] for column in ratings.T]
    columns = [column for column in columns if len(column) > 1]
    values = np.concatenate(columns)
    observed = sum(((c[:, None] - c) ** 2).sum() / (len(c) - 1) for c in columns) / len(values)
    expected = ((values[:, None] - values) ** 2).sum() / len(values) / (len(values) - 1)
    assert krippendorff_alpha(ratings, level="interval").value == pytest.approx(1 - observed / expected)
    for kappa in pairwise_kappa(ratings, ("0", "1", "2")):
        a, b = ratings[int(kappa.first)], ratings[int(kappa.second)]
        both = ~(np.isnan(a) | np.isnan(b))
        assert kappa.unweighted == pytest.approx(cohen_kappa_score(a[both].astype(int), b[both].astype(int)))


def test_nothing_to_compare_is_none():
    assert pairwise_accuracy([1.0], [2.0]) is None
    assert tied_accuracy([[1.0], [2.0]], [[1.0], [2.0]]) is None
    assert soft_pairwise_accuracy([[1.0, 2.0]], [[1.0, 2.0]]) is None
    assert significance_ranks(np.empty((0, 0))) == ()
