"""Passages of a document overlap: one sentence in several of them is read, shown and counted once."""

from __future__ import annotations

import pytest

from core.types import Document, Passage, PassageStance, Span, Stance
from core.verification.stance.stance_words import echoes

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
