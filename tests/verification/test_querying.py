"""What is searched for: further questions, queries for each question, imagined answers and articles."""

import json
from dataclasses import replace

import pytest

from core.errors import ModelError
from core.interfaces import Models, RunContext
from core.retrieval.index import Index
from core.types import Case, Evidence
from core.verification.steps.querying import (
    AskQuestions,
    DropSimilarQuestions,
    ImagineAnswers,
    ImagineArticles,
    WriteQueries,
)
from tests.fakes import TOWER, ScriptedModel, Training, WordEncoder
from tests.verification.test_steps import SettledJudge


def context_for(llm: ScriptedModel) -> RunContext:
    encoder = WordEncoder()
    return RunContext(Models(encoder, llm, SettledJudge()), Index([], encoder))


def questions(*texts: str) -> str:
    return json.dumps({"questions": texts})


def test_further_questions_are_asked_in_sight_of_the_answers() -> None:
    llm = ScriptedModel([questions("Who paid for it?")])
    case = Case(TOWER, evidence=(Evidence("When was it built?", "It was finished in 1889."),), queries=("old",))
    case = AskQuestions(count=2)(case, context_for(llm))
    assert case.queries == ("Who paid for it?",)  # the claim was searched in the first round
    assert "[1] Q: When was it built? A: It was finished in 1889." in llm.asked[0][-1].text


def test_questions_of_training_claims_stand_before_the_claim_in_place_of_ours() -> None:
    llm = ScriptedModel([questions("Who paid for it?", "When was it built?")] * 2)
    asking = AskQuestions(count=2, examples=2)
    context = context_for(llm)
    asking(Case(TOWER), replace(context, models=replace(context.models, examples=Training())))
    assert [(message.role, message.text) for message in llm.asked[0][1:-1]] == [
        ("user", "Claim: Claim 0.\nSpeaker: unknown\nDate: unknown"),
        ("assistant", '{"questions": ["Question 0?"]}'),
        ("user", "Claim: Claim 1.\nSpeaker: unknown\nDate: unknown"),
        ("assistant", '{"questions": ["Question 1?"]}'),
    ]
    asking(Case(TOWER), context_for(llm))
    assert "Eiffel" in llm.asked[-1][1].text  # without a training file ours stand there


def test_questions_like_those_asked_or_answered_are_dropped() -> None:
    case = Case(
        TOWER,
        queries=("who paid for it", "When was it built", "who paid for it then", "who drew it"),
        evidence=(Evidence("when was it built", "In 1889."),),
    )
    kept = DropSimilarQuestions(similarity=0.85)(case, context_for(ScriptedModel())).queries
    # 4 of 5 words shared gives 4 / sqrt(4 · 5) = 0.894; "who … it" gives 2 / sqrt(4 · 3) = 0.577
    assert kept == ("who paid for it", "who drew it")


def test_each_question_gets_queries_of_its_own() -> None:
    script = [
        json.dumps({"queries": ["tower date", "tower built", "tower date"]}),
        json.dumps({"queries": ["a b", "c d", "e f"]}),
    ]
    case = WriteQueries(count=3)(Case(TOWER, queries=("When?", "Why?")), context_for(ScriptedModel(script)))
    assert case.queries == ("tower date", "tower built", "When?", "a b", "c d", "e f")  # a repeated one gives way
    assert case.questions == ("When?", "When?", "When?", "Why?", "Why?", "Why?")


def test_an_imagined_answer_lengthens_the_query_and_is_no_evidence() -> None:
    llm = ScriptedModel(["In\n1889."])
    case = ImagineAnswers()(Case(TOWER, queries=("When?",)), context_for(llm))
    assert (case.queries, case.questions, case.evidence) == (("When? In 1889.",), ("When?",), ())


def test_articles_are_searched_beside_the_claim_as_one_question() -> None:
    llm = ScriptedModel(["The tower opened late.", "The tower opened late.", "Paris said no."])
    case = ImagineArticles(count=3)(Case(TOWER), context_for(llm))
    claim = TOWER.text
    assert case.queries == (claim, f"{claim} The tower opened late.", f"{claim} Paris said no.")
    assert case.questions == (claim,) * 3
    assert [completion.seed for completion in case.completions] == [0, 1, 2]


class FailsAtTheSecond(ScriptedModel):
    def generate(self, *args: object, **options: object):  # type: ignore[no-untyped-def, override]
        if self.asked:
            raise ModelError("The process ended.")
        return super().generate(*args, **options)  # type: ignore[arg-type]


def test_a_failed_generation_never_repeats_the_answer_before_it() -> None:
    # A published system handed in the previous claim's answer where a generation failed.
    with pytest.raises(ModelError, match=r"The process ended\."):
        ImagineAnswers()(Case(TOWER, queries=("When?", "Why?")), context_for(FailsAtTheSecond(["In 1889."])))
