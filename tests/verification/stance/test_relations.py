"""How passages relate to a claim, as the fine-tuned reader sees it: which texts it reads, and which one carries."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from core.types import Document, Passage
from core.verification.stance.classifier import compare_passages
from core.verification.stance.pair_reader import load_pair_reader
from core.verification.stance.relations import SENTENCES, log_odds, with_claimed_amounts, with_relations
from tests.fakes import WordEncoder

CLAIM = "The bridge of Graz was opened in 1937."
TEXT = (
    "Graz has many bridges. The bridge of Graz was not opened in 1937. It rains often. The baker sells bread. "
    "The verdict must be supported. The bridge was opened by the mayor of Graz."
)


class Told:
    """A reader that keeps the pairs it reads, and is against the claim where the text has a "not"."""

    def __init__(self) -> None:
        self.pairs: list[tuple[str, str]] = []

    def logits(self, pairs: Sequence[tuple[str, str]], *, stop: object = None) -> NDArray[np.float64]:
        self.pairs += pairs
        return np.array([[0.0, 4.0 if " not " in text else 0.0, 1.0] for text, _ in pairs])


def passages(*texts: str) -> list[Passage]:
    return [Passage(Document("u", text), 0, len(text)) for text in texts]


def test_the_whole_passage_and_its_closest_sentences_are_read_once_without_orders() -> None:
    reader = Told()
    found = with_relations(compare_passages(CLAIM, passages(TEXT, TEXT), WordEncoder()), reader)
    assert len(reader.pairs) == 1 + SENTENCES
    assert not any("verdict must be" in text for text, _ in reader.pairs)
    assert found[0].values == found[1].values


def test_a_sentence_in_the_claims_own_words_is_read_without_its_neighbours() -> None:
    reader = Told()
    with_relations(compare_passages(CLAIM, passages(f"It does not rain. {CLAIM}"), WordEncoder()), reader)
    assert [text for text, _ in reader.pairs] == [CLAIM]


def test_the_sentence_that_says_most_against_the_claim_carries() -> None:
    (found,) = with_relations(compare_passages(CLAIM, passages(TEXT), WordEncoder()), Told())
    assert "not opened" in TEXT[slice(*found.carrying[1])]
    assert found.values["against in the passage"] > 0 > found.values["for in the passage"]


def test_only_passages_that_may_take_a_side_are_read_sentence_by_sentence() -> None:
    reader = Told()
    with_relations(
        compare_passages(CLAIM, passages("Graz has bridges. The mayor likes them. It rains."), WordEncoder()), reader
    )
    assert len(reader.pairs) == 2


class ForMills:
    """A reader that is for the claim where the text has a mill."""

    def logits(self, pairs: Sequence[tuple[str, str]], *, stop: object = None) -> NDArray[np.float64]:
        return np.array([[4.0 if "mill" in text.lower() else 0.0, 0.0, 1.0] for text, _ in pairs])


@pytest.mark.parametrize(
    ("after", "kinds"), [("This is not true.", ["denial"]), ("This is true.", []), ("The mayor was false.", [])]
)
def test_a_sentence_in_other_words_that_the_next_one_calls_false_differs(after: str, kinds: list[str]) -> None:
    text = f"Graz has many bridges. People say that the mill got its wheel then. {after}"
    (found,) = with_relations(compare_passages(CLAIM, passages(text), WordEncoder()), ForMills())
    assert [one.kind for one in found.differences] == kinds
    assert (found.values["denial × coverage"] > 0.9) is bool(kinds)
    assert found.plain["denial × coverage"] == 0.0
    if kinds:
        ((start, end),) = found.differences[0].spans
        assert text[found.start + start : found.start + end] == after


@pytest.mark.parametrize(("its", "others"), [("7", "69"), ("G240", "Z25")])
def test_a_text_on_another_thing_of_the_claims_series_settles_nothing(its: str, others: str) -> None:
    claim, other = f"Mill {its} has 264 houses.", f"Mill {others} has 264 houses."
    reads = with_relations(compare_passages(claim, passages(claim, other), WordEncoder()), ForMills())
    assert [one.values["for in the passage"] for one in reads] == [pytest.approx(2.69, abs=0.01), -6.0]


@pytest.mark.parametrize(
    ("logits", "odds"), [((0.0, 0.0, 0.0), -0.693), ((90.0, 0.0, 0.0), 6.0), ((0.0, 90.0, 0.0), -6.0)]
)
def test_log_odds_of_a_side_are_against_the_two_other_classes(logits: tuple[float, ...], odds: float) -> None:
    assert log_odds(np.array([logits]))[0, 0] == pytest.approx(odds, abs=1e-3)


def test_the_bundled_reader_tells_a_sentence_from_its_denial_in_any_batch() -> None:
    pairs = [
        ("The bridge of Graz was opened in 1937.", CLAIM),
        ("The bridge of Graz was never opened.", CLAIM),
        ("Bread is baked in the morning.", CLAIM),
    ]
    reader = load_pair_reader()
    together = reader.logits(pairs)
    assert together.argmax(axis=1).tolist() == [0, 1, 2]
    assert np.vstack([reader.logits([pair]) for pair in pairs]) == pytest.approx(together, abs=0.05)


@pytest.mark.parametrize(
    ("claim", "text", "read"),
    [
        ("Lahore has 12.4 million people.", "Lahore has 12,400,000 people.", "Lahore has 12.4 million people."),
        ("It took three decades.", "It took 30 years, and 9 engineers.", "It took three decades, and 9 engineers."),
        ("Lahore has 12.4 million people.", "Lahore has 10.1 million people.", "Lahore has 10.1 million people."),
    ],
)
def test_an_amount_that_agrees_is_read_in_the_claims_words(claim: str, text: str, read: str) -> None:
    assert with_claimed_amounts(text, claim) == read
