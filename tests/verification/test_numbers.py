import math
from dataclasses import replace

import numpy as np
import pytest

from core.types import Label, Passage, PassageStance, Stance
from core.verification.claim_parts import whole_of
from core.verification.verdict.classifier_judge import grounded
from core.verification.verdict.evidence import EvidenceReading
from core.verification.verdict.evidence_features import MEANINGS, closeness, features, rate, stance_features, words
from tests.fakes import DOCUMENTS, WordEncoder

COSINES = np.array([[0.8, 0.7, 0.9], [0.4, 0.5, 0.3], [0.2, 0.2, 0.2], [0.1, 0.3, 0.1]])
ANSWERS = ["It is a hoax, not 42.", "Officials confirmed nothing about taxes.", "However, taxes rose.", "Rain."]


def test_words_are_folded_and_keep_their_apostrophes() -> None:
    assert words("It wasn’t 5 O'Hara-like") == ["it", "wasn't", "o'hara", "like"]


def test_a_rate_counts_cues_per_hundred_words() -> None:
    assert rate(["no", "rain", "today", "no"], frozenset({"no"})) == 50.0
    assert rate([], frozenset({"no"})) == 0.0


def test_features_by_hand() -> None:
    values = features("Taxes rose by 42 or 7 percent", ANSWERS, COSINES)
    assert values["closest"] == 0.8
    assert values["closeness"] == pytest.approx(0.375)
    assert values["top_three"] == pytest.approx(1.4 / 3)
    assert values["spread"] == pytest.approx(float(np.std([0.8, 0.4, 0.2, 0.1])))
    assert values["strongest_lean"] == pytest.approx(-0.2)
    assert values["denial"] == 0.25
    assert values["numbers_found"] == 0.5
    assert values["words_found"] == pytest.approx(2 / 3)  # taxes and rose are found, percent is not


def test_closer_answers_weigh_more() -> None:
    near, far = features("c", ["no no", "yes"], COSINES[:2]), features("c", ["yes", "no no"], COSINES[:2])
    assert near["negation"] > far["negation"] > 0


def test_features_are_finite_and_in_the_order_of_their_meanings() -> None:
    values = features("c", [""], COSINES[:1])
    assert list(values) == list(MEANINGS)
    assert all(math.isfinite(value) for value in values.values())


def test_closeness_compares_with_the_claim_its_assertion_and_its_denial() -> None:
    cosines = closeness("taxes rose", ["taxes rose", "rain fell"], WordEncoder())
    assert cosines.shape == (2, 3)
    assert cosines[0, 0] == pytest.approx(1.0)
    assert cosines[0, 0] > cosines[1, 0]


def test_closeness_of_nothing_is_undefined() -> None:
    with pytest.raises(ValueError, match="undefined"):
        closeness("taxes rose", [], WordEncoder())


def told(stance: Stance, probability: float, kind: str = "") -> PassageStance:
    return PassageStance(Passage(DOCUMENTS[0], 0, 5), stance, probability, "because", kind)


def test_stances_by_hand() -> None:
    values = stance_features(
        [told(Stance.FOR, 0.9), told(Stance.AGAINST, 0.7, "denial"), told(Stance.FOR, 0.6), told(Stance.UNRELATED, 0.8)]
    )
    assert values == {
        "for": 0.9,
        "against": 0.7,
        "share_for": 0.5,
        "share_against": 0.25,
        "share_unrelated": 0.25,
        "called_false": 0.25,
        "both": 1.0,
    }


def test_a_sentence_in_two_overlapping_passages_counts_once_in_what_is_weighed() -> None:
    denial = told(Stance.AGAINST, 0.7, "negation")
    twice = [replace(denial, passage=Passage(DOCUMENTS[0], 0, end), spans=((0, 3),)) for end in (5, 9)]
    stances = (told(Stance.FOR, 0.6), *twice)
    passages = tuple(one.passage for one in stances)
    part = whole_of("taxes rose")
    evidence = EvidenceReading(part, tuple(one.text for one in passages), passages, np.zeros((3, 3)), stances, few=True)
    assert evidence.values["share_against"] == 0.5
    assert grounded(Label.SUPPORTED, evidence)  # two passages on one sentence do not outweigh one


def test_stances_of_nothing_are_undefined() -> None:
    with pytest.raises(ValueError, match="undefined"):
        stance_features([])
