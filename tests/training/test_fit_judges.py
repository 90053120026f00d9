import numpy as np
import pytest

from core.errors import BadInput
from core.training.annotated_cases import codes
from core.training.fit_verdict import fit_classifier, not_enough_threshold, topic_folds
from core.training.judge_measures import (
    Point,
    accuracy,
    calibration_error,
    choose_threshold,
    risk_coverage,
    supported_from_refuted,
)
from core.types import Label
from core.verification.verdict.classifier import FROM_DOCUMENTS

SURE = np.array([[0.9, 0.1, 0, 0], [0.6, 0.4, 0, 0], [0.1, 0.9, 0, 0], [0.4, 0.6, 0, 0]])
TRUTH = np.array([0, 1, 1, 1])


def test_accuracy_by_hand() -> None:
    assert accuracy(SURE, TRUTH) == 0.75


def test_calibration_error_by_hand() -> None:
    # bin .9: confidence .9, right 1.0, half of the claims; bin .6: confidence .6, right .5, the other half
    assert calibration_error(SURE, TRUTH) == pytest.approx(0.5 * 0.1 + 0.5 * 0.1)


def test_the_curve_answers_less_and_better() -> None:
    curve = risk_coverage(SURE, TRUTH)
    assert curve[0] == Point(0.25, 1.0, 0.75)
    assert [point for point in curve if point.threshold == 0.65] == [Point(0.65, 0.5, 1.0)]
    assert curve[-1].threshold == 0.9  # nothing reaches .95


def test_the_threshold_is_the_lowest_that_is_right_often_enough() -> None:
    curve = [Point(0.3, 1.0, 0.6), Point(0.5, 0.6, 0.7), Point(0.6, 0.2, 0.9)]
    assert choose_threshold(curve, least_accuracy=0.7) == 0.5
    assert choose_threshold(curve, least_accuracy=0.95) == 1.0


def test_a_classifier_learns_what_separates_the_labels() -> None:
    rng = np.random.default_rng(1)
    truth = np.repeat([0, 1, 2, 3], 40)
    rows = rng.normal(size=(160, len(FROM_DOCUMENTS)))
    rows[:, :2] += 3.0 * np.array([[1, 0], [0, 1], [1, 1], [-1, -1]])[truth]
    vectors = rng.normal(size=(160, 8))
    fitted = fit_classifier(rows, vectors, truth)
    assert accuracy(fitted.out_of_fold, truth) > 0.7
    values = dict(zip(FROM_DOCUMENTS, rows[0].tolist(), strict=True))
    for wording in (None, fitted.classifier.wording_of(vectors[0])):
        probabilities = fitted.classifier.probabilities(values, wording)
        assert max(probabilities, key=lambda label: probabilities[label]) is Label.SUPPORTED


def test_claims_on_one_topic_share_a_fold() -> None:
    topics = np.repeat(np.eye(60), 3, axis=0)
    folds = topic_folds(topics).reshape(60, 3)
    assert (folds == folds[:, :1]).all()
    assert set(folds.ravel().tolist()) == {0, 1, 2, 3, 4}


def test_chance_is_one_half_and_order_is_all() -> None:
    scores = np.array([[2.0, 0.0], [1.0, 0.0], [0.0, 1.0], [9.0, 9.0]])
    assert supported_from_refuted(scores, np.array([0, 0, 1, 2])) == 1.0
    assert supported_from_refuted(np.zeros((4, 2)), np.array([0, 0, 1, 1])) == 0.5


def test_the_not_enough_threshold_is_where_that_label_is_commonest() -> None:
    closest = np.arange(20) / 20
    truth = np.array([2] * 8 + [1] * 12)
    edge, shares, count = not_enough_threshold(closest, truth, least=5)
    assert (edge, count) == (0.75, 15)  # 8 of the lowest 15 lack evidence; of 16, only half do
    assert shares[Label.NOT_ENOUGH_EVIDENCE] == pytest.approx(8 / 15)


def test_there_may_be_no_such_threshold() -> None:
    assert not_enough_threshold(np.arange(20) / 20, np.ones(20, dtype=int)) == (None, {}, 0)


def test_codes_follow_the_order_of_the_labels() -> None:
    assert codes([Label.CONFLICTING, Label.SUPPORTED]).tolist() == [3, 0]


@pytest.mark.parametrize("truth", [[0], [0] * 8, [0, 1, 0, 1], [0, 1, 2, 3], [0, 1, 2] * 6 + [3]])
def test_a_verdict_on_fewer_than_two_topics_cannot_be_fitted(truth: list[int]) -> None:
    rng = np.random.default_rng(1)
    rows, vectors = rng.normal(size=(len(truth), len(FROM_DOCUMENTS))), rng.normal(size=(len(truth), 8))
    with pytest.raises(BadInput, match="Too few claims"):
        fit_classifier(rows, vectors, np.array(truth))
