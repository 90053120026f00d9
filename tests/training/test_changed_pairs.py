"""Pairs with one change: the label follows from the change, and the passage shows it."""

import random

import pytest

from core.training.changed_pairs import AGAINST, FOR, NEITHER, changed
from core.training.entailment import LabelledPair

TOWNS = ["Dunmore", "Eastbrook", "Farling", "Garwick", "Hollin"]
PAIRS = [
    LabelledPair(
        f"Ryde Bridge in {town} was opened in 19{n}2 with {n}4 arches. It carries a road.",
        f"Ryde Bridge was opened in 19{n}2 at {town}.",
        FOR,
        "made",
    )
    for n, town in enumerate(TOWNS, start=3)
]
AGAINST_PAIR = LabelledPair("Ryde Bridge has 12 arches.", "Ryde Bridge is a tunnel.", AGAINST, "made")


def of_kind(kind: str, pairs: list[LabelledPair]) -> list[LabelledPair]:
    return [one for one in changed(pairs, 60, random.Random(0)) if one.source == f"changed_{kind}"]


def test_a_number_that_the_passage_does_not_give_is_against() -> None:
    found = of_kind("number", PAIRS)
    assert found
    for one in found:
        [year] = [word.strip(".") for word in one.claim.split() if word[:2] == "19"]
        assert (one.label, year in one.premise) == (AGAINST, False)


def test_another_subject_is_neither_and_another_object_against() -> None:
    # A second bridge, so that there is another name to put in the first one's place.
    other = LabelledPair("Lowe Tower is in Graz.", "Lowe Tower is in Graz.", FOR, "made")
    subjects, objects = (of_kind(kind, [*PAIRS, other]) for kind in ("subject", "object"))
    assert subjects
    assert objects
    assert all(one.label == NEITHER and one.claim[:4] not in one.premise for one in subjects)
    assert all(one.label == AGAINST and one.claim.split()[-1].strip(".") not in one.premise for one in objects)


@pytest.mark.parametrize(("pair", "label"), [(PAIRS[0], AGAINST), (AGAINST_PAIR, FOR)])
def test_a_negated_claim_changes_sides(pair: LabelledPair, label: int) -> None:
    [found] = of_kind("negation", [pair])
    assert (found.label, found.premise) == (label, pair.premise)
    assert " not " in found.claim


def test_a_sentence_of_the_passage_is_for_and_a_denial_of_the_claim_against() -> None:
    assert all(one.label == FOR and one.claim in one.premise for one in of_kind("verbatim", PAIRS))
    assert all(one.label == AGAINST and one.claim[:-1] in one.premise for one in of_kind("denial", PAIRS))
    assert of_kind("verbatim", PAIRS)
    assert of_kind("denial", PAIRS)


def test_a_pair_that_settles_nothing_is_not_changed_into_one_that_does() -> None:
    silent = [LabelledPair(one.premise, one.claim, NEITHER, "made") for one in PAIRS]
    assert {one.source for one in changed(silent, 60, random.Random(0))} == {"changed_verbatim"}
