"""Items from submissions, cases, tables and finished ratings: complete, and what is left out is said."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.agreement.ratings import MajorError, Response, read_ratings
from core.agreement.scored_items import read_scored_items
from core.annotations import GoldAnswer, GoldClaim, GoldQuestion, PredictedEvidence, Prediction, Submission
from core.averitec.averitec import parse_gold, parse_submission
from core.campaigns.planning.plans import CampaignItem, ControlKey, EvidencePair
from core.campaigns.planning.sources import (
    as_controls,
    items_from_cases,
    items_from_import,
    items_from_submissions,
    items_from_table,
    items_jsonl,
    items_rated,
    ranks_of_reports,
    scores_of_files,
    scores_of_reports,
)
from core.dataclass_json import to_json
from core.errors import BadInput
from core.jobs.types import Job, Json, State
from core.scoring.leaderboard import report_system
from core.scoring.metrics.verdict import Verdicts
from core.types import Claim, Label
from core.verification.request import Request
from tests.pages.desks import hand_made, result_of

ASSETS = Path(__file__).resolve().parents[2] / "assets"
GOLD = GoldClaim(
    Claim("Masks restrict breathing.", speaker="Jane Doe", id="7"),
    Label.REFUTED,
    (
        GoldQuestion(
            "Do they?", (GoldAnswer("No", "Boolean", "They do not."), GoldAnswer("Never.", url="https://b.example"))
        ),
        GoldQuestion("Unanswered?", ()),
    ),
)
SYSTEM = Submission(
    "X",
    (
        Prediction(
            "7",
            "Masks restrict breathing.",
            Label.SUPPORTED,
            (PredictedEvidence("Q?", "A.", "https://a.example", "page"),),
        ),
        Prediction("8", "Not annotated.", None, ()),
    ),
)


def test_a_prediction_becomes_an_item_with_its_reference() -> None:
    found = items_from_submissions([SYSTEM], [GOLD], {("7", "X"): {"m": 0.5}}, {"X": "Team"}, {"X": 2})
    assert [note.startswith("X: 1 prediction") for note in found.notes] == [True]
    assert found.items == (
        CampaignItem(
            item="7",
            claim="Masks restrict breathing.",
            evidence=(EvidencePair("Q?", "A.", "https://a.example", "page"),),
            system="X",
            team="Team",
            rank=2,
            about={"speaker": "Jane Doe"},
            predicted=Label.SUPPORTED,
            gold=Label.REFUTED,
            reference=(
                EvidencePair("Do they?", "No. They do not."),
                EvidencePair("Do they?", "Never.", "https://b.example"),
            ),
            scores={"m": 0.5},
        ),
    )


def another_split(*ids: str) -> Submission:
    return Submission("Y", tuple(Prediction(one, "Quite another claim.", Label.SUPPORTED, ()) for one in ids))


def test_a_submission_that_could_not_be_scored_is_not_rated_either() -> None:
    gold = [GOLD, replace(GOLD, claim=Claim("Bridges were closed.", id="8"))]
    with pytest.raises(BadInput, match="2 of 2 ids"):
        items_from_submissions([SYSTEM, another_split("7", "8")], gold)
    with pytest.raises(BadInput, match="shares no id"):
        items_from_submissions([another_split("70", "80")], gold)
    content = b'[{"claim_id": 7, "evidence": [], "pred_label": "Refuted"}, {"claim_id": 8, "evidence": 3}]'
    with pytest.raises(BadInput, match="'evidence'"):
        items_from_submissions([parse_submission("y.json", content)], gold)


def test_a_claim_that_is_not_the_golds_is_said() -> None:
    (note,) = items_from_submissions([another_split("7")], [GOLD]).notes
    assert note.startswith("Y: 1 of 1")


def test_scores_of_files_go_to_their_systems() -> None:
    files = read_scored_items([("s.csv", b"id,system,rank,bleu\n7,X,3,0.5\n7,Y,1,0.25\n")])
    scores, ranks = scores_of_files(files)
    (item,) = items_from_submissions([SYSTEM], [GOLD], scores, ranks=ranks).items
    assert (item.scores, item.rank) == ({"bleu": 0.5}, 3)


def test_scores_without_a_system_are_those_of_the_only_one() -> None:
    scores, _ = scores_of_files(read_scored_items([("s.csv", b"id,bleu\n7,0.5\n")]))
    assert items_from_submissions([SYSTEM], [GOLD], scores).items[0].scores == {"bleu": 0.5}
    both = items_from_submissions([SYSTEM, replace(SYSTEM, name="Y")], [GOLD], scores).items
    assert [item.scores for item in both] == [{}, {}]


def test_scores_and_ranks_come_from_scoring_runs() -> None:
    gold = parse_gold("gold.json", (ASSETS / "scoring" / "gold.json").read_bytes())
    systems = [
        parse_submission(f"{n}.json", (ASSETS / "scoring" / f"{n}.json").read_bytes()) for n in ("careful", "hasty")
    ]
    reports = [report_system(system, gold, [Verdicts()]) for system in systems]
    ranks = ranks_of_reports(reports)
    assert sorted(ranks.values()) == [1, 2]
    scores = scores_of_reports(reports)
    items = items_from_submissions(systems, gold, scores, ranks=ranks).items
    assert len(items) == 12
    assert {one.scores["verdict:accuracy"] for one in items} == {0.0, 1.0}
    assert {one.team for one in items} == {"careful", "hasty"}


def job_of(claim: str, receipt: Json | None) -> Job:
    state = State.DONE if receipt else State.WAITING
    facts = {"recipe": "question_first"}
    unused = {"label": "", "error": "", "stop": False, **dict.fromkeys(("share", "started", "seconds", "progress"))}
    told = {"id": "case id", "kind": "verify", "slot": "", "owner": "o", "created": 0.0, "uses": "m", "request": {}}
    return Job(**told, **unused, state=state, title=claim, facts=facts, result=receipt)


def test_cases_of_the_app_become_items_without_their_ids() -> None:
    claim = Claim("The wall can be seen from the Moon.")
    request = Request(claim, recipe="question_first")
    cases = [job_of(claim.text, result_of(request, hand_made(claim))), job_of("Unfinished", None)]
    found = items_from_cases(cases, team="desk")
    assert ["'Unfinished'" in note for note in found.notes] == [True]
    (item,) = found.items
    assert (item.system, item.team, item.predicted) == ("question_first", "desk", Label.REFUTED)
    assert (item.gold, item.reference) == (None, ())
    assert item.evidence[0].url == "https://www.example.org/wall"
    assert item.evidence[0].scraped_text.startswith("The wall cannot")
    assert item.item.startswith("case-")
    assert cases[0].id not in json.dumps(to_json(item))
    annotated = GoldClaim(claim, Label.REFUTED, GOLD.questions)
    assert len(items_from_cases(cases[:1], [annotated]).items[0].reference) == 2


def test_our_json_lines_read_back_as_they_were() -> None:
    items = items_from_submissions([SYSTEM], [GOLD], {("7", "X"): {"m": 0.5}}, ranks={"X": 1}).items
    control = as_controls(items, {"7": ControlKey(MajorError.NONE, Label.REFUTED, {"relevance": (2, 3)})})
    assert items_from_table("items.jsonl", items_jsonl(control).encode()).items == control
    assert items_from_table("items.jsonl", items_jsonl(items).encode()).items == items


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"claim": 3}, "line 1: Item '7' cannot be read"),
        ({"evidence": [{"answer": "x", "gold": "y"}]}, "cannot be read"),
        ({"gold": "True"}, "cannot be read"),
        ({"scores": {"m": float("nan")}}, "no finite number"),
        ({"control_key": {"scales": {"relevance": [9, 0]}}}, "no range of a scale"),
        ({"item": None}, "cannot be read"),
        ({"control_key": "x"}, "line 1: Item '7' cannot be read"),
        ({"control_key": {"scales": {"relevance": [1, float("inf")]}}}, "line 1: .* key"),
        ({"rank": float("inf")}, "line 1: Item '7' cannot be read"),
        ({"scores": {"m": 10**400}}, "line 1: Item '7' cannot be read"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(change: dict[str, object], says: str) -> None:
    row = json.loads(items_jsonl(items_from_submissions([SYSTEM], [GOLD]).items)) | change
    with pytest.raises(BadInput, match=says):
        items_from_table("items.jsonl", json.dumps(row).encode())


def test_a_line_that_is_nested_without_end_is_named() -> None:
    with pytest.raises(BadInput, match="line 1: "):
        items_from_table("deep.jsonl", b'{"about": ' + b"[" * 100_000)


def test_a_table_becomes_items() -> None:
    table = b"id,system,claim,predicted evidence,gold label,bleu\n1,X,A claim,Who? Ann,Refuted,0.5\n2,X,,,,0.25\n"
    found = items_from_table("t.csv", table)
    assert [(one.item, one.gold, one.scores) for one in found.items] == [("1", Label.REFUTED, {"bleu": 0.5})]
    assert any(note.startswith("1 item ") for note in found.notes)


RATINGS = """Email Address,id,claim,predicted evidence,Label,relevance
ann@a.example,1,The wall is visible.,too long for the box,b. refuted,2
bob@a.example,1,The wall is visible!,"Question: Who? Answer: x",a. supported,4
bob@a.example,1,Bridges are closed,,a. supported,5
"""


def test_finished_ratings_tell_their_items_and_a_mistyped_id_is_its_own() -> None:
    found = items_from_import(read_ratings("r.csv", RATINGS.encode())).items
    assert [(one.item, one.claim) for one in found] == [("1", "The wall is visible."), ("1", "Bridges are closed")]
    assert len(found[0].evidence) == 1
    assert found[0].reference == ()


def test_score_files_bring_what_ratings_do_not() -> None:
    table = b"""id,system,claim,reference evidence,predicted evidence,bleu
