"""α, κ, Williams' test and rater profiles by hand and against the `krippendorff` package and scikit-learn."""

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from core.agreement.raters import answers_in_order, control_accuracy, rater_profiles, straightness
from core.agreement.ratings import MajorError, Response
from core.statistics.agreement import krippendorff_alpha, pairwise_kappa

NAN = np.nan
VALUES = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=10)


def test_nominal_alpha_by_hand():
    # Units (1,1) (1,2) (2,2) (2,2): 8 values, n1=3, n2=5. Observed disagreement 2/8;
    # expected 2·3·5/(8·7) = 30/56. α = 1 - (1/4)/(15/28) = 8/15.
    alpha = krippendorff_alpha([[1, 1, 2, 2], [1, 2, 2, 2]], level="nominal")
    assert alpha.value == pytest.approx(8 / 15)
    assert (alpha.raters, alpha.items) == (2, 4)
    assert alpha.interval is None


def test_the_interval_of_alpha_leaves_items_out_by_the_definition():
    ratings = np.random.default_rng(1).integers(1, 6, (3, 12)) + 0.0
    ratings[1] = ratings[0]
    found = krippendorff_alpha(ratings, level="ordinal")

    def alpha(matrix):
        return krippendorff.alpha(reliability_data=matrix, level_of_measurement="ordinal")

    z = np.arctanh([alpha(np.delete(ratings, item, axis=1)) for item in range(12)])
    error = max(11 / 12 * ((z - z.mean()) ** 2).sum(), 2 / (12 * 3 * 2)) ** 0.5  # the second: of ratings by chance
    reach = stats.t.ppf(0.975, 11) * error
    assert (found.interval.low, found.interval.high) == pytest.approx(
        tuple(np.tanh(np.arctanh(alpha(ratings)) + np.array([-reach, reach])))
    )


@pytest.mark.parametrize(
    ("items", "others", "given"), [(9, 9, False), (10, 10, True), (200, 29, False), (200, 30, True)]
)
def test_an_interval_of_alpha_needs_items_and_other_values(items, others, given):
    column = np.where(np.arange(items) < others, np.arange(items) % 4 + 1, 0) + 0.0
    found = krippendorff_alpha([column, np.roll(column, 1) if items == 10 else column], level="nominal")
    assert (found.interval is not None) is given
    assert bool(found.reason) is (not given or items == 200)


def test_items_rated_once_do_not_count():
    matrix = [[1, 1, 2, 2, 1, NAN], [1, 2, 2, 2, NAN, 2]]
    alpha = krippendorff_alpha(matrix, level="nominal")
    assert alpha.value == pytest.approx(8 / 15)
    assert alpha.items == 4


@settings(max_examples=30)
@given(VALUES)
def test_ordinal_alpha_is_the_packages(pairs):
    matrix = np.array(pairs, dtype=float).T
    alpha = krippendorff_alpha(matrix, level="ordinal")
    if len(set(np.ravel(matrix))) < 2:
        assert alpha.value is None
    else:
        expected = krippendorff.alpha(reliability_data=matrix, level_of_measurement="ordinal")
        assert alpha.value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        ([[1, 2, 3]], "1 rater"),
        ([[1, 2, NAN], [NAN, NAN, 3]], "0 items"),
        ([[1, 2], [3, NAN]], "1 item "),
        ([[4, 4], [4, 4]], "are equal"),
        ([[NAN, NAN], [NAN, NAN]], "0 raters"),
    ],
)
def test_alpha_undefined_says_why(matrix, reason):
    alpha = krippendorff_alpha(matrix, level="ordinal")
    assert alpha.value is None
    assert reason in alpha.reason


def weighted_kappa(first, second):
    (pair,) = pairwise_kappa([first, second], ["A", "B"], least=1)
    return pair.value


def test_weighted_kappa_by_hand():
    # (a-b)²: 0, 0, 1 → 1/3. All nine pairs of (1,2,3) × (1,2,2): 0+1+1 + 1+0+0 + 4+1+1 = 9 → 1.
    assert weighted_kappa([1, 2, 3], [1, 2, 2]) == pytest.approx(2 / 3)
    assert weighted_kappa([1, 2, 3], [1, 2, 3]) == 1.0
    assert weighted_kappa([2, 2], [2, 2]) is None


