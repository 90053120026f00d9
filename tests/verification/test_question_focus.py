"""The words of a passage that a question asks for."""

import pytest

from core.types import Document, Passage, PassageStance, Stance
from core.verification.question_focus import best_words, candidates_of, focus_of, kind_of


def passage(text: str) -> Passage:
    return Passage(Document("https://example.org/x", text), 0, len(text))


def stance(text: str, words: str, side: Stance) -> PassageStance:
    at = text.index(words)
    return PassageStance(passage(text), side, 0.9, "", "number", ((at, at + len(words)),))


@pytest.mark.parametrize(
    ("claim", "text", "words", "kind"),
    [
        ("The tower was built in 1920.", "It was put up between 1887 and 1889 for a fair.", "1887 and 1889", "date"),
        ("The shop was closed.", "The shop was closed because the roof leaked, it said.", "the roof leaked", "reason"),
        ("The city has few trees.", "The city planted 4,200 trees last year.", "4,200 trees", "number"),
        (
            "Finland won the race.",
            "The race was won by Marita Lindqvist of Norway.",
            "Marita Lindqvist of Norway",
            "name",
        ),
        ("Hot water cures colds.", "Warm drinks may ease a sore throat.", "sore throat", "phrase"),
    ],
)
def test_numbers_dates_reasons_and_names_are_asked_for(claim: str, text: str, words: str, kind: str) -> None:
    found = focus_of(claim, passage(text))
    assert (found.span, found.kind) == (words, kind)


def test_the_words_that_decided_a_stance_come_before_all_others() -> None:
    text = "On 3 May 2020 the council said that 310 homes were built by Hobart Lane Ltd."
    found = focus_of("The council built 500 homes.", passage(text), stance(text, "310", Stance.AGAINST))
    assert found.span == "310 homes"


def test_a_name_that_the_claim_is_about_is_not_asked_for() -> None:
    words, kind = best_words("Anna Ruhl chairs the board.", "Anna Ruhl chairs the board with Peter Hahn.")
    assert (words, kind) == ("Peter Hahn", "name")


def test_the_sentence_is_the_one_with_the_marked_words_and_what_is_before_it_as_far_as_there_is_room() -> None:
    text = "The school opened in May. It has 310 pupils. The road is closed."
    found = focus_of("The school has 500 pupils.", passage(text), stance(text, "310", Stance.AGAINST))
    assert found.text == "The school opened in May. It has 310 pupils."
    long = " ".join(["Nothing of note was said at great length."] * 20)
    cut = focus_of("The school has 500 pupils.", passage(f"{long} It has 310 pupils."), longest=20)
    assert cut.text.endswith("It has 310 pupils.")
    assert cut.text.startswith("Nothing")
    assert len(cut.text.split()) <= 20


def test_a_year_is_a_date_and_no_number() -> None:
    assert [kind for _, _, kind in candidates_of("of 1889")] == ["date", "phrase"]
    kinds = {"1889": "date", "12.4 million": "number", "": "", "12 May 2019": "date", "May": "phrase", "7:06": "number"}
    assert {words: kind_of(words) for words in kinds} == kinds


@pytest.mark.parametrize(
    "text", ["", " ", "x", "1 2 3", "中文没有空格的句子。", "for (;;) { a += b[i]; }", "\u202e!!", "No. " * 3000]
)
def test_any_text_has_a_focus_within_bounds(text: str) -> None:
    found = focus_of("The tower is old.", passage(text))
    assert found.span in found.text
    assert len(found.text.split()) <= 48
