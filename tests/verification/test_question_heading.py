"""Questions that a model wrote, and that may not head a passage."""

import pytest

from core.retrieval.dense import load_encoder
from core.verification.question_heading import heading_questions
from core.verification.question_judge import DraftQuestion

FINE_CLAIM = "In England you can get a £3,000 fine for not wearing a cloth over your face."
FINE = "People who refuse to wear a face covering face a £100 fine."


def kept(draft: DraftQuestion, *, agrees: bool = False) -> bool:
    return bool(heading_questions([draft], [agrees], load_encoder()))


def test_a_question_on_the_claim_that_the_passage_answers_is_kept() -> None:
    assert kept(DraftQuestion("What is the fine for not wearing a face covering?", FINE, "£100", FINE_CLAIM))


@pytest.mark.parametrize(
    ("question", "passage", "span", "claim"),
    [
        (
            "What is Biden supporting a ban on fracking?",
            "Biden supported a ban.",
            "a ban",
            "They want to ban fracking.",
        ),
        ("What is the population of Nigeria predominantly rural?", "It is rural.", "", "52% of Nigeria's population."),
        ("What did Biden do?", "Biden backed them.", "", "Biden was endorsed by them."),
        ("Who was the World Food Program?", "Hunter was on the board.", "", "Hunter chaired the World Food Program."),
        ("When was military rule in 1966 to 1979?", "military rule from 1966 to 1979", "1966", "We had military rule."),
        (
            "When did Gates plan the pandemic?",
            "Some say that Gates planned it.",
            "years",
            "Gates planned the pandemic.",
        ),
        ("Who called the fine a £100 fine?", FINE, "£100 fine", FINE_CLAIM),
        ("When did Dr. Fauci become a household name?", "Fauci became known.", "1984", "Fauci is a democrat."),
        ("When did the cameras come to light?", "No faults came to light in 2022.", "2022", "Lights are cheaper."),
    ],
)
def test_a_question_that_breaks_a_rule_is_dropped(question: str, passage: str, span: str, claim: str) -> None:
    assert not kept(DraftQuestion(question, passage, span, claim))


def test_a_passage_that_agrees_grants_the_claims_words() -> None:
    draft = DraftQuestion(
        "When was the tower finished?", "The tower was finished in 1889.", "1889", "The tower was finished."
    )
    assert kept(draft, agrees=True)
    assert not kept(draft, agrees=False)
