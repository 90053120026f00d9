"""Bootstrap intervals, permutation tests, Holm's correction and letters, by hand and by law."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.statistics import bootstrap
from core.statistics.bootstrap import mean_interval, percentile_interval, resampled_indices
from core.statistics.correlation import Coefficient, coefficient_value
from core.statistics.permutation import paired_permutation, perm_both, smallest_exchange_p
from core.statistics.significance import compare_systems, group_letters, holm

NUMBERS = st.lists(st.integers(-9, 9), min_size=2, max_size=8)


def test_interval_of_equal_values_has_no_width():
    interval = mean_interval([3.0, 3.0, 3.0], seed=1)
    assert (interval.low, interval.high, interval.resamples, interval.undefined) == (3.0, 3.0, 2000, 0)


def test_percentiles_of_a_hundred_and_one_samples_are_the_samples():
    interval = percentile_interval(np.arange(101.0), seed=0, level=0.9)
    assert (interval.low, interval.high) == pytest.approx((5.0, 95.0))


def test_undefined_resamples_are_counted_and_left_out():
    interval = percentile_interval([1.0, np.nan, 1.0], seed=0)
    assert (interval.low, interval.resamples, interval.undefined) == (1.0, 2, 1)
    with pytest.raises(ValueError, match="all 2 resamples"):
        percentile_interval([np.nan, np.nan], seed=0)


def test_the_interval_of_a_mean_holds_the_means_of_resampled_items():
    values = np.array([0.1, 0.9, 0.4, 0.4, 0.7])
    rows = np.random.default_rng(7).integers(0, 5, (2000, 5))
    interval = mean_interval(values, seed=7)
    expected = np.percentile(values[rows].mean(axis=1), [2.5, 97.5])
    assert (interval.low, interval.high) == pytest.approx(tuple(expected))
    assert interval != mean_interval(values, seed=8)


def test_indices_do_not_depend_on_the_block(monkeypatch):
    monkeypatch.setattr(bootstrap, "BLOCK", 21)  # three rows of seven a block
    blocks = list(resampled_indices(7, seed=5, resamples=10))
    assert [len(block) for block in blocks] == [3, 3, 3, 1]
    expected = np.random.default_rng(5).integers(0, 7, (10, 7))
    np.testing.assert_array_equal(np.concatenate(blocks), expected)


def test_nothing_to_resample_and_unscored_items_are_errors():
    with pytest.raises(ValueError, match="no items"):
        mean_interval([], seed=0)
    with pytest.raises(ValueError, match="unscored"):
        mean_interval([1.0, np.nan], seed=0)


def test_three_differences_of_one_sign_give_a_quarter():
    # Of the 8 sign patterns of (1, 2, 3) only +++ and --- have a mean as far from 0 as 2.
    test = paired_permutation([2, 4, 6], [1, 2, 3], seed=0)
    assert (test.value, test.p, test.n, test.resamples, test.exact) == (2.0, 0.25, 3, 8, True)


def test_many_items_are_sampled_and_p_is_never_zero():
    test = paired_permutation(np.ones(40), np.zeros(40), seed=0, resamples=500)
    assert (test.exact, test.resamples, test.p) == (False, 500, pytest.approx(1 / 501))


@given(NUMBERS)
def test_no_difference_is_never_significant(values):
    assert paired_permutation(values, values, seed=0).p == 1.0


@given(NUMBERS, st.randoms(use_true_random=False))
def test_permutation_ignores_order_and_side(values, random):
    other = [random.randint(-9, 9) for _ in values]
    order = random.sample(range(len(values)), len(values))
    p = paired_permutation(values, other, seed=0).p
    assert paired_permutation(other, values, seed=0).p == pytest.approx(p)
    shuffled = paired_permutation([values[i] for i in order], [other[i] for i in order], seed=0)
    assert shuffled.p == pytest.approx(p)


def test_perm_both_by_hand():
    # Exchanging item 2 changes nothing; exchanging 1 or 3 gives a difference of 0, both gives -2.
    # So 4 of the 8 exchanges are as far from 0 as the observed 2, whichever metric is named first.
    test = perm_both([1, 2, 3], [10, 20, 30], [3, 2, 1], coefficient=Coefficient.PEARSON, seed=0)
    assert (test.value, test.p, test.exact, test.resamples) == (pytest.approx(2.0), 0.5, True, 8)
    assert perm_both([1, 2, 3], [3, 2, 1], [10, 20, 30], coefficient=Coefficient.PEARSON, seed=0).p == 0.5


def test_perm_both_exchanges_whole_items():
    # Two items with two raters each: 4 exchanges and not 16. Exchanging one item gives 0, none or both ±2.
    test = perm_both(
        [1, 1, 2, 2], [1, 1, 2, 2], [2, 2, 1, 1], coefficient=Coefficient.PEARSON, seed=0, clusters=["a", "a", "b", "b"]
    )
    assert (test.value, test.p, test.n, test.resamples) == (pytest.approx(2.0), 1.0, 2, 4)


def test_the_smallest_p_of_a_design():
    assert smallest_exchange_p(6, 1000) == 2 / 64
    assert smallest_exchange_p(60, 1000) == 1 / 1001
    assert smallest_exchange_p(1, 1000) == 1.0


def test_perm_both_is_seeded_and_finds_a_better_metric():
    generator = np.random.default_rng(0)
    ratings = generator.integers(1, 6, 80).astype(float)
    good, noise = ratings + generator.normal(size=80), generator.normal(size=80)
    first = perm_both(ratings, good, noise, coefficient=Coefficient.PEARSON, seed=4, resamples=200)
    assert first == perm_both(ratings, good, noise, coefficient=Coefficient.PEARSON, seed=4, resamples=200)
    assert first.p == pytest.approx(1 / 201)
    assert perm_both(ratings, noise, good, coefficient=Coefficient.PEARSON, seed=4, resamples=200).p == first.p


@given(st.floats(0.1, 50), st.floats(-50, 50))
def test_perm_both_ignores_the_scale_of_a_metric(factor, shift):
    ratings, a, b = [1, 2, 3, 4, 5], np.array([1.0, 3, 2, 4, 5]), [2, 1, 3, 5, 4]
    one, other = (perm_both(ratings, x, b, coefficient=Coefficient.PEARSON, seed=0) for x in (a * factor + shift, a))
    assert one.p == other.p


@pytest.mark.parametrize("coefficient", list(Coefficient))
def test_the_observed_difference_is_that_of_the_coefficients(coefficient):
    generator = np.random.default_rng(3)
    ratings, a, b = generator.integers(1, 6, 30).astype(float), generator.random(30), generator.random(30)
    found = perm_both(ratings, a, b, coefficient=coefficient, seed=0, resamples=20)
    expected = coefficient_value(coefficient, a, ratings) - coefficient_value(coefficient, b, ratings)
    assert found.value == pytest.approx(expected)


def test_perm_both_refuses_a_constant_metric():
    with pytest.raises(ValueError, match="same value"):
        perm_both([1, 2, 3], [1, 1, 1], [1, 2, 3], coefficient=Coefficient.PEARSON, seed=0)


def test_holm_by_hand():
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06])
    np.testing.assert_allclose(holm([0.6, 0.5]), [1.0, 1.0])
    assert len(holm([])) == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_never_lowers_and_keeps_order(p_values):
    adjusted = holm(p_values)
    assert (adjusted >= np.array(p_values) - 1e-12).all()
    order = np.argsort(p_values, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()


def test_two_systems_share_a_letter_exactly_if_they_do_not_differ():
    # best first: B, A, C; B-A not significant, A-C not, but B-C is: A is in both groups.
    p = np.array([[1, 0.2, 0.3], [0.2, 1, 0.01], [0.3, 0.01, 1]])
    assert group_letters([0.5, 0.6, 0.4], p) == ("ab", "a", "b")
    assert group_letters([0.5, 0.6, 0.4], np.ones((3, 3))) == ("a", "a", "a")
    assert group_letters([0.5, 0.6, 0.4], np.eye(3)) == ("b", "a", "c")
    many = group_letters(np.arange(28.0), np.eye(28))
    assert (many[27], many[2], many[1]) == ("a", "z", "[27]")


@given(st.integers(1, 7), st.randoms(use_true_random=False))
def test_letters_say_what_the_p_values_say(n, random):
    p = np.ones((n, n))
    for i in range(n):
        for j in range(i):
            p[i, j] = p[j, i] = random.choice([0.01, 0.5])
    letters = group_letters([random.random() for _ in range(n)], p)
    for i in range(n):
        for j in range(i):
            assert bool(set(letters[i]) & set(letters[j])) == (p[i, j] >= 0.05)


def test_systems_are_compared_on_the_items_both_have():
    values = [[1, 1, 1, 1, np.nan], [0, 0, 0, 0, 1], [1, 1, 1, 0, 0]]
    comparison = compare_systems(values, seed=0)
    assert comparison.n.tolist() == [[4, 4, 4], [4, 5, 5], [4, 5, 5]]
    assert comparison.difference[0].tolist() == [0.0, 1.0, 0.25]
    assert comparison.difference[1, 0] == -1.0
    assert comparison.p[0, 1] == 2 / 16
    assert comparison.adjusted[0, 1] == 6 / 16
    assert comparison.letters == ("a", "a", "a")


def test_pairs_compared_together_are_each_as_a_plain_sign_flip_says():
    generator = np.random.default_rng(3)
    values = generator.integers(0, 2, (4, 60)).astype(float)
    values[0, :7] = values[3, 40:] = np.nan  # three numbers of common items
    comparison = compare_systems(values, seed=9, resamples=2000)
    for i, j in combinations(range(4), 2):
        both = ~np.isnan(values[i]) & ~np.isnan(values[j])
        differences = values[i, both] - values[j, both]
        swaps = np.random.default_rng(9).integers(0, 2, (2000, int(both.sum())), dtype=np.int8) == 1
        means = np.where(swaps, -differences, differences).mean(axis=1)
        far = int((np.abs(means) >= abs(differences.mean()) - 1e-12).sum())
        assert (comparison.p[i, j], comparison.n[i, j]) == ((far + 1) / 2001, both.sum())
        assert paired_permutation(values[i, both], values[j, both], seed=9, resamples=2000).p == comparison.p[i, j]


def test_systems_clearly_apart_form_groups():
    generator = np.random.default_rng(1)
    base = generator.random(100)
    comparison = compare_systems([base, base + 1, base + 1.0001 * (generator.random(100) < 0.5)], seed=0)
    assert comparison.letters == ("c", "a", "b")


def test_systems_without_a_common_item_cannot_be_compared():
    with pytest.raises(ValueError, match="in common"):
        compare_systems([[1, np.nan], [np.nan, 1]], seed=0)
