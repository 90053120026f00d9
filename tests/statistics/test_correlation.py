"""Correlations by hand, against scipy, and by their laws."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from core.statistics import kendall
from core.statistics.clusters import jackknife, smallest_p
from core.statistics.correlation import Coefficient, coefficient_value, correlate, correlate_rows, weighted
from core.statistics.crossed import Crossed
from core.statistics.permutation import perm_crossed
from core.statistics.within_raters import correlate_within

SCIPY = {
    Coefficient.SPEARMAN: stats.spearmanr,
    Coefficient.PEARSON: stats.pearsonr,
    Coefficient.KENDALL: stats.kendalltau,
}
PAIRS = st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 5)), min_size=3, max_size=12)
COEFFICIENTS = pytest.mark.parametrize("coefficient", list(Coefficient))


def split(pairs):
    x, y = np.array(pairs, dtype=float).T
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    return x, y


def test_three_coefficients_by_hand():
    # Ranks of x: 1, 2.5, 2.5, 4 against 1, 2, 3, 4. Spearman: covariance 4.5, spreads 4.5 and 5: √0.9.
    # τ_b: 5 concordant pairs of 6, one tied in x: 5 / √(5·6). Pearson: 10.5 / √(30.75 · 5).
    x, y = [1, 2, 2, 8], [1, 2, 3, 4]
    assert coefficient_value(Coefficient.SPEARMAN, x, y) == pytest.approx(0.9**0.5)
    assert coefficient_value(Coefficient.KENDALL, x, y) == pytest.approx(5 / 30**0.5)
    assert coefficient_value(Coefficient.PEARSON, x, y) == pytest.approx(10.5 / (30.75 * 5) ** 0.5)


@COEFFICIENTS
@settings(max_examples=20)
@given(pairs=PAIRS)
def test_equals_scipy_with_ties(coefficient, pairs):
    x, y = split(pairs)
    expected = SCIPY[coefficient](x, y)
    result = correlate(x, y, coefficient=coefficient, seed=0, resamples=5)
    assert result.value == pytest.approx(expected.statistic, abs=1e-12)
    assert result.p == pytest.approx(expected.pvalue, abs=1e-12, nan_ok=True)
    assert correlate_rows(coefficient, x[None, :], y)[0] == pytest.approx(result.value, abs=1e-12)


@COEFFICIENTS
@settings(max_examples=20)
@given(pairs=PAIRS, factor=st.sampled_from([0.25, 3.0, 1000.0]), shift=st.integers(-100, 100))
def test_ignores_affine_maps_and_the_order_of_items(coefficient, pairs, factor, shift):
    x, y = split(pairs)
    value = coefficient_value(coefficient, x, y)
    assert coefficient_value(coefficient, x * factor + shift, y) == pytest.approx(value)
    assert coefficient_value(coefficient, -x, y) == pytest.approx(-value)
    assert coefficient_value(coefficient, x[::-1], y[::-1]) == pytest.approx(value)
    assert coefficient_value(coefficient, y, x) == pytest.approx(value)


@COEFFICIENTS
def test_interval_is_the_percentile_of_resampled_coefficients(coefficient):
    generator = np.random.default_rng(2)
    x, y = generator.random(30), generator.integers(1, 6, 30).astype(float)
    rows = np.random.default_rng(7).integers(0, 30, (200, 30))
    expected = np.percentile([SCIPY[coefficient](x[row], y[row]).statistic for row in rows], [2.5, 97.5])
    interval = correlate(x, y, coefficient=coefficient, seed=7, resamples=200).interval
    assert (interval.low, interval.high) == pytest.approx(tuple(expected))


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([], [], "0 items"),
        ([1, 2], [1, 2], "2 items"),
        ([1, 1, 1], [1, 2, 3], "all scores are equal"),
        ([1, 2, 3], [4, 4, 4], "all ratings are equal"),
    ],
)
@COEFFICIENTS
def test_undefined_says_why(coefficient, x, y, reason):
    result = correlate(x, y, coefficient=coefficient, seed=0)
    assert (result.value, result.p, result.interval, result.n) == (None, None, None, len(x))
    assert result.reason.startswith(reason)


def test_tau_b_of_many_values_is_computed_another_way_with_the_same_result(monkeypatch):
    scores, ratings = [0.1, 0.5, 0.5, 0.2, 0.9, 0.4, 0.3], [1, 3, 4, 2, 5, 2, 2]
    table = np.array([scores, scores[::-1], [1.0] * 7])

    def figures():
        pooled = correlate(scores, ratings, coefficient=Coefficient.KENDALL, seed=3, resamples=40)
        inside = correlate_within(scores, ratings, ["A"] * 7, seed=0, coefficient=Coefficient.KENDALL)
        rows = correlate_rows(Coefficient.KENDALL, table, np.array(ratings, dtype=float))
        intervals = [(one.interval.low, one.interval.high) for one in (pooled, inside)]
        return [pooled.value, inside.value, inside.p, *np.ravel(intervals), *rows]

    by_value = figures()
    monkeypatch.setattr(kendall, "MAX_VALUES", 2)
    assert figures() == pytest.approx(by_value, nan_ok=True)
    assert np.isnan(by_value[-1])


def test_tau_b_of_exchanged_units_is_that_of_each_row():
    draw = np.random.default_rng(5)
    for items, units, values in ((40, 9, 4), (30, 30, 100), (5, 2, 2)):
        first, second = draw.integers(0, values, (2, items)).astype(float)
        ratings = draw.integers(1, 6, items).astype(float)
        codes = np.concatenate([np.arange(units), draw.integers(0, units, items - units)])
        swaps = draw.random((50, units)) < 0.5
        rows = np.where(swaps[:, codes], second, first)
        found = kendall.exchanged_tau_b(first, second, ratings, codes, swaps)
        assert found == pytest.approx(correlate_rows(Coefficient.KENDALL, rows, ratings), nan_ok=True, abs=0)


def test_ties_and_undefined_resamples_are_counted():
    result = correlate([1, 2, 3, 4, 6], [5, 5, 5, 5, 4], coefficient=Coefficient.SPEARMAN, seed=0)
    assert (result.tied_scores, result.tied_ratings) == (0, 4)
    assert result.interval.undefined > 0
    assert result.interval.undefined + result.interval.resamples == 2000


def test_four_items_have_a_coefficient_and_a_p_but_no_interval():
    scores, ratings = [1, 2, 3, 4], [1, 2, 4, 3]
    result = correlate(scores, ratings, coefficient=Coefficient.SPEARMAN, seed=0)
    assert (result.value, result.p, result.interval) == (pytest.approx(0.8), pytest.approx(0.2), None)
    within = correlate_within(scores, ratings, list("AAAA"), seed=0, coefficient=Coefficient.SPEARMAN)
    assert (within.value, within.interval) == (pytest.approx(0.8), None)


def test_missing_ratings_are_refused_not_imputed():
    with pytest.raises(ValueError, match="NaN"):
        correlate([1, 2, 3], [1, np.nan, 3], coefficient=Coefficient.PEARSON, seed=0)
    with pytest.raises(ValueError, match="3 scores"):
        correlate([1, 2, 3], [1, 2], coefficient=Coefficient.PEARSON, seed=0)


@COEFFICIENTS
def test_severity_does_not_lower_the_correlation_within_raters(coefficient):
    # Two raters order their items alike, but B gives low ratings to items with high scores.
    scores, ratings = [1, 2, 3, 11, 12, 13], [3, 4, 5, 1, 2, 3]
    within = correlate_within(scores, ratings, list("AAABBB"), seed=0, coefficient=coefficient)
    assert within.value == pytest.approx(1.0)
    assert (within.n, within.groups, within.left_out) == (6, 2, 0)
    assert coefficient_value(coefficient, scores, ratings) < 0


def test_within_raters_weighs_by_items_and_counts_who_is_left_out():
    # A (3 items): +1; B (4 items): -1; C has 2 items, D gives one rating only: both left out.
    scores = [1, 2, 3, 1, 2, 3, 4, 1, 2, 1, 2, 3]
    ratings = [1, 2, 3, 4, 3, 2, 1, 1, 2, 5, 5, 5]
    raters = list("AAABBBBCCDDD")
    result = correlate_within(scores, ratings, raters, seed=0, coefficient=Coefficient.SPEARMAN)
    assert result.value == pytest.approx(-1 / 7)
    assert (result.n, result.groups, result.left_out) == (7, 2, 2)
    assert result.p is not None
    assert 0.5 < result.p <= 1
    assert (result.clusters, result.interval.method) == (7, "permutation")


def test_within_raters_is_undefined_where_every_rater_is():
    result = correlate_within([1, 2, 3], [1, 2, 3], list("ABC"), seed=0, coefficient=Coefficient.PEARSON)
    assert (result.value, result.left_out) == (None, 3)


@COEFFICIENTS
@settings(max_examples=20)
@given(pairs=PAIRS)
def test_one_rater_within_is_the_pooled_value(coefficient, pairs):
    x, y = split(pairs)
    within = correlate_within(x, y, ["A"] * len(x), seed=0, coefficient=coefficient)
    assert within.value == pytest.approx(coefficient_value(coefficient, x, y))


@COEFFICIENTS
def test_shuffling_within_raters_finds_a_strong_correlation(coefficient):
    scores = np.tile(np.arange(8.0), 2)
    ratings = np.concatenate([np.arange(8.0), np.arange(8.0) + 3])
    result = correlate_within(scores, ratings, ["A"] * 8 + ["B"] * 8, seed=0, coefficient=coefficient)
    assert result.p <= 2 / 2001


def two_way(values, both):
    """The variance of a sum over claims and systems, from the parts of their cells, by its definition."""
    own = []
    for sums in (values.sum(axis=1), values.sum(axis=0)) if both else (values.sum(axis=1),):
        own.append(len(sums) / (len(sums) - 1) * sum((one - sums.mean()) ** 2 for one in sums))
    return max(*own, sum(own) - sum(one**2 for one in values.flat)) if both else own[0]


def pearson(x, y, weights):
    x, y = (one - np.average(one, weights=weights) for one in (x, y))
    return (weights * x * y).sum() / ((weights * x * x).sum() * (weights * y * y).sum()) ** 0.5


def studentised(statistic, cells, shape, both):
    """A statistic over its error, from its slope by the weight of each cell, in small steps."""
    step, rows = 1e-6, len(cells)
    slopes = [
        (statistic(1 + step * (cells == cell)) - statistic(1 - step * (cells == cell))) / (2 * step)
        for cell in range(shape[0] * shape[1])
    ]
    return statistic(np.ones(rows)) / two_way(np.reshape(slopes, shape), both) ** 0.5


def orders(shape, seed, draws):
    """The permuted places of claims and systems, drawn as the code does."""
    generator = np.random.default_rng(seed)
    claims, systems = (np.argsort(generator.random((draws, units)), axis=1) for units in shape)
    for first, second in zip(claims, systems, strict=True):
        yield (first[:, None] * shape[1] + second[None, :]).ravel()


@pytest.mark.parametrize("both", [False, True])
def test_permuted_correlations_by_their_definition(both):
    # Items with two ratings each, or claims of five systems: interval and p from scratch, permutation by permutation.
    shape, raters = ((9, 5), 1) if both else ((9, 1), 2)
    generator = np.random.default_rng(6)
    cells = np.repeat(np.arange(shape[0] * shape[1]), raters)
    scores, ratings = generator.exponential(size=cells.max() + 1), generator.normal(size=len(cells))
    ratings = ratings + scores[cells]
    claims, systems = cells // shape[1], cells % shape[1]
    found = correlate(
        scores[cells],
        ratings,
        coefficient=Coefficient.PEARSON,
        seed=3,
        resamples=60,
        clusters=Crossed(claims.tolist(), systems.tolist()) if both else claims.tolist(),
    )
    moved = [scores[order][cells] for order in orders(shape, 3, 60)]
    far = sum(abs(pearson(x, ratings, 1.0 + 0 * x)) >= abs(found.value) for x in moved)
    assert found.p == pytest.approx((far + 1) / 61)
    over = sorted(
        abs(studentised(lambda w, x=x: np.arctanh(pearson(x, ratings, w)), cells, shape, both)) for x in moved
    )
    own = studentised(lambda w: np.arctanh(pearson(scores[cells], ratings, w)), cells, shape, both)
    error = np.arctanh(found.value) / own
    reach = over[57] * error  # the 95 % quantile of 60
    ends = np.tanh(np.arctanh(found.value) + np.array([-reach, reach]))
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(ends), abs=1e-4)


def test_two_metrics_over_claims_and_systems_by_the_definition():
    shape = (8, 4)
    generator = np.random.default_rng(2)
    cells = np.arange(32)
    first, second = generator.exponential(size=(2, 32))
    ratings = first + generator.normal(size=32)
    found = perm_crossed(
        ratings,
        first,
        second,
        Crossed((cells // 4).tolist(), (cells % 4).tolist()),
        coefficient=Coefficient.PEARSON,
        seed=5,
        resamples=40,
    )
    first, second = stats.zscore(first), stats.zscore(second)

    def difference(x, y):
        return studentised(lambda w: pearson(x, ratings, w) - pearson(y, ratings, w), cells, shape, True)

    own = abs(difference(first, second))
    permuted = [abs(difference(first[order], second[order])) for order in orders(shape, 5, 40)]
    swaps = np.random.default_rng(5).integers(0, 2, (40, 8, 1)) == 1
    swaps = np.broadcast_to(swaps, (40, 8, 4)).reshape(40, 32)
    exchanged = [abs(difference(np.where(s, second, first), np.where(s, first, second))) for s in swaps]
    expected = [(sum(one >= own - 1e-7 for one in draws) + 1) / 41 for draws in (permuted, exchanged)]
    assert found.p == pytest.approx(max(expected))
    assert found.value == pytest.approx(
        pearson(first, ratings, cells * 0 + 1) - pearson(second, ratings, cells * 0 + 1)
    )


def test_within_raters_the_scores_of_items_are_permuted():
    generator = np.random.default_rng(9)
    scores, ratings = generator.normal(size=10), generator.integers(1, 6, (3, 10)) + 0.0
    found = correlate_within(
        np.tile(scores, 3), ratings.ravel(), ["A"] * 10 + ["B"] * 10 + ["C"] * 10, coefficient=Coefficient.SPEARMAN,
        seed=1, resamples=80, clusters=[*range(10)] * 3,
    )  # fmt: skip

    def mean(x):
        return np.mean([stats.spearmanr(x, own).statistic for own in ratings])

    far = sum(abs(mean(scores[order])) >= abs(found.value) - 1e-9 for order in orders((10, 1), 1, 80))
    assert (found.value, found.p) == (pytest.approx(mean(scores)), pytest.approx((far + 1) / 81))


def test_few_large_clusters_are_left_out_in_turn():
    # Leaving out cluster a, b, … of the five whole, on Fisher's z, by hand.
    generator = np.random.default_rng(3)
    x, y, codes = generator.normal(size=40), generator.normal(size=40), np.repeat(np.arange(5), 8)
    z = np.arctanh(stats.pearsonr(x, y).statistic)
    left = [np.arctanh(stats.pearsonr(x[codes != one], y[codes != one]).statistic) for one in range(5)]
    error = (4 / 5 * ((left - np.mean(left)) ** 2).sum()) ** 0.5
    found = correlate(x, y, coefficient=Coefficient.PEARSON, seed=0, clusters=codes)
    reach = stats.t.ppf(0.975, 4) * error
    assert (found.interval.low, found.interval.high) == pytest.approx((np.tanh(z - reach), np.tanh(z + reach)))
    assert found.p == pytest.approx(2 * stats.t.sf(abs(z) / error, 4))


@COEFFICIENTS
def test_claims_and_systems_are_permuted_whole(coefficient):
    generator = np.random.default_rng(4)
    claims, systems = np.repeat(np.arange(12), 4), np.tile(np.arange(4), 12)
    quality = generator.normal(size=12)[claims] + generator.normal(size=48)
    crossed = Crossed(claims.tolist(), systems.tolist())
    options = {"coefficient": coefficient, "seed": 1, "resamples": 500, "clusters": crossed}
    follows = correlate(quality, np.digitize(quality, (-1, 0, 1)), **options)
    noise = correlate(generator.normal(size=48), np.digitize(quality, (-1, 0, 1)), **options)
    assert follows.p == pytest.approx(1 / 501)
    assert noise.p > 0.05
    assert follows.interval.low > 0 > noise.interval.low
    assert follows.interval.method == "permutation"
    few = correlate(quality[:12], quality[:12] ** 3, **options | {"clusters": crossed.taken(range(12))})
    assert (few.value is not None, few.p, few.interval) == (True, None, None)


def test_only_systems_that_differ_make_chance_of_a_crossed_correlation():
    # Scores and ratings that know the system alone: with three systems one order in six is as good.
    claims, systems = np.repeat(np.arange(20), 3), np.tile(np.arange(3), 20)
    crossed = Crossed(claims.tolist(), systems.tolist())
    found = correlate(
        systems + 0.0, systems * 2.0, coefficient=Coefficient.PEARSON, seed=0, resamples=900, clusters=crossed
    )
    assert found.value == pytest.approx(1)
    assert 0.25 < found.p < 0.42  # two of the six orders, forwards and backwards


@COEFFICIENTS
def test_items_of_one_rating_each_are_nearly_as_sure_as_the_bootstrap_says(coefficient):
    generator = np.random.default_rng(2)
    x, y = generator.random(45), generator.integers(1, 6, 45).astype(float)
    alone = correlate(x, y, coefficient=coefficient, seed=7, resamples=500)
    items = correlate(x, y, coefficient=coefficient, seed=7, resamples=500, clusters=range(45))
    assert (items.value, items.n) == (alone.value, alone.n)
    assert items.p == pytest.approx(alone.p, abs=0.06)
    assert items.interval.low == pytest.approx(alone.interval.low, abs=0.08)
    assert items.interval.high == pytest.approx(alone.interval.high, abs=0.08)


def test_many_clusters_are_left_out_by_groups_and_say_nearly_the_same():
    generator = np.random.default_rng(1)
    x = np.repeat(generator.normal(size=400), 2)
    y = x + generator.normal(size=800)
    few = jackknife(lambda weights: weighted(Coefficient.PEARSON, x, y, weights), np.repeat(np.arange(400), 2))
    assert few.interval.resamples == 200
    whole = correlate(x, y, coefficient=Coefficient.PEARSON, seed=0, resamples=500).interval
    assert few.interval.high - few.interval.low == pytest.approx(whole.high - whole.low, rel=0.35)


def test_four_items_say_nothing_of_others_and_so_few_can_reach_no_small_p():
    few = correlate([1, 1, 2, 2, 3, 4], [1, 2, 2, 3, 3, 4], coefficient=Coefficient.PEARSON, seed=0, clusters="aabbcd")
    assert (few.interval, few.p, few.clusters) == (None, None, 4)
    assert [smallest_p(count) for count in (2, 3, 5, 25)] == [1.0, pytest.approx(1 / 3), 2 / 120, 0.0]
