import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.annotations import GoldClaim, PredictedEvidence, Prediction
from core.averitec.answer_files import AnswerRecord, answer_problems, holds_answers, parse_answers, parse_key
from core.errors import BadInput, BadRecord
from core.llm.caching import CallCache
from core.scoring.items import ItemScore, ItemStatus, mean_score
from core.scoring.leaderboard import report_answers
from core.scoring.metrics.answers import (
    CORRECTNESS,
    FAITHFULNESS,
    NO_CORRECT_ANSWER,
    RANGES,
    AnswerCase,
    AnswerScores,
    correctness,
    faithfulness,
    judge_answer,
)
from core.scoring.metrics.judgements import JudgeModel
from core.types import Claim, Label, Prompt
from tests.fakes import Reader


@pytest.mark.parametrize(
    ("coverage", "relevance", "expected"), [(1, 1, 2), (1, 0, 1), (0, 0, -1), (0, 1, -1), (0.5, 0.5, 0.25)]
)
def test_correctness_meets_the_guidelines_points(coverage: float, relevance: float, expected: float) -> None:
    assert correctness(coverage, relevance) == expected


@given(st.floats(0, 1), st.floats(0, 1))
def test_correctness_stays_on_its_scale(coverage: float, relevance: float) -> None:
    assert -1 <= correctness(coverage, relevance) <= 2


def test_faithfulness_meets_the_guidelines_points() -> None:
    assert [faithfulness(share) for share in (1.0, 0.5, 0.0)] == [1, 0, -1]


CASE = AnswerCase("0", "what of the bridge", "the bridge fell. nobody was hurt", "the bridge fell. it rained")


def test_an_answer_is_judged_fact_by_fact(kept: CallCache) -> None:
    # Reader finds a fact where its words stand before it. Vital: both facts of the correct answer; covered: the
    # first. Relevant: none stands in the question.
    case = AnswerCase(**{**CASE.__dict__, "passages": ("it rained and rained", "they say the bridge fell")})
    found = judge_answer(case, JudgeModel(Reader(), kept), words=100)
    assert (found.coverage, found.relevance, found.grounded) == (0.5, 0.0, 1.0)
    assert [(f.side, f.fact, f.supported) for f in found.facts][:2] == [
        ("vital", "the bridge fell", True),
        ("vital", "nobody was hurt", False),
    ]


def values(scores: AnswerScores, *cases: AnswerCase) -> dict[tuple[str, str], ItemScore]:
    return {(item.claim_id, item.metric): item for item in scores.measure_cases(cases).items}


def test_only_300_words_and_10_passages_count(kept: CallCache) -> None:
    late = AnswerCase("0", "q", "the bridge fell", "so " * 300 + "the bridge fell")
    eleventh = AnswerCase("1", "q", "the bridge fell", "the bridge fell", ("no",) * 10 + ("the bridge fell",))
    found = values(AnswerScores(Reader(), kept), late, eleventh)
    assert found["0", CORRECTNESS].value == -1.0
    assert found["1", FAITHFULNESS].value == -1.0


def test_no_answer_is_0_and_partial_submissions_are_accepted(kept: CallCache) -> None:
    none = AnswerCase("0", "q", "a fact", None)
    blank = AnswerCase("1", "q", "a fact", "  ")
    found = values(AnswerScores(Reader(), kept), none, blank)
    assert (found["0", CORRECTNESS].value, found["0", CORRECTNESS].status) == (0.0, ItemStatus.MISSING)
    assert (found["1", CORRECTNESS].value, found["1", CORRECTNESS].status) == (0.0, ItemStatus.SCORED)
    assert found["1", FAITHFULNESS].status is ItemStatus.UNSCORED


