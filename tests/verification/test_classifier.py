import math
from pathlib import Path

import numpy as np
import pytest

from core.errors import BadRecord
from core.statistics.logistic import Logistic
from core.types import Label
from core.verification.verdict import classifier as module
from core.verification.verdict.classifier import (
    FROM_DOCUMENTS,
    WITH_WORDING,
    VerdictClassifier,
    load_classifier,
    save_classifier,
    with_likeliest,
    wording_features,
)

NONE = (0.0, 0.0, 0.0, 0.0)


def small(names: tuple[str, ...]) -> Logistic:
    """A regression in which only the first feature counts, and only towards Supported."""
    zeros = (0.0,) * len(names)
    first = (1.0, *zeros[1:])
    return Logistic(names, zeros, (2.0, *(1.0,) * (len(names) - 1)), (first, zeros, zeros, zeros), NONE)


CLASSIFIER = VerdictClassifier(small(FROM_DOCUMENTS), small(WITH_WORDING), small(("0", "1")), 0.6, {})
VALUES = {**dict.fromkeys(FROM_DOCUMENTS, 0.0), FROM_DOCUMENTS[0]: 2.0}


def test_probabilities_are_the_softmax_of_standardised_features() -> None:
    expected = math.e / (math.e + 3)
    assert CLASSIFIER.probabilities(VALUES, None)[Label.SUPPORTED] == pytest.approx(expected)
    wording = CLASSIFIER.wording_of(np.array([2.0, 0.0], dtype=np.float32))
    assert wording[Label.SUPPORTED] == pytest.approx(expected)
    assert sum(CLASSIFIER.probabilities(VALUES, wording).values()) == pytest.approx(1.0)


def test_the_wording_counts_against_refuted() -> None:
    shares = {Label.SUPPORTED: 0.2, Label.REFUTED: 0.4, Label.NOT_ENOUGH_EVIDENCE: 0.1, Label.CONFLICTING: 0.3}
    logs = list(wording_features(shares).values())
    assert logs == pytest.approx([math.log(0.5), math.log(0.25), math.log(0.75)])


def test_what_plain_words_come_to_is_the_likeliest_and_the_rest_keeps_its_proportions() -> None:
    shares = dict(zip(Label, (0.6, 0.2, 0.15, 0.05), strict=True))
    raised = with_likeliest(Label.REFUTED, shares)
    assert max(raised, key=raised.__getitem__) is Label.REFUTED
    assert sum(raised.values()) == pytest.approx(1.0)
    assert raised[Label.SUPPORTED] / raised[Label.CONFLICTING] == pytest.approx(12)
    assert with_likeliest(Label.SUPPORTED, shares) == pytest.approx(shares)


def test_a_classifier_survives_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CLASSIFIERS", tmp_path)
    save_classifier("small", CLASSIFIER)
    assert load_classifier("small") == CLASSIFIER


def test_a_missing_classifier_is_named_with_the_command_that_fits_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CLASSIFIERS", tmp_path)
    with pytest.raises(BadRecord, match=r"absent\.json"):
        load_classifier("absent")


def test_the_vector_of_another_encoder_says_nothing_of_the_wording() -> None:
    assert CLASSIFIER.wording_of(np.zeros(3, dtype=np.float32)) is None
