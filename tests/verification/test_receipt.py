import json
import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import date

import pytest

from core.errors import BadInput, BadRecord
from core.interfaces import ModelIdentity
from core.types import (
    Case,
    Completion,
    CorpusSummary,
    Evidence,
    Hit,
    Message,
    Passage,
    PassageStance,
    Ranking,
    Stance,
    StepTime,
    Verdict,
)
from core.verification.receipt import case_from_json, case_to_json, receipt_from_json, receipt_to_json, same_findings
from core.verification.report.markdown import to_markdown
from core.verification.report.report_files import report_of
from core.verification.request import Request
from tests.fakes import DOCUMENTS, PROBABILITIES, TOWER

PASSAGE = Passage(DOCUMENTS[1], 0, 39)
HIT = Hit(PASSAGE, 1, bm25_rank=2, dense_rank=1, bm25_score=3.5, cosine=0.25)
CASE = Case(
    TOWER,
    CorpusSummary(3, 4, late=1, undated=2, digest="d"),
    queries=("q",),
    rankings=(Ranking("q", (HIT,)),),
    hits=(HIT,),
    evidence=(Evidence("How often?", "every seven years", PASSAGE, (21, 38)), Evidence("Who?", "nobody said")),
    verdict=Verdict(
        PROBABILITIES,
        "verdict classifier",
        0.55,
        "because",
        {"closest": 0.5},
        stances=(PassageStance(PASSAGE, Stance.AGAINST, 0.9, "says seven, not eight", "number", ((26, 31),)),),
        decisive=(0,),
        counterfactual="Without it nothing decides.",
        wording=PROBABILITIES,
        from_documents=PROBABILITIES,
    ),
    completions=(Completion((Message("user", "Ask"),), "What?", 9, 3, 2, 0.5, 7, step="Ask"),),
    notes=("One note.",),
    times=(StepTime("Ask", 0.5, "1 question"),),
)
REQUEST = Request(TOWER, stores=("a.json",), documents=(DOCUMENTS[1],), seed=3)
WRITER, ENCODER = ModelIdentity("w", "a" * 64, 2048), ModelIdentity("e", "b" * 64)


def test_a_case_survives_the_way_through_json() -> None:
    assert case_from_json(json.loads(json.dumps(case_to_json(CASE)))) == CASE


def test_a_receipt_survives_the_way_through_json() -> None:
    record = json.loads(json.dumps(receipt_to_json(REQUEST, CASE, WRITER, ENCODER)))
    assert receipt_from_json(record) == (REQUEST, CASE, WRITER, ENCODER)


def test_each_document_stands_once_with_its_hash() -> None:
    (document,) = case_to_json(CASE)["documents"]
    assert document["digest"] == DOCUMENTS[1].digest
    assert document["published"] == "2019-01-02"


def test_a_changed_text_is_noticed() -> None:
    record = case_to_json(CASE)
    record["documents"][0]["text"] += " Or eight."
    with pytest.raises(BadRecord, match=r"example\.org/paint"):
        case_from_json(record)


def test_another_format_is_refused_by_its_number() -> None:
    with pytest.raises(BadRecord, match="format 99"):
        case_from_json({**case_to_json(CASE), "version": 99})


def test_what_is_no_receipt_is_refused() -> None:
    with pytest.raises(BadRecord, match="not a receipt"):
        receipt_from_json({"request": {}})


def test_seconds_do_not_make_two_runs_different() -> None:
    slower = replace(CASE, times=(), completions=(replace(CASE.completions[0], seconds=9.0, reused_tokens=0),))
    assert same_findings(CASE, slower) == []


def test_differences_are_named() -> None:
    other = replace(CASE, claim=replace(TOWER, date=date(2020, 5, 2)), notes=())
    assert same_findings(CASE, other) == ["claim", "notes"]


ODD = [math.nan, 10**400, -1, "x", None, [[]], {"a": 1}]


def places(node: object, above: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield where a receipt has values: of a list the first."""
    if isinstance(node, dict):
        for name, inner in node.items():
            yield from places(inner, (*above, name))
    elif isinstance(node, list) and node:
        yield from places(node[0], (*above, 0))
    if above:
        yield above


RECEIPT = receipt_to_json(REQUEST, CASE, WRITER, ENCODER)


@pytest.mark.parametrize("place", list(places(RECEIPT)), ids=lambda place: ".".join(map(str, place)))
def test_a_value_of_another_kind_is_refused_or_read(place: tuple[str | int, ...]) -> None:
    for odd in ODD:
        inner = record = json.loads(json.dumps(RECEIPT))
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] = odd
        with suppress(BadInput):
            to_markdown(report_of(record, made=date(2026, 11, 23)))
