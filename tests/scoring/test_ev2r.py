import json

import pytest

from core.annotations import GoldAnswer, GoldClaim, GoldQuestion, PredictedEvidence, Prediction
from core.errors import Cancelled, ModelError
from core.llm.caching import CallCache
from core.scoring.items import ItemScore, ItemStatus
from core.scoring.metrics.ev2r import (
    RULES,
    compare_officially,
    compare_questions,
    compare_stepwise,
    counts_schema,
    first_words,
    numbered,
)
from core.scoring.metrics.ev2r_metric import PAIRS, Ev2r
from core.scoring.metrics.judgements import JudgementFailed, JudgeModel
from core.scoring.metrics.metric import Measured
from core.scoring.progress import ProgressMonitor
from core.types import Claim, Label, Prompt
from tests.fakes import Reader

REFERENCE = [("What happened?", "It rained. The bridge fell"), ("When?", "In May")]


def test_recall_and_precision_count_the_facts_the_other_side_contains(kept: CallCache) -> None:
    predicted = [("So?", "It rained. Nobody was hurt"), ("Then?", "the bridge fell down")]
    found = compare_stepwise(REFERENCE, predicted, JudgeModel(Reader(), kept), words=100, precision=True)
    assert found.recall == pytest.approx(2 / 3)  # "In May" is not there
    assert found.precision == pytest.approx(1 / 3)
    assert found.f1 == pytest.approx(2 * (2 / 3) * (1 / 3))
    assert [(fact.fact, fact.supported) for fact in found.facts if fact.side == "reference"] == [
        ("It rained", True),
        ("The bridge fell", True),
        ("In May", False),
    ]


def test_nothing_predicted_has_no_recall_and_asks_nobody(kept: CallCache) -> None:
    reader = Reader()
    assert compare_stepwise(REFERENCE, [], JudgeModel(reader, kept), words=100, precision=True).recall == 0.0
    assert compare_questions(["When?"], [" "], JudgeModel(reader, kept), words=100).recall == 0.0
    assert reader.asked == []


def test_questions_are_their_own_facts(kept: CallCache) -> None:
    found = compare_questions(["When?", "Who?"], ["who? and where"], JudgeModel(Reader(), kept), words=100)
    assert found.recall == 0.5


def test_the_same_question_to_the_same_model_is_asked_once(kept: CallCache) -> None:
    first, again, other = Reader(), Reader(), Reader(digest="e" * 64)
    for reader in (first, again, other):
        compare_stepwise(REFERENCE, [("q", "It rained")], JudgeModel(reader, kept), words=100, precision=False)
    assert len(first.asked) == 5  # two pairs split, three facts judged
    assert again.asked == []
    assert len(other.asked) == 5


def test_a_seed_counts_only_with_a_temperature(kept: CallCache) -> None:
    reader = Reader()
    for temperature, seed in ((0.0, 1), (0.0, 2), (0.7, 1), (0.7, 2)):
        judge = JudgeModel(reader, kept, temperature, seed)
        compare_stepwise([("q", "a b")], [("q", "a b")], judge, words=100, precision=False)
    assert len(reader.asked) == 1 + 2 + 1  # the split at 0, twice at 0.7, and one judgement


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("yes I think so", "JSON"),
        ("[]", "no reference facts"),
        ('{"reference_facts": [], "reference_supported": 0}', "no reference facts"),
        ('{"reference_facts": ["a"], "reference_supported": true}', "no reference facts"),
        ('{"reference_facts": ["a"], "reference_supported": 2}', "2 of 1 reference facts"),
        (
            '{"reference_facts": ["a"], "reference_supported": 1, "predicted_facts": [], "predicted_supported": 0}',
            "no predicted facts",
        ),
    ],
)
def test_an_official_answer_that_does_not_add_up_is_a_failure_never_a_zero(
    reply: str, reason: str, kept: CallCache
) -> None:
    with pytest.raises(JudgementFailed, match=reason):
        compare_officially("c", REFERENCE, [("q", "a")], JudgeModel(Reader(reply=lambda _: reply), kept), words=100)


def test_the_official_way_reads_counts(kept: CallCache) -> None:
    counts = {
        "reference_facts": ["a", "b", "c", "d"],
        "reference_supported": 3,
        "predicted_facts": ["a", "b"],
        "predicted_supported": 1,
    }
    reader = Reader(reply=lambda _: json.dumps(counts))
    found = compare_officially("the claim", REFERENCE, [("q", "a")], JudgeModel(reader, kept), words=100)
    assert (found.recall, found.precision) == (0.75, 0.5)
    assert "the claim" in reader.asked[0][-1].text


def test_the_rules_differ_at_the_threshold() -> None:
    assert {name: [rule(0.46), rule(0.47), rule(0.5), rule(0.51)] for name, rule in RULES.items()} == {
        ">0.5": [False, False, False, True],
        ">=0.5": [False, False, True, True],
        ">0.46": [False, True, True, True],
    }


