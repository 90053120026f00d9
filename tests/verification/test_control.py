"""Rounds, and adapters."""

import json
from dataclasses import dataclass, field, replace

import pytest

from core.errors import ModelError
from core.interfaces import RunContext
from core.types import Case, Label, Verdict
from core.verification.steps.answering import AnswerQuestions
from core.verification.steps.control import Repeat, UnlessDecided, WithAdapter
from core.verification.steps.judging import PredictVeracity
from core.verification.steps.querying import AskQuestions, DropSimilarQuestions
from core.verification.steps.retrieving import Retrieve
from tests.fakes import TOWER, ScriptedModel
from tests.verification.test_steps import context_for

ROUND = (AskQuestions(count=1), DropSimilarQuestions(), Retrieve(), AnswerQuestions(), PredictVeracity())


@dataclass
class ScriptedJudge:
    """Comes to these labels, one after the other."""

    labels: list[Label]
    seen: list[int] = field(default_factory=list)

    def verdict(self, case: Case, context: RunContext) -> Verdict:
        self.seen.append(len(case.evidence))
        label = self.labels.pop(0)
        return Verdict({each: 1.0 if each is label else 0.0 for each in Label}, "scripted", 0.5)


def question(text: str) -> str:
    return json.dumps({"questions": [text]})


def answer(text: str) -> str:
    return json.dumps({"source": 1, "answer": text})


MISSING = Label.NOT_ENOUGH_EVIDENCE
SCRIPT = [
    question("Was the tower finished?"),
    answer("The tower was finished in 1889."),
    question("Who painted the bridge?"),
    answer("The bridge was finished in 1937."),
    question("Is it painted every year?"),
    answer("The tower is painted every seven years."),
]


def judged_by(judge: ScriptedJudge, script: list[str]) -> RunContext:
    context = context_for(ScriptedModel(list(script)))
    return replace(context, models=replace(context.models, judge=judge))


def run(judge: ScriptedJudge, script: list[str], rounds: int = 3) -> tuple[Case, list[str]]:
    said: list[str] = []
    context = replace(judged_by(judge, script), report=said.append)
    return Repeat(ROUND, rounds)(Case(TOWER), context), said


def test_asking_goes_on_while_there_is_not_enough_evidence() -> None:
    judge = ScriptedJudge([MISSING, Label.REFUTED])
    case, said = run(judge, SCRIPT)
    assert judge.seen == [1, 2]
    assert [pair.question for pair in case.evidence] == ["Was the tower finished?", "Who painted the bridge?"]
    assert case.verdict.label is Label.REFUTED
    assert [note[:17] for note in case.notes[-2:]] == ["Round 1: 1 answer", "Round 2: 1 answer"]
    assert any(one.startswith("round 2 (at most") for one in said)


def test_the_rounds_have_an_end() -> None:
    judge = ScriptedJudge([MISSING] * 3)
    case, _ = run(judge, SCRIPT, rounds=2)
    assert judge.seen == [1, 2]
    assert case.verdict.label is MISSING


def test_a_round_weighs_its_evidence_though_the_round_before_was_decided() -> None:
    judge = ScriptedJudge([MISSING, Label.REFUTED])
    context = judged_by(judge, SCRIPT)
    case = Repeat((*ROUND[:-1], UnlessDecided(PredictVeracity())))(Case(TOWER), context)
    assert judge.seen == [1, 2]
    assert case.verdict.label is Label.REFUTED


def test_a_round_that_asks_nothing_new_is_the_last() -> None:
    judge = ScriptedJudge([MISSING] * 3)
    script = [SCRIPT[0], SCRIPT[1], SCRIPT[0], SCRIPT[1]]
    case, _ = run(judge, script)
    assert judge.seen == [1, 1]
    assert case.notes[-1].startswith("Round 2: 0 answers")


def test_what_all_rounds_searched_and_found_is_kept() -> None:
    case, _ = run(ScriptedJudge([MISSING, Label.REFUTED]), SCRIPT)
    assert case.queries == ("Was the tower finished?", "Who painted the bridge?")
    assert case.questions == case.queries
    assert [ranking.query for ranking in case.rankings] == list(case.queries)
    assert [hit.rank for hit in case.hits] == list(range(1, len(case.hits) + 1))
    assert len({hit.passage for hit in case.hits}) == len(case.hits) == 3


def test_an_adapter_for_a_model_on_a_server_is_refused_in_a_sentence() -> None:
    step = WithAdapter(AskQuestions(), "/models/ask.gguf")
    with pytest.raises(ModelError, match=r"adapter ask\.gguf"):
        step(Case(TOWER), context_for(ScriptedModel()))