@settings(max_examples=30)
@given(VALUES)
def test_weighted_kappa_is_sklearns(pairs):
    a, b = zip(*pairs, strict=True)
    value = weighted_kappa(a, b)
    if value is not None:
        expected = cohen_kappa_score(a, b, weights="quadratic", labels=[1, 2, 3, 4, 5])
        assert value == pytest.approx(expected)


def test_pairs_without_a_shared_item_are_no_pairs():
    pairs = pairwise_kappa([[1, 2, NAN, 4], [1, 3, 3, NAN], [NAN, NAN, 3, 4]], ["A", "B", "C"], least=2)
    assert [(pair.first, pair.second, pair.n) for pair in pairs] == [("A", "B", 2), ("A", "C", 1), ("B", "C", 1)]
    assert pairs[0].value == pytest.approx(1 - 0.5 / 1.5)
    assert pairs[1].value is None
    assert pairs[1].reason.startswith("1 shared item")
    constant = pairwise_kappa([[4] * 5, [4] * 5], ["A", "B"])[0]
    assert (constant.value, bool(constant.reason)) == (None, True)


def test_kappa_of_every_pair_of_sixty_raters():
    ratings = np.random.default_rng(0).integers(1, 6, size=(60, 8)).astype(float)
    pairs = pairwise_kappa(ratings, [str(number) for number in range(60)])
    assert len(pairs) == 1_770
    first, second = ratings[int(pairs[-1].first)], ratings[int(pairs[-1].second)]
    assert pairs[-1].value == pytest.approx(cohen_kappa_score(first, second, weights="quadratic"))


def test_severity_is_measured_on_shared_items_only():
    profiles = rater_profiles([[1, 2, 5], [3, 4, NAN], [NAN, 6, NAN], [NAN] * 3], list("ABCD"))
    assert [profile.rater for profile in profiles] == ["A", "B", "C"]
    # A against (3) and mean(4, 6) = 5: (2 + 3) / 2; item 3 is A's alone.
    assert profiles[0].severity == pytest.approx(2.5)
    assert (profiles[0].n, profiles[0].shared, profiles[0].mean) == (3, 2, pytest.approx(8 / 3))
    assert profiles[0].sd == pytest.approx(np.std([1, 2, 5], ddof=1))
    alone = rater_profiles([[1, 2]], ["A"])[0]
    assert (alone.severity, alone.shared) == (None, 0)
    assert rater_profiles([[4, NAN]], ["A"])[0].sd is None  # one rating has no deviation, not one of 0


def test_straight_lining():
    rows = [[4, 4, 4], [4, 4, 4], [4, 4, None], [1, 2, 3], [5, None, None]]
    result = straightness({"A": rows, "B": []})
    assert (result[0].n, result[0].uniform, result[0].longest_run) == (4, 3, 2)
    assert (result[1].rater, result[1].n, result[1].longest_run) == ("B", 0, 0)
    gaps = straightness({"A": [[3, 4, None], [None, 3, 4], [3, None, 4]]})
    assert (gaps[0].n, gaps[0].longest_run) == (3, 1)


@pytest.mark.parametrize(
    "times",
    [
        ("9/30/2024 23:59:00", "10/1/2024 8:00:00", "10/2/2024 8:00:00", "soon"),
        ("30/9/2024 23:59:00", "1/10/2024 8:00:00", "2/10/2024 8:00:00", ""),
        ("2024-09-30T23:59:00+02:00", "2024-09-30T22:30:00Z", "2024-10-02", "?"),
    ],
)
def test_answers_are_in_the_order_of_their_times_and_those_without_one_come_last(times):
    responses = [
        Response(row, str(row), "A", "", MajorError.NONE, None, {"relevance": place}, timestamp=time)
        for row, (place, time) in enumerate(reversed(list(enumerate(times))))
    ]
    assert answers_in_order(responses, ["relevance"]) == {"A": [[0], [1], [2], [3]]}


def test_control_accuracy_counts_controls_only():
    verdicts = [("A", "1", "Refuted"), ("A", "2", "Supported"), ("A", "9", "Refuted"), ("B", "9", "Refuted")]
    a, b = control_accuracy(verdicts, {"1": "Refuted", "2": "Refuted"})
    assert (a.answered, a.correct, a.share) == (2, 1, 0.5)
    assert (b.answered, b.share) == (0, None)