def test_evidence_is_cut_to_an_equal_share_of_the_words() -> None:
    assert first_words("a b\nc d", 3) == "a b c …"
    assert numbered([("q", "a b c d e f g h i"), ("r", "s")], 20) == "[1] q a b c d e f g h i\n[2] r s"
    assert numbered([("q", " ".join("a" * 30))] * 2, 20).count("…") == 2


def gold(claim_id: str, *pairs: tuple[str, str]) -> GoldClaim:
    questions = tuple(GoldQuestion(question, (GoldAnswer(answer),)) for question, answer in pairs)
    return GoldClaim(Claim(f"claim {claim_id}", id=claim_id), Label.REFUTED, questions)


def predicted(claim_id: str, *answers: str, label: Label = Label.REFUTED) -> Prediction:
    return Prediction(claim_id, "", label, tuple(PredictedEvidence("q?", answer) for answer in answers))


def values(metric: Ev2r, claims: list[GoldClaim], predictions: list[Prediction]) -> dict[tuple[str, str], ItemScore]:
    measured = metric.measure(claims, {p.claim_id: p for p in predictions})
    return {(item.claim_id, item.metric): item for item in measured.items}


def test_a_submission_is_scored_by_id_under_every_rule(kept: CallCache) -> None:
    claims = [gold("0", ("q?", "It rained. It snowed")), gold("1", ("q?", "In May")), gold("2"), gold("3", ("q?", "x"))]
    predictions = [predicted("1", "in may"), predicted("0", "it rained"), predicted("2", "a")]
    found = values(Ev2r(Reader(), kept), claims, predictions)
    assert found["0", "ev2r:q+a"].value == 0.5
    assert [found["0", f"ev2r:averitec{rule}"].value for rule in RULES] == [0.0, 1.0, 1.0]
    assert found["1", "ev2r:averitec>0.5"].value == 1.0
    assert found["0", "ev2r:precision"].value == 1.0
    assert found["2", "ev2r:q+a"].status is ItemStatus.UNSCORED
    assert (found["3", "ev2r:q+a"].value, found["3", "ev2r:q+a"].status) == (0.0, ItemStatus.MISSING)


def test_only_the_first_ten_pairs_are_judged(kept: CallCache) -> None:
    answers = ["nothing"] * 10 + ["in may"]
    found = values(Ev2r(Reader(), kept), [gold("0", ("q?", "In May"))], [predicted("0", *answers)])
    assert found["0", "ev2r:q+a"].value == 0.0


def test_a_failed_judgement_is_unscored_and_asked_again_next_time(kept: CallCache) -> None:
    claims, predictions = [gold("0", ("q?", "In May"))], [predicted("0", "in may")]
    failed = values(Ev2r(Reader(reply=lambda _: "nonsense"), kept), claims, predictions)
    item = failed["0", "ev2r:q+a"]
    assert (item.value, item.status) == (None, ItemStatus.UNSCORED)
    assert "JSON" in item.reason
    assert failed["0", "ev2r:averitec>0.5"].status is ItemStatus.UNSCORED
    assert values(Ev2r(Reader(), kept), claims, predictions)["0", "ev2r:q+a"].value == 1.0


def test_an_answer_that_does_not_add_up_is_not_kept_and_is_asked_again_with_other_chances(kept: CallCache) -> None:
    claims, predictions = [gold("0", ("q?", "In May"))], {"0": predicted("0", "in may")}
    too_many = (
        '{"reference_facts": ["a"], "reference_supported": 2, "predicted_facts": ["a"], "predicted_supported": 1}'
    )
    wrong, right = Reader(reply=lambda _: too_many), Reader(reply=lambda _: too_many.replace("2", "1"))
    first = Ev2r(wrong, kept, "official").measure(claims, predictions)
    assert {item.status for item in first.items if item.metric == PAIRS} == {ItemStatus.UNSCORED}
    again = Ev2r(right, kept, "official", attempt=1)
    assert {item.value for item in again.measure(claims, predictions).items if item.metric == PAIRS} == {1.0}
    assert right.temperatures == [0.7, 0.7]  # the pairs and the questions
    assert "attempts:2" in again.signature
    once_more = Reader(reply=lambda _: "nonsense")
    Ev2r(once_more, kept, "official", attempt=2).measure(claims, predictions)
    assert once_more.asked == []


def test_the_official_way_gives_precision_whether_asked_for_or_not(kept: CallCache) -> None:
    counts = {
        "reference_facts": ["a", "b"],
        "reference_supported": 2,
        "predicted_facts": ["a", "b", "c", "d"],
        "predicted_supported": 1,
    }
    metric = Ev2r(Reader(reply=lambda _: json.dumps(counts)), kept, "official", precision=False)
    found = values(metric, [gold("0", ("q?", "x"))], [predicted("0", "y")])
    assert [found["0", name].value for name in ("ev2r:q+a", "ev2r:precision", "ev2r:f1")] == [1.0, 0.25, 0.4]