1,X,The wall is visible,Question: R? Answer: r,Question: P? Answer: p,0.5
"""
    scored = read_scored_items([("s.csv", table)])
    first, other = items_from_import(read_ratings("r.csv", RATINGS.encode()), scored).items
    assert (first.system, first.scores, first.reference[0].question) == ("X", {"bleu": 0.5}, "R? Answer: r")
    # What a file brings is the evidence that was scored; what raters pasted is not put in its place.
    assert first.evidence[0].question == "P? Answer: p"
    assert (other.system, other.scores) == ("", {})


def response(item: str, claim: str = "", system: str = "") -> Response:
    return Response(2, item, "R01", "", MajorError.NONE, None, {}, system=system, claim=claim)


def test_which_item_a_response_is_about() -> None:
    x, y = (CampaignItem("1", "The wall is visible", (), system) for system in "XY")
    assert items_rated([x, y], response("1", system="Y")) == [y]
    assert items_rated([x, y], response("1")) == [x, y]
    assert items_rated([x], response("1", "bridges are closed")) == []
    assert items_rated([x], response("2")) == []


def test_a_key_without_an_item_is_refused() -> None:
    with pytest.raises(BadInput, match="9"):
        as_controls([CampaignItem("1", "c", ())], {"9": ControlKey()})
