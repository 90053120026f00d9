"""Quotations are compared as words with their speaker; rumours are denied or repeated."""

import pytest

from core.types import Document, Passage, PassageStance, Stance
from core.verification.stance.voices import SpokenWords, heard, quotation_in

PORT = "Lea Brandvik said: 'We have never sold a port, and we never will.'"
SALE = "The mill of Ottersund has been sold to a bank from Kesh."


def after(claim: str, text: str, stance: Stance, kind: str = "") -> PassageStance:
    """Return the stance of a text that a reader gave this stance."""
    one = PassageStance(Passage(Document("u", f"It rained. {text}"), 11, 11 + len(text)), stance, 0.7, "read so", kind)
    (found,) = heard(claim, [one])
    return found


@pytest.mark.parametrize(
    ("claim", "words", "speaker"),
    [
        (PORT, "We have never sold a port, and we never will.", "Lea Brandvik"),
        ('"The quay is our front door," wrote Josiah Pell, the founder.', "The quay is our front door,", "Josiah Pell"),
        (
            "Lea Brandvik told the Kesh Herald: “The port stays ours for ever.”",
            "The port stays ours for ever.",
            "Lea Brandvik",
        ),
    ],
)
def test_the_words_and_the_speaker_of_a_quotation_are_found(claim: str, words: str, speaker: str) -> None:
    assert quotation_in(claim) == SpokenWords(words, speaker)


@pytest.mark.parametrize(
    "claim", ["The port was not sold.", "The band “The Long Red Line of Hope” played.", "Lea Brandvik said “no”."]
)
def test_a_title_or_a_word_is_no_quotation(claim: str) -> None:
    assert quotation_in(claim) is None


@pytest.mark.parametrize("read", [Stance.FOR, Stance.ABOUT, Stance.AGAINST])
@pytest.mark.parametrize(
    "text",
    [
        "“We have never sold a port, and we never will,” said Tom Arden, head of the docks. Lea Brandvik left.",
        'The harbour master, Tom Arden, put it so: "We have never sold a port, and we never will."',
    ],
)
def test_another_speaker_of_the_same_words_is_against_a_quotation(text: str, read: Stance) -> None:
    found = after(PORT, text, read)
    assert (found.stance, found.kind) == (Stance.AGAINST, "name")
    assert found.reason.endswith("not to Lea Brandvik")
    marked = [found.passage.document.text[start:end] for start, end in found.spans]
    assert "Tom Arden" in marked
    assert [PORT[start:end] for start, end in found.claim_spans] == ["Lea Brandvik"]


@pytest.mark.parametrize(
    "text",
    [
        "“The port costs us too much,” said Lea Brandvik.",
        "Tom Arden said that ports should be sold.",
        "“We have never bought a mill, and we never will,” said Tom Arden.",
    ],
)
def test_another_opinion_is_not_against_a_quotation(text: str) -> None:
    assert after(PORT, text, Stance.AGAINST, "negation").stance is Stance.ABOUT
    assert after(PORT, text, Stance.AGAINST, "denial").stance is Stance.AGAINST


def test_the_same_words_of_the_same_speaker_are_for_a_quotation() -> None:
    text = "“We have never sold a port, and we never will,” Ms Brandvik told the council."
    assert after(PORT, text, Stance.ABOUT).stance is Stance.FOR
    assert after(PORT, text, Stance.FOR).reason == "read so"


@pytest.mark.parametrize("speaker", ["Dr. Morens", "Prof. Dr. A. Morens", "Gen. Morens"])
def test_a_title_before_a_speaker_ends_no_sentence(speaker: str) -> None:
    text = f'"Most of the deaths followed a second illness," says {speaker}.'
    claim = f'The reports agree: "Most of the deaths followed a second illness," says {speaker}.'
    assert after(claim, text, Stance.FOR).stance is Stance.FOR


def test_words_of_nobody_by_name_are_not_for_a_quotation() -> None:
    text = "“We have never sold a port, and we never will,” said the mayor of Kesh."
    assert after(PORT, text, Stance.FOR).stance is Stance.ABOUT


def test_a_denied_quotation_is_not_for_it() -> None:
    text = "“We have never sold a port, and we never will,” Lea Brandvik did not say: the letter is invented."
    assert after(PORT, text, Stance.ABOUT).stance is Stance.ABOUT


def test_changed_words_are_not_for_a_quotation() -> None:
    text = "“We have never bought a port, and we never will,” said Lea Brandvik."
    assert after(PORT, text, Stance.FOR).stance is Stance.ABOUT
    assert after(PORT, text, Stance.AGAINST, "antonym").stance is Stance.AGAINST


@pytest.mark.parametrize("read", [Stance.FOR, Stance.ABOUT])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "A message is going round that the mill of Ottersund has been sold to a bank. There was no such sale.",
            "There was no such sale.",
        ),
        (
            "Posts claim that the mill of Ottersund was sold to a bank from Kesh. They are false, the owner wrote.",
            "They are false, the owner wrote.",
        ),
        ("Rumours that the mill of Ottersund has been sold to a bank are untrue.", "Rumours that"),
    ],
)
def test_a_rumour_told_to_deny_it_is_against_the_claim(text: str, said: str, read: Stance) -> None:
    found = after(SALE, text, read)
    assert (found.stance, found.kind) == (Stance.AGAINST, "denial")
    assert found.reason.startswith(f"calls it false: “{said}")


def test_a_passage_that_leaves_the_claims_own_point_open_is_not_for_it() -> None:
    text = "The mill of Ottersund was closed. That a bank from Kesh bought it has been neither confirmed nor denied."
    found = after(SALE, text, Stance.FOR)
    assert found.stance is Stance.ABOUT
    assert found.reason.startswith("leaves it open:")
    closed = "The mill of Ottersund has been closed."
    assert after(closed, text, Stance.FOR).stance is Stance.FOR


def test_a_rumour_repeated_is_for_the_claim_and_named() -> None:
    text = "I have it from somebody who works there: the mill of Ottersund is sold to a bank from Kesh. It is a pity."
    found = after(SALE, text, Stance.FOR)
    assert found.stance is Stance.FOR
    assert found.reason.startswith("repeats it:")
    assert after(SALE, text, Stance.ABOUT).reason == "read so"


def test_a_claim_about_a_rumour_is_read_as_it_is() -> None:
    text = "A rumour says that the mill of Ottersund has been sold to a bank from Kesh. This is false."
    claim = "There is a rumour that the mill of Ottersund has been sold to a bank from Kesh."
    assert after(claim, text, Stance.FOR).stance is Stance.FOR