def test_failed_questions_do_not_unscore_the_pairs(kept: CallCache) -> None:
    def only_pairs(prompt: Prompt) -> str:
        text = prompt[-1].text
        good = {"reference_facts": ["a"], "reference_supported": 1, "predicted_facts": ["a"], "predicted_supported": 1}
        return json.dumps(good) if "In May" in text else "nonsense"

    found = values(
        Ev2r(Reader(reply=only_pairs), kept, "official"), [gold("0", ("q?", "In May"))], [predicted("0", "in may")]
    )
    assert found["0", PAIRS].value == 1.0
    assert found["0", "ev2r:averitec>0.5"].value == 1.0
    assert found["0", "ev2r:q"].status is ItemStatus.UNSCORED


def test_a_small_model_has_room_for_as_many_facts_as_the_evidence_can_hold() -> None:
    schema = counts_schema(4, 8)["properties"]
    assert schema["reference_facts"]["maxItems"] == schema["reference_supported"]["maximum"] == 4
    assert schema["predicted_facts"]["maxItems"] == schema["predicted_supported"]["maximum"] == 8


def test_a_judge_that_is_gone_ends_the_run_after_five_claims_and_it_can_be_resumed(kept: CallCache) -> None:
    claims = [gold(str(i), ("q?", f"fact {i}")) for i in range(8)]
    predictions = [predicted(str(i), f"fact {i}") for i in range(8)]

    def gone(prompt: Prompt) -> str:
        if "fact 0" in prompt[-1].text or "fact 1" in prompt[-1].text:
            return '{"facts": ["fact"]}'
        raise ModelError("The server does not answer.")

    with pytest.raises(ModelError, match=r"5 claims .*does not answer"):
        values(Ev2r(Reader(reply=gone), kept, precision=False), claims, predictions)
    back = Reader()
    values(Ev2r(back, kept, precision=False), claims, predictions)
    assert not any("fact 0" in call[-1].text for call in back.asked)


def test_repeated_judging_gives_means_and_the_deviation_between_seeds(kept: CallCache) -> None:
    class Moody(Reader):
        def said(self, prompt: Prompt, seed: int) -> str:
            return json.dumps({"facts": ["in may" if seed == 0 else "in june"]})

    metric = Ev2r(Moody(), kept, seeds=(0, 1), precision=False)
    measured = metric.measure([gold("0", ("q?", "x"))], {"0": predicted("0", "in may")})
    assert next(item.value for item in measured.items if item.metric == PAIRS) == 0.5
    deviation = {score.metric: score.value for score in measured.other_scores}
    assert deviation["ev2r:q+a:sd"] == pytest.approx(0.5**0.5)  # of 1 and 0, with n - 1
    assert deviation["ev2r:averitec>0.5:sd"] == pytest.approx(0.5**0.5)
    assert "seeds:0,1" in metric.signature


def test_the_deviation_is_over_the_claims_that_every_seed_scored(kept: CallCache) -> None:
    class Moody(Reader):
        def said(self, prompt: Prompt, seed: int) -> str:
            if "hard" in prompt[-1].text:
                return json.dumps({"facts": ["in june"]}) if seed == 0 else "nonsense"
            return json.dumps({"facts": ["in may"]})

    metric = Ev2r(Moody(), kept, seeds=(0, 1), precision=False)
    claims = [gold("0", ("q?", "easy")), gold("1", ("q?", "hard"))]
    measured = metric.measure(claims, {i: predicted(i, "in may") for i in "01"})
    deviation = {score.metric: (score.value, score.n_scored) for score in measured.other_scores}
    assert deviation["ev2r:q+a:sd"] == (0.0, 1)


def test_scoring_stops_between_claims(kept: CallCache) -> None:
    with pytest.raises(Cancelled):
        Ev2r(Reader(), kept).measure([gold("0", ("q?", "x"))], {}, ProgressMonitor(stop=lambda: True))


def test_the_signature_names_judge_way_words_and_each_scores_own_rule(kept: CallCache) -> None:
    metric = Ev2r(Reader(), kept, way="official", rule=">=0.5")
    expected = "ev2r|veridesk-1|way:official|pairs:first-10|words:819|judge:reader|sha256:dddddddddddd|seeds:0"
    assert metric.signature == expected
    measured = Measured((), metric.signature, "ev2r:averitec>=0.5")
    assert measured.signature_of("ev2r:averitec>0.46") == f"{expected}|rule:evidence>0.46"
    assert measured.signature_of("ev2r:q+a") == expected
