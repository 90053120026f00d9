"""The judge of questions that comes with the program, on questions that it was not fitted on."""

import json

import numpy as np
import pytest

from core.dataclass_json import from_json
from core.retrieval.dense import SentenceEncoder, load_encoder
from core.verification.question_judge import (
    ASKED,
    DraftQuestion,
    QuestionJudge,
    asked_for,
    judge_json,
    load_question_judge,
)
from core.verification.questions import AskedQuestions
from tests.fakes import WordEncoder

CLAIM = "The Eiffel Tower was finished in 1920."
PASSAGE = "Work on the Eiffel Tower ended in March 1889, said the company of Gustave Eiffel."
GOOD = DraftQuestion("When did work on the Eiffel Tower end?", PASSAGE, "March 1889", CLAIM)
BAD = (
    DraftQuestion("When was the Great Wall of China repaired?", PASSAGE, "March 1889", CLAIM),  # another text
    DraftQuestion("What does the passage say about it?", PASSAGE, "March 1889", CLAIM),
    DraftQuestion("Who Eiffel of on the Tower the did?", PASSAGE, "March 1889", CLAIM),
    DraftQuestion("When did work on the Eiffel Tower end?", PASSAGE, "March 1889", "Butter is healthier than oil."),
    DraftQuestion(
        "When did work on the Eiffel Tower end?", "The bakery in Lyon sold 310 loaves of bread.", "310 loaves", CLAIM
    ),
)


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    return load_encoder()


def test_a_good_question_is_accepted_and_bad_ones_are_refused(encoder: SentenceEncoder) -> None:
    judge = load_question_judge()
    assert judge.accepts([GOOD, *BAD], encoder) == [True, False, False, False, False, False]


def test_each_part_of_the_judgement_is_a_probability(encoder: SentenceEncoder) -> None:
    rows = load_question_judge().probabilities([GOOD, *BAD], encoder)
    assert rows.shape == (6, 3)
    assert ((rows > 0) & (rows < 1)).all()
    alone = load_question_judge().probabilities([GOOD], encoder)
    assert np.allclose(alone[0], rows[0], atol=0.02)  # vectors in batches differ in their last digits
    assert load_question_judge().accepts([], encoder) == []


@pytest.mark.parametrize("text", ["", "?", "1 2 3?", "if (a) { b(); }?", "¿Qué?", "\u202e?", "a " * 500 + "?"])
def test_any_text_can_be_judged(encoder: SentenceEncoder, text: str) -> None:
    drafts = [DraftQuestion(text, text, text, text), DraftQuestion(text, "")]
    assert np.isfinite(load_question_judge().probabilities(drafts, encoder)).all()


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who won?", "who"),
        ("In which year was it built?", "which"),
        ("How many people came?", "how many"),
        ("How was it built?", "how"),
        ("Was it built in 1889?", "yes or no"),
        ("Name the tower?", "other"),
        ("", "other"),
    ],
)
def test_questions_are_told_apart_by_their_first_words(question: str, kind: str) -> None:
    assert asked_for(question) == kind
    assert kind in ASKED


def test_a_judge_is_read_as_it_was_written_and_names_its_sources() -> None:
    judge = load_question_judge()
    assert from_json(json.loads(judge_json(judge)), QuestionJudge) == judge
    assert any("SQuAD" in source for source in judge.sources)
    assert judge.licence == "cc-by-sa-4.0"
    assert "question-judge" in judge.command


def test_questions_are_judged_only_with_the_vectors_that_the_judge_knows(encoder: SentenceEncoder) -> None:
    other = DraftQuestion("When did the Tower Eiffel of on the work end?", PASSAGE, "March 1889", CLAIM)
    drafts = [GOOD, BAD[4], other]
    assert AskedQuestions(CLAIM, encoder).taken(drafts)[1] == ""
    assert AskedQuestions(CLAIM, WordEncoder()).taken(drafts)[0] == GOOD.question
