"""The surest passage decides on a person's own documents and few web pages; more pages are weighed."""

from dataclasses import replace

import numpy as np
import pytest

from core.types import Document, Label, Passage, PassageStance, Stance
from core.verification.claim_parts import whole_of
from core.verification.stance.stance_words import SAME_WORDS
from core.verification.verdict.classifier_judge import grounded
from core.verification.verdict.evidence import EvidenceReading, of_few

FOR, AGAINST, ABOUT = Stance.FOR, Stance.AGAINST, Stance.ABOUT


def evidence(*said: tuple[Stance, float], site: str = "") -> EvidenceReading:
    """Return the reading of passages with these stances, each of a document of its own."""
    stances = tuple(
        PassageStance(Passage(Document(f"{site}{place}.txt", "It is so."), 0, 9), stance, probability, "because")
        for place, (stance, probability) in enumerate(said)
    )
    few = of_few([one.passage for one in stances])
    return EvidenceReading(whole_of("It is so."), (), (), np.zeros((0, 3)), stances, few)


@pytest.mark.parametrize(
    ("said", "label"),
    [
        (((FOR, 0.61),), Label.SUPPORTED),
        (((FOR, 0.59),), None),
        (((AGAINST, 0.66), (FOR, 0.6), (ABOUT, 0.9)), Label.REFUTED),
        (((FOR, 0.59), *[(ABOUT, 0.6)] * 3), None),
        (((FOR, 0.71), *[(ABOUT, 0.6)] * 6), Label.SUPPORTED),
        (((FOR, 0.91), (AGAINST, 0.95)), Label.CONFLICTING),
        (((FOR, 0.92), (AGAINST, 0.95), (AGAINST, 0.6)), Label.CONFLICTING),
        (((FOR, 0.8), (AGAINST, 0.9), (AGAINST, 0.8)), Label.REFUTED),
        (((Stance.UNRELATED, 0.6),), Label.NOT_ENOUGH_EVIDENCE),
    ],
)
def test_the_surest_passage_decides_on_own_documents(
    said: tuple[tuple[Stance, float], ...], label: Label | None
) -> None:
    assert evidence(*said).rule_based is label


def test_a_passage_in_the_claims_own_words_need_not_be_sure() -> None:
    unsure = evidence((FOR, 0.58), (AGAINST, 0.5))
    same = replace(unsure.stances[0], kind=SAME_WORDS)
    assert unsure.rule_based is None
    assert replace(unsure, stances=(same, unsure.stances[1])).rule_based is Label.SUPPORTED


def test_a_passage_that_says_the_same_bears_the_verdict_beside_a_surer_unclear_one() -> None:
    beside = evidence((FOR, 0.57), (AGAINST, 0.59), (ABOUT, 0.9))
    same = replace(beside.stances[0], kind=SAME_WORDS)
    assert beside.rule_based is None
    assert replace(beside, stances=(same, *beside.stances[1:])).rule_based is Label.SUPPORTED


@pytest.mark.parametrize(
    ("kind", "said", "label"),
    [
        ("reading", SAME_WORDS, None),
        ("number", SAME_WORDS, Label.REFUTED),
        ("reading", "reading", Label.REFUTED),
    ],
)
def test_the_claims_own_words_are_not_refuted_without_a_difference(kind: str, said: str, label: Label | None) -> None:
    """A list of 100 districts has the claim's row, and 99 rows that the reader takes to be against it."""
    read = evidence((FOR, 0.93), (AGAINST, 0.95), (AGAINST, 0.94))
    kinds = (said, kind, kind)
    stances = tuple(replace(one, kind=other) for one, other in zip(read.stances, kinds, strict=True))
    assert replace(read, stances=stances).rule_based is label


def test_an_unsure_passage_of_few_documents_bears_no_verdict() -> None:
    unsure = evidence((FOR, 0.58))
    assert not any(grounded(label, unsure) for label in Label)
    assert not unsure.weighed
    assert grounded(Label.SUPPORTED, evidence((FOR, 0.8)))


def test_many_web_pages_are_weighed() -> None:
    said = [(FOR, 0.8), *[(ABOUT, 0.6)] * 6]
    assert evidence(*said, site="https://paper.example/").rule_based is None
    assert evidence(*said[:6], site="https://paper.example/").rule_based is Label.SUPPORTED
    assert evidence(*said, site="notes/").rule_based is Label.SUPPORTED


def test_a_passage_left_out_does_not_change_who_decides() -> None:
    many = evidence((FOR, 0.8), *[(ABOUT, 0.6)] * 6, site="https://paper.example/")
    assert many.without([many.stances[1].passage]).rule_based is None