def test_a_failed_judgement_is_unscored_and_the_bounds_know_the_scale(kept: CallCache) -> None:
    def nonsense(prompt: Prompt) -> str:
        return "nonsense"

    found = values(AnswerScores(Reader(reply=nonsense), kept), CASE)
    assert found["0", CORRECTNESS].status is ItemStatus.UNSCORED
    score = mean_score([found["0", CORRECTNESS], ItemScore("1", CORRECTNESS, 2.0)], "", bounds=RANGES[CORRECTNESS])
    assert (score.lower, score.upper) == (0.5, 2.0)


def test_justifications_of_claims_are_answers(kept: CallCache) -> None:
    gold = [GoldClaim(Claim("c", id="0"), Label.REFUTED, (), justification="the bridge fell")]
    evidence = (PredictedEvidence("what?", "the bridge fell"),)
    prediction = Prediction("0", "c", None, evidence, justification="the bridge fell")
    measured = AnswerScores(Reader(), kept).measure(gold, {"0": prediction})
    found = {item.metric: item.value for item in measured.items}
    assert found[FAITHFULNESS] == 1.0
    assert found["answers:coverage"] == 1.0


def test_answer_files_are_read_with_passages_in_both_forms(kept: CallCache) -> None:
    rows = [
        {"id": 7, "question": "q", "answer": "a", "passages": [{"passage": "p", "doc_IDs": ["x"]}, "r"]},
        {"question_id": "1", "question": "s", "answer": None},
    ]
    content = "\n".join(json.dumps(row) for row in rows).encode()
    assert holds_answers("a.jsonl", content)
    given = parse_answers("a.jsonl", content)
    assert given == [AnswerRecord("7", "q", "a", ("p", "r")), AnswerRecord("1", "s", "", ())]
    key = [AnswerRecord("7", "q", "a"), AnswerRecord("8", "t", "b")]
    assert [problem.where for problem in answer_problems(given, key)] == ["id 8", "id 1"]
    report = report_answers("system", given, key, AnswerScores(Reader(), kept))
    score = report.score(CORRECTNESS)
    assert score.n_scored == 2
    assert report.documents == 1.0


def test_answers_to_another_key_are_refused_and_not_scored_0(kept: CallCache) -> None:
    key = [AnswerRecord("1", "q", "a")]
    with pytest.raises(BadInput, match="shares no id"):
        report_answers("system", [AnswerRecord("7", "q", "a")], key, AnswerScores(Reader(), kept))


def test_only_the_key_may_leave_ids_to_the_order_of_its_questions() -> None:
    rows = [{"id": 7, "question": "q", "answer": "a"}, {"question": "s", "answer": "b"}]
    content = json.dumps(rows).encode()
    assert [record.id for record in parse_key("key.json", content)] == ["7", "1"]
    with pytest.raises(BadRecord, match=r"a\.json: record 1 "):
        parse_answers("a.json", content)


def test_gold_claims_are_not_taken_for_answers() -> None:
    assert not holds_answers("g.json", b'[{"claim": "c", "label": "Refuted", "questions": []}]')


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"id": True}, "record 0: 'id' must be"),
        ({"id": 1, "answer": 5}, r"record 0 \(id 1\): 'answer' must be text, got int"),
        ({"id": 1, "passages": "p"}, "'passages' must be a list, got str"),
        ({"id": 1, "passages": [3]}, "each passage must be text"),
    ],
)
def test_bad_answer_records_are_refused_naming_the_field(row: dict[str, object], words: str) -> None:
    with pytest.raises(BadRecord, match=words):
        parse_answers("a.json", json.dumps([row]).encode())


def test_without_a_correct_answer_faithfulness_is_judged_alone_and_ranks(kept: CallCache) -> None:
    case = AnswerCase("0", "q", "", "the bridge fell. it rained", ("they say the bridge fell",))
    measured = AnswerScores(Reader(), kept).measure_cases([case])
    found = {item.metric: item for item in measured.items}
    assert (found[FAITHFULNESS].value, measured.main) == (0.0, FAITHFULNESS)
    assert (found[CORRECTNESS].value, found[CORRECTNESS].reason) == (None, NO_CORRECT_ANSWER)
