from dataclasses import replace

import numpy as np
import pytest

from core.types import Document, Label, Passage, PassageStance, Stance, Verdict
from core.verification.claim_parts import parts_of
from core.verification.verdict.classifier import CLASSIFIER
from core.verification.verdict.classifier_judge import deciding, of_parts
from core.verification.verdict.evidence import EvidenceReading, towards_claim

CLAIM = "Vittoria Ambrel was born in Lozzo and moved to Darnau in 1950."
TEXT = "Vittoria Ambrel was born in Lozzo. She never left."


def verdict(label: Label, probability: float = 0.8, *, sure: bool = True) -> Verdict:
    rest = (1 - probability) / (len(Label) - 1)
    return Verdict({**dict.fromkeys(Label, rest), label: probability}, CLASSIFIER, 0.5, grounded=sure)


def readings(*stances: Stance) -> list[EvidenceReading]:
    """Return the readings of one passage, which has these stances towards the parts of the claim."""
    passage = Passage(Document("u", TEXT), 0, len(TEXT))
    return [
        EvidenceReading(
            part,
            (),
            (),
            np.zeros((0, 3)),
            (PassageStance(passage, stance, 0.9, "because", "", (), ((0, 8),)),),
            few=True,
        )
        for part, stance in zip(parts_of(CLAIM), stances, strict=True)
    ]


def test_all_parts_supported_support_the_whole_no_surer_than_the_least_sure() -> None:
    whole = deciding([verdict(Label.SUPPORTED, 0.9), verdict(Label.SUPPORTED, 0.7)])
    assert (whole.label, whole.probabilities[Label.SUPPORTED], whole.cannot_tell) == (Label.SUPPORTED, 0.7, False)


@pytest.mark.parametrize(
    "other",
    [
        verdict(Label.SUPPORTED, 0.9, sure=False),
        verdict(Label.SUPPORTED, 0.4),
        verdict(Label.NOT_ENOUGH_EVIDENCE),
        verdict(Label.CONFLICTING),
        verdict(Label.REFUTED, 0.9, sure=False),
    ],
)
def test_a_part_left_open_leaves_the_whole_open(other: Verdict) -> None:
    for pair in ([verdict(Label.SUPPORTED, 0.8), other], [other, verdict(Label.SUPPORTED, 0.8)]):
        assert deciding(pair) is other


def test_one_part_refuted_refutes_the_whole() -> None:
    refuted = verdict(Label.REFUTED, 0.6)
    assert deciding([verdict(Label.SUPPORTED), refuted, verdict(Label.NOT_ENOUGH_EVIDENCE)]) is refuted


@pytest.mark.parametrize(
    ("labels", "answers"),
    [
        ((Label.SUPPORTED, Label.REFUTED), ("yes", "no")),
        ((Label.SUPPORTED, None), ("yes", "open")),
        ((Label.CONFLICTING, Label.NOT_ENOUGH_EVIDENCE), ("the sources disagree", "open")),
        ((Label.SUPPORTED, Label.SUPPORTED), ("yes", "yes")),
    ],
)
def test_each_part_has_its_answer(labels: tuple[Label | None, ...], answers: tuple[str, str]) -> None:
    both = readings(Stance.FOR, Stance.AGAINST)
    born, moved = "“Vittoria Ambrel was born in Lozzo”", "“Vittoria Ambrel moved to Darnau in 1950”"
    assert of_parts(both, labels) == f"{born}: {answers[0]}; {moved}: {answers[1]}."


@pytest.mark.parametrize(
    ("stances", "stance", "reason"),
    [
        ((Stance.FOR, Stance.FOR), Stance.FOR, "because"),
        ((Stance.FOR, Stance.ABOUT), Stance.FOR, "on “Vittoria Ambrel was born in Lozzo”: because"),
        ((Stance.FOR, Stance.AGAINST), Stance.AGAINST, "on “Vittoria Ambrel moved to Darnau in 1950”: because"),
        ((Stance.ABOUT, Stance.UNRELATED), Stance.ABOUT, "because"),
    ],
)
def test_a_passage_has_the_stance_on_which_it_says_most(
    stances: tuple[Stance, ...], stance: Stance, reason: str
) -> None:
    (found,) = towards_claim(readings(*stances))
    assert (found.stance, found.reason) == (stance, reason)
    assert [CLAIM[start:end] for start, end in found.claim_spans] == ["Vittoria"]


def test_leaving_a_passage_out_leaves_it_out_of_every_part() -> None:
    for one in readings(Stance.FOR, Stance.ABOUT):
        assert one.without({one.stances[0].passage}).stances == ()
        assert replace(one, undecidable="why").without(()).undecidable == "why"
