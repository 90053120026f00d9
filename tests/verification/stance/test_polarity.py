import pytest

from core.types import Label, Stance
from core.verification.stance.polarity import content_of, turned, turned_probabilities


@pytest.mark.parametrize(
    ("claim", "content", "denied"),
    [
        ("It is not true that the Nile is long.", "the Nile is long.", True),
        ("It's a myth that the Nile is long.", "the Nile is long.", True),
        ("The claim that the Nile is long is false.", "the Nile is long", True),
        ("It is true that the Nile is long.", "the Nile is long.", False),
        ("It is false that it is not true that the Nile is long.", "the Nile is long.", False),
        ("The Nile is not long.", "The Nile is not long.", False),
        ("The claim that he lied was heard in court.", "The claim that he lied was heard in court.", False),
        ("It is not true that", "It is not true that", False),
    ],
)
def test_what_a_claim_states_without_the_words_that_deny_it(claim: str, content: str, denied: bool) -> None:
    found = content_of(claim)
    assert (found.text, found.denied) == (content, denied)
    assert claim[found.start : found.start + len(found.text)] == found.text


def test_turning_exchanges_the_sides_only() -> None:
    shares = {Label.SUPPORTED: 0.6, Label.REFUTED: 0.1, Label.NOT_ENOUGH_EVIDENCE: 0.2, Label.CONFLICTING: 0.1}
    assert turned_probabilities(shares) == {**shares, Label.SUPPORTED: 0.1, Label.REFUTED: 0.6}
    assert [turned(stance) for stance in Stance] == [Stance.AGAINST, Stance.FOR, Stance.ABOUT, Stance.UNRELATED]
