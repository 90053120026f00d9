"""What a reader is worth on pairs of a claim and a passage."""

import numpy as np
import pytest

from core.training.entailment import LabelledPair
from core.training.fit_stance import Pair, choose_thresholds, measure, nearest_pairs, read_pairs, with_amounts_computed
from core.types import Document, Passage, Stance
from core.verification.stance.classifier import Thresholds
from core.verification.stance.embedded import load_embedded
from core.verification.stance.pair_reader import load_pair_reader
from tests.fakes import WordEncoder

TOLD = "The old bridge of Graz has 9 arches."
PAIR = Pair(
    "number", "The old bridge of Graz has 12 arches.", Passage(Document("u", TOLD), 0, len(TOLD)), Stance.AGAINST
)


@pytest.mark.parametrize(("against", "right", "named"), [(0.9, 1.0, 1.0), (0.1, 0.0, 0.0)])
def test_changes_are_noticed_and_named_or_neither(against: float, right: float, named: float) -> None:
    rows = np.array([[0.0, against, 1 - against, 0.0]])
    reads = read_pairs([PAIR], WordEncoder(), load_pair_reader())
    found = measure(load_embedded(), rows, [PAIR], reads, Thresholds(0.5, 0.5))
    assert (found.right, found.named) == ({"number": right}, named)


def test_a_wrong_side_costs_as_much_as_a_right_one_gains() -> None:
    rows = np.array([[0.9, 0.0, 0.1, 0.0], [0.6, 0.0, 0.4, 0.0]])
    pairs = [Pair("fever", "c", PAIR.passage, Stance.FOR), Pair("nearest", "c", PAIR.passage, Stance.ABOUT)]
    assert choose_thresholds(rows, pairs).for_claim > 0.6


def test_pairs_are_found_whose_amounts_make_the_claims() -> None:
    claim = "One plot in four is empty."
    told = ("37 of the 148 plots are empty.", "37 of the 40 plots are empty.")
    pairs = [LabelledPair(f"It rained. {text}", claim, 0, "fever") for text in told]
    assert with_amounts_computed(pairs) == pairs[:1]


def test_near_passages_are_those_of_other_claims_in_other_words() -> None:
    def pair(claim: str, text: str) -> Pair:
        return Pair("fever", claim, Passage(Document("u", text), 0, len(text)), Stance.FOR)

    pairs = [
        pair("The bridge of Graz is old.", "The bridge of Graz was built in 1540."),
        pair("The bridge of Graz is wide.", "The bridge of Graz was built in 1541."),
        pair("Bread is baked in Graz.", "Every morning bakers bake bread."),
    ]
    made = {one.claim: one.passage.text for one in nearest_pairs(pairs, WordEncoder())}
    assert made["The bridge of Graz is old."] == "Every morning bakers bake bread."
    assert made["Bread is baked in Graz."].startswith("The bridge of Graz")
