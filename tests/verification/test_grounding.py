import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.verification.steps.answering import content_words, stands_in

PASSAGE = "The tower was put up between 1887 and 1889, as the entrance to the World's Fair."


@pytest.mark.parametrize(
    ("answer", "stands"),
    [
        ("The tower was put up in 1889.", True),
        ("It was the entrance to the fair.", True),
        ("The tower was put up in 1925.", False),  # another number
        ("A dragon lives under the entrance.", False),  # one word in three
        ("", False),
        ("It is.", False),
    ],
)
def test_an_answer_shares_numbers_and_most_words_with_its_passage(answer: str, stands: bool) -> None:
    assert stands_in(answer, PASSAGE, share=0.7) is stands


def test_an_answer_that_only_repeats_its_question_says_nothing() -> None:
    question = "Was the tower put up in 1889?"
    assert not stands_in("The tower was put up in 1889.", PASSAGE, share=0.7, question=question)
    assert stands_in("The tower was put up between 1887 and 1889.", PASSAGE, share=0.7, question=question)


def test_the_share_counts_terms_by_hand() -> None:
    # tower, put, entrance stand there; dragon does not: three of four.
    assert stands_in("Tower put entrance dragon", PASSAGE, share=0.75)
    assert not stands_in("Tower put entrance dragon", PASSAGE, share=0.76)


@given(st.text(alphabet="abc 12", max_size=30), st.floats(0, 1))
def test_a_quotation_always_stands_in_its_passage(text: str, share: float) -> None:
    if content_words(text):
        assert stands_in(text, f"before {text} after", share=share)
