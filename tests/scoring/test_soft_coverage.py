from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from core.annotations import GoldAnswer, GoldClaim, GoldQuestion, PredictedEvidence, Prediction
from core.errors import Cancelled
from core.interfaces import ModelIdentity, Stop, never
from core.scoring.items import ItemStatus
from core.scoring.metrics.soft_coverage import (
    PAIRS,
    QUESTIONS,
    EvidenceTexts,
    SoftCoverage,
    coverages,
    weighted_coverage,
)
from core.scoring.progress import ProgressMonitor
from core.types import Claim, Label


@dataclass
class Letters:
    """Encodes a text as the share of each of three letters in it, as a unit vector."""

    identity: ModelIdentity = field(default_factory=lambda: ModelIdentity("letters", "abc" * 20))
    seen: list[str] = field(default_factory=list)

    def encode(self, texts: Sequence[str], *, stop: Stop = never) -> NDArray[np.float32]:
        if stop():
            raise Cancelled("stopped")
        self.seen += texts
        counts = np.array([[text.count(letter) for letter in "abc"] for text in texts], dtype=np.float32)
        norms = np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-12)
        unit: NDArray[np.float32] = counts / norms
        return unit


def test_each_reference_takes_its_best_prediction_and_weighs_its_words() -> None:
    similarity = np.array([[0.9, 0.2], [0.5, 0.4]])
    assert weighted_coverage(similarity, [1, 1]) == pytest.approx((0.9 + 0.4) / 2)
    assert weighted_coverage(similarity, [3, 1]) == pytest.approx((3 * 0.9 + 0.4) / 4)


def test_negative_cosines_count_as_zero_and_nothing_predicted_scores_zero() -> None:
    assert weighted_coverage(np.array([[-0.5]]), [2]) == 0.0
    assert weighted_coverage(np.empty((0, 2)), [1, 1]) == 0.0
    with pytest.raises(ValueError, match="undefined"):
        weighted_coverage(np.empty((1, 0)), [])


@given(st.lists(st.lists(st.floats(-1, 1), min_size=2, max_size=2), min_size=1, max_size=6), st.randoms())
def test_order_and_repetition_of_predictions_do_not_matter(rows: list[list[float]], random: object) -> None:
    similarity = np.array(rows)
    shuffled = similarity[np.random.default_rng(len(rows)).permutation(len(rows))]
    repeated = np.vstack([similarity, similarity[:1]])
    expected = weighted_coverage(similarity, [1, 4])
    assert weighted_coverage(shuffled, [1, 4]) == pytest.approx(expected)
    assert weighted_coverage(repeated, [1, 4]) == pytest.approx(expected)
    assert 0.0 <= expected <= 1.0


def test_each_text_is_encoded_once_and_blank_ones_never() -> None:
    encoder = Letters()
    found = coverages(
        [EvidenceTexts(("a",), ("a", " ")), EvidenceTexts(("a b",), ("b", "a")), EvidenceTexts((), ("a",))], encoder
    )
    assert sorted(encoder.seen) == ["a", "a b", "b"]
    assert found[0] == pytest.approx(1.0)
    assert found[1] == pytest.approx(0.5**0.5)
    assert found[2] is None


def test_claims_are_scored_by_id_with_questions_apart() -> None:
    gold = [
        GoldClaim(Claim("c", id=i), Label.REFUTED, (GoldQuestion("a", (GoldAnswer("b"),)),) if i != "2" else ())
        for i in ("0", "1", "2")
    ]
    evidence = (PredictedEvidence("a", "c"),)
    predictions = {i: Prediction(i, "", None, evidence) for i in ("0", "2")}
    measured = SoftCoverage(Letters()).measure(gold, predictions)
    values = {(item.claim_id, item.metric): (item.value, item.status) for item in measured.items}
    assert values["0", QUESTIONS][0] == pytest.approx(1.0)
    assert values["0", PAIRS][0] == pytest.approx(0.5)  # "a b" against "a c"
    assert values["1", PAIRS] == (0.0, ItemStatus.MISSING)
    assert values["2", PAIRS] == (None, ItemStatus.UNSCORED)
    assert "encoder:letters|sha256:abcabcabcabc" in measured.signature


def test_scoring_stops_when_asked() -> None:
    gold = [GoldClaim(Claim("c", id="0"), Label.REFUTED, (GoldQuestion("a", ()),))]
    with pytest.raises(Cancelled):
        SoftCoverage(Letters()).measure(gold, {}, ProgressMonitor(stop=lambda: True))
