"""Passages of a document overlap: one sentence in several of them is read, shown and counted once."""

import pytest

from core.types import Document, Passage, PassageStance, Span, Stance
from core.verification.stance.stance_words import echoes, word_of

TEXT = "The harbour bridge is new. It was opened by Ruth Vane in 2006. It has lifts."
OPENED = (27, 61)
WHOLE = PassageStance(Passage(Document("u", TEXT), 0, 61), Stance.FOR, 0.8, "says the same", spans=((34, 61),))


@pytest.mark.parametrize(
    ("span", "url", "stance", "expected"),
    [
        (OPENED, "u", Stance.ABOUT, {1}),
        (OPENED, "u", Stance.UNRELATED, set()),
        (OPENED, "other", Stance.ABOUT, set()),
        ((62, len(TEXT)), "u", Stance.ABOUT, set()),
    ],
)
def test_a_sided_sentence_that_is_open_elsewhere_is_an_echo(
    span: Span, url: str, stance: Stance, expected: set[int]
) -> None:
    assert TEXT[slice(*OPENED)] == "It was opened by Ruth Vane in 2006"
    assert echoes([WHOLE, PassageStance(Passage(Document(url, TEXT), *span), stance, 0.8, "")]) == expected


@pytest.mark.parametrize(
    ("stance", "probability", "kind", "word"),
    [
        (Stance.FOR, 0.8, "reading", "Agrees"),
        (Stance.FOR, 0.58, "reading", "Seems to agree"),
        (Stance.FOR, 0.58, "wording", "Agrees"),
        (Stance.AGAINST, 0.58, "number", "Seems to disagree"),
        (Stance.ABOUT, 0.3, "", "Leaves it open"),
        (Stance.ABOUT, 1.0, "order", "Not counted"),
    ],
)
def test_a_side_that_is_too_unsure_to_decide_seems_so(stance: Stance, probability: float, kind: str, word: str) -> None:
    assert word_of(PassageStance(WHOLE.passage, stance, probability, "because", kind)) == word
