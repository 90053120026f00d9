from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.annotations import NO_ANSWER, GoldAnswer, GoldClaim, GoldQuestion, PredictedEvidence, Prediction, Submission
from core.averitec.averitec import parse_submission
from core.errors import BadInput, Cancelled
from core.scoring.items import ItemScore, ItemStatus, claim_groups, group_scores, mean_score
from core.scoring.leaderboard import leaderboard, report_system
from core.scoring.metrics.hungarian_meteor import (
    PAIRS,
    QUESTIONS,
    best_matching,
    cut_at,
    evidence_gated,
    gold_strings,
    hungarian_meteor,
    matched_recall,
    predicted_strings,
    veracity_at,
)
from core.scoring.metrics.hungarian_meteor_metric import HungarianMeteor
from core.scoring.metrics.verdict import Verdicts, confusion, f1_scores, label_f1
from core.scoring.progress import ProgressMonitor
from core.types import Claim, Label


class Spaces:
    """Words between spaces; no stems, no synonyms."""

    signature = "test"

    def words(self, text: str) -> list[str]:
        return text.lower().split()

    def stems(self, words: Sequence[str]) -> list[str]:
        return list(words)

    def synonyms(self, stem: str) -> frozenset[str]:
        return frozenset()


def gold(
    claim_id: str, *pairs: tuple[str, str], label: Label = Label.REFUTED, types: tuple[str, ...] = ()
) -> GoldClaim:
    questions = tuple(GoldQuestion(question, (GoldAnswer(answer),)) for question, answer in pairs)
    return GoldClaim(Claim(f"claim {claim_id}", id=claim_id), label, questions, claim_types=types)


def predicted(claim_id: str, *pairs: tuple[str, str], label: Label | None = Label.REFUTED) -> Prediction:
    return Prediction(claim_id, "", label, tuple(PredictedEvidence(*pair) for pair in pairs))


def test_recall_is_the_best_one_to_one_sum_per_reference() -> None:
    similarity = np.array([[0.9, 0.8], [0.7, 0.1]])
    assert best_matching(similarity) == [(0, 1), (1, 0)]
    assert matched_recall(similarity) == pytest.approx((0.8 + 0.7) / 2)


def test_missed_references_count_as_zero_and_no_references_are_an_error() -> None:
    assert matched_recall(np.array([[0.6, 0.2]])) == pytest.approx(0.3)
    assert matched_recall(np.empty((0, 2))) == 0.0
    with pytest.raises(ValueError, match="undefined"):
        matched_recall(np.empty((2, 0)))


@given(st.permutations(range(4)), st.lists(st.floats(0, 1), min_size=12, max_size=12))
def test_the_order_of_predictions_does_not_matter(order: list[int], values: list[float]) -> None:
    similarity = np.array(values).reshape(4, 3)
    assert matched_recall(similarity[order]) == pytest.approx(matched_recall(similarity))


def test_strings_are_built_as_the_official_scorer_builds_them() -> None:
    boolean = GoldAnswer("No", kind="Boolean", explanation="It was open.")
    claim = GoldClaim(
        Claim("c", id="0"),
        Label.REFUTED,
        (GoldQuestion("Closed?", (boolean, GoldAnswer("Never"))), GoldQuestion("Why?", ())),
    )
    strings = gold_strings(claim)
    assert strings.questions == ("Closed?", "Why?")
    assert strings.pairs == ("Closed? No. It was open.", "Closed? Never", f"Why? {NO_ANSWER}")


def test_only_the_first_ten_predicted_pairs_count() -> None:
    evidence = [PredictedEvidence(f"q{i}", "a") for i in range(12)]
    assert predicted_strings(evidence).questions == tuple(f"q{i}" for i in range(10))


def test_scores_divide_by_references_not_by_characters() -> None:
    claims = [gold("0", ("alpha beta", "gamma"), ("delta", "epsilon"))]
    items = hungarian_meteor(claims, {"0": predicted("0", ("alpha beta", "gamma"))}, Spaces())
    by_metric = {item.metric: item.value for item in items}
    # A whole match of n words in one chunk scores 1 - 0.5 / n^3; one of two references is missed.
    assert by_metric[QUESTIONS] == pytest.approx((1 - 0.5 / 8) / 2)
    assert by_metric[PAIRS] == pytest.approx((1 - 0.5 / 27) / 2)


