"""Words that call something false, and words that only look so."""

import pytest

from core.verification.stance.denials import calls_false, denies


@pytest.mark.parametrize(
    "text",
    [
        "The story is a myth.",
        "It's pure nonsense, the ministry said.",
        "It is a myth that the bridge was opened in 1937.",
        "Posts falsely claim that the bridge was opened in 1937.",
        "Rated false by the paper.",
        "There is no evidence of it.",
        "The story that she climbed it dressed as a man was made up for a novel.",
    ],
)
def test_words_that_call_something_false_are_found(text: str) -> None:
    assert denies(text)


@pytest.mark.parametrize(
    "text",
    [
        "Mars is a science fiction film.",
        "He won the Pulitzer Prize for Fiction.",
        "He was wrongly court-martialled in 1971.",
        "The surgeon removed the wrong kidney.",
        "The report is not false.",
        "Her story was not made up.",
        "The telephone was invented in 1876.",
    ],
)
def test_words_of_a_genre_or_of_another_thing_deny_nothing(text: str) -> None:
    assert not denies(text)


@pytest.mark.parametrize(
    ("text", "points_back"),
    [
        ("The story is a hoax.", True),
        ("This was never true.", True),
        ("The story that she climbed it dressed as a man was made up.", False),
    ],
)
def test_a_sentence_calls_the_one_before_it_false_if_it_points_back(text: str, points_back: bool) -> None:
    assert calls_false(text) is points_back