def test_missing_predictions_score_zero_and_gold_without_evidence_is_unscored() -> None:
    items = hungarian_meteor([gold("0", ("a", "b")), gold("1")], {"1": predicted("1", ("a", "b"))}, Spaces())
    pairs = {item.claim_id: item for item in items if item.metric == PAIRS}
    assert (pairs["0"].value, pairs["0"].status) == (0.0, ItemStatus.MISSING)
    assert (pairs["1"].value, pairs["1"].status) == (None, ItemStatus.UNSCORED)


def test_empty_evidence_scores_zero() -> None:
    items = hungarian_meteor([gold("0", ("a", "b"))], {"0": predicted("0")}, Spaces())
    assert [(item.value, item.status) for item in items] == [(0.0, ItemStatus.SCORED)] * 2


def test_scoring_goes_by_id_whatever_the_order() -> None:
    claims = [gold("0", ("a b", "c")), gold("1", ("d e", "f"))]
    predictions = {"1": predicted("1", ("d e", "f")), "0": predicted("0", ("x", "y"))}
    values = {i.claim_id: i.value for i in hungarian_meteor(claims, predictions, Spaces()) if i.metric == PAIRS}
    assert values["0"] == 0.0
    assert values["1"] == pytest.approx(1 - 0.5 / 27)


def test_scoring_stops_when_asked() -> None:
    with pytest.raises(Cancelled):
        hungarian_meteor([gold("0", ("a", "b"))], {}, Spaces(), ProgressMonitor(stop=lambda: True))


def test_every_threshold_is_strict() -> None:
    claims = {"0": gold("0", ("a", "b"))}
    predictions = {"0": predicted("0")}
    at, above = ItemScore("0", PAIRS, 0.25), ItemScore("0", PAIRS, 0.2500001)
    assert [veracity_at(0.25, [item], claims, predictions)[0].value for item in (at, above)] == [0.0, 1.0]
    assert [item.value for item in cut_at(0.25, [at, above])] == [0.0, 0.2500001]


def test_a_wrong_or_unknown_verdict_never_counts_and_unscored_evidence_stays_unscored() -> None:
    claims = {i: gold(i, ("a", "b")) for i in "0123"}
    predictions = {"0": predicted("0"), "1": predicted("1", label=Label.SUPPORTED), "2": predicted("2", label=None)}
    items = [ItemScore(i, PAIRS, None, ItemStatus.UNSCORED, "judge failed") for i in "0123"]
    gated = evidence_gated(items, claims, predictions, metric="m", passes=lambda value: value > 0)
    assert {(item.value, item.status) for item in gated} == {(None, ItemStatus.UNSCORED)}
    judged = [ItemScore(i, PAIRS, 0.4) for i in "012"]
    gated = evidence_gated(judged, claims, predictions, metric="m", passes=lambda value: value > 0)
    assert [item.value for item in gated] == [1.0, 0.0, 0.0]


def test_a_mean_has_bounds_for_what_was_not_scored() -> None:
    items = [ItemScore("0", "m", 1.0), ItemScore("1", "m", 0.5), ItemScore("2", "m", None, ItemStatus.UNSCORED)]
    score = mean_score(items, "sig")
    assert (score.value, score.n_scored, score.n_unscored) == (0.75, 2, 1)
    assert score.lower == pytest.approx(1.5 / 3)
    assert score.upper == pytest.approx(2.5 / 3)
    assert mean_score(items[2:], "sig").value is None
    with pytest.raises(ValueError, match="one metric"):
        mean_score([ItemScore("0", "m", 1.0), ItemScore("0", "n", 1.0)], "sig")


def test_a_claim_of_two_types_counts_in_both_groups() -> None:
    claims = [gold("0", types=("B", "A")), gold("1", label=Label.SUPPORTED, types=("A",))]
    groups = claim_groups(claims)
    assert list(groups) == ["type: A", "type: B", "verdict: Supported", "verdict: Refuted"]
    items = [ItemScore("0", "m", 1.0), ItemScore("1", "m", 0.0)]
    values = {score.group: score.value for score in group_scores(items, "", groups)}
    assert values == {"all": 0.5, "type: A": 0.5, "type: B": 1.0, "verdict: Supported": 0.0, "verdict: Refuted": 1.0}


def test_f1_by_hand() -> None:
    claims = [gold("0"), gold("1"), gold("2", label=Label.SUPPORTED), gold("3", label=Label.CONFLICTING)]
    predictions = {
        "0": predicted("0"),
        "1": predicted("1", label=Label.SUPPORTED),
        "2": predicted("2", label=Label.SUPPORTED),
        "3": predicted("3", label=None),
    }
    counts = confusion(claims, predictions)
    assert counts[1].tolist() == [1, 1, 0, 0, 0]  # gold Refuted: one read as Supported, one right
    assert counts[3].tolist() == [0, 0, 0, 0, 1]
    # Supported: 2*1/(1+2); Refuted: 2*1/(2+1); the others never right.
    assert label_f1(counts).tolist() == pytest.approx([2 / 3, 2 / 3, 0, 0])
    assert f1_scores(claims, predictions)[0].value == pytest.approx(1 / 3)


def submission(name: str, *predictions: Prediction) -> Submission:
    return Submission(name, predictions)


def test_a_leaderboard_ranks_groups_and_counts_documents() -> None:
    claims = [gold(str(i), ("a b", "c"), types=("T",)) for i in range(12)]
    good = submission("good", *(predicted(str(i), ("a b", "c"), ("x", "y")) for i in range(12)))
    twin = submission("twin", *(predicted(str(i), ("a b", "c"), ("x", "y")) for i in range(12)))
    bad = submission("bad", *(predicted(str(i), label=Label.SUPPORTED) for i in range(12)))
    metrics = [HungarianMeteor(Spaces()), Verdicts()]
    reports = [report_system(s, claims, metrics) for s in (bad, good, twin)]
    board = leaderboard(reports, reports[0].mains["hungarian-meteor"])
    assert [(s.report.name, s.rank, s.letters) for s in board.standings] == [
        ("good", 1, "a"),
        ("twin", 1, "a"),
        ("bad", 3, "b"),
    ]
    assert board.standings[0].report.documents == 2.0
    score = board.standings[0].report.score("hungarian-meteor:averitec@0.25", "type: T")
    assert score.value == 1.0
    assert "tok" not in score.signature
    assert score.signature.startswith("hungarian-meteor|")


def test_a_submission_with_an_id_twice_is_not_scored() -> None:
    row = '{"claim_id": 0, "claim": "c", "pred_label": "Refuted"}'
    twice = parse_submission("s.json", f"[{row}, {row}]".encode())
    with pytest.raises(BadInput, match=r"id 0: .* 2 times"):
        report_system(twice, [gold("0", ("a", "b"))], [Verdicts()])


def test_a_system_without_any_scored_item_comes_last_and_nobody_is_grouped() -> None:
    claims = [gold("0"), gold("1")]  # no gold evidence: nothing can be scored
    reports = [
        report_system(submission(name, predicted("0"), predicted("1")), claims, [HungarianMeteor(Spaces())])
        for name in ("one", "two")
    ]
    board = leaderboard(reports, "hungarian-meteor:q+a")
    assert [(s.letters, s.interval) for s in board.standings] == [("", None), ("", None)]
    assert board.comparison is None


def test_four_items_are_ranked_without_an_interval() -> None:
    claims = [gold(str(i), ("a", "b")) for i in range(5)]
    reports = [
        report_system(submission(name, *(predicted(str(i)) for i in range(5))), claims[:count], [Verdicts()])
        for name, count in (("four", 4), ("five", 5))
    ]
    intervals = [leaderboard([report], "verdict:accuracy").standings[0].interval for report in reports]
    assert [interval is None for interval in intervals] == [True, False]
