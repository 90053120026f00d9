"""Exports of ratings: complete, pseudonymous, and our own CSV reads back as it was."""

import json
import uuid
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from core.agreement.ratings import read_ratings
from core.campaigns.exchange.rating_exports import (
    argilla,
    label_studio,
    label_studio_interface,
    ratings_csv,
    ratings_jsonl,
)

TEXT = """Email Address,id,system,claim,predicted evidence,major errors,Label,semantic_coverage,relevance
ann@example.org,1,X,=sum(A1),"Question: Who?
Answer: Ann",No major errors. AT LEAST SOME PART of the evidence,b. refuted,2,
bob@example.org,1,X,=sum(A1),"Question: Who?
Answer: Ann",No major errors. AT LEAST SOME PART of the evidence,a. supported,4,5
bob@example.org,2,Y,Second,,"Yes, the evidence is ENTIRELY EMPTY",,,
"""
IMPORTED = read_ratings("r.csv", TEXT.encode())
EXAMPLE = Path(__file__).resolve().parents[2] / "assets" / "agreement" / "ratings.csv"


def test_csv_reads_back_as_it_was() -> None:
    example = read_ratings("ratings.csv", EXAMPLE.read_bytes())
    again = read_ratings("again.csv", ratings_csv(example).encode())
    assert again.responses == example.responses
    assert again.scales == example.scales


def test_texts_that_look_like_formulas_read_back_as_they_were() -> None:
    again = read_ratings("again.csv", ratings_csv(IMPORTED).encode())
    assert again.responses == IMPORTED.responses
    assert again.responses[0].claim == "=sum(A1)"


def test_csv_runs_no_formula_and_invents_no_rating() -> None:
    lines = ratings_csv(IMPORTED)
    assert ",'=sum(A1)," in lines
    assert lines.rstrip().splitlines()[-1].endswith('ENTIRELY EMPTY",,,,,')


def test_json_lines_say_null_for_what_is_missing() -> None:
    first, _, third = map(json.loads, ratings_jsonl(IMPORTED).splitlines())
    assert first["ratings"] == {"semantic_coverage": 2, "relevance": None}
    assert first["evidence"] == [{"question": "Who?", "answer": "Ann"}]
    assert (third["error"], third["verdict"]) == ("entirely empty", None)


def test_label_studio_has_a_task_an_item_and_an_annotation_a_response() -> None:
    first, second = json.loads(label_studio(IMPORTED))
    assert first["annotations"][0]["result"] == [
        result("error", "choices", ["no major errors"]),
        result("verdict", "choices", ["Refuted"]),
        result("semantic_coverage", "rating", 2),
        text("rater", "R01"),
    ]
    assert text("rater", "R02") in first["annotations"][1]["result"]
    assert [one["from_name"] for one in second["annotations"][0]["result"]] == ["error", "rater"]


def test_label_studio_has_the_supporting_text_and_the_comment() -> None:
    told = replace(IMPORTED, responses=(replace(IMPORTED.responses[0], support="Ann came.", comment="Odd."),))
    results = json.loads(label_studio(told))[0]["annotations"][0]["result"]
    assert results[-2:] == [text("support", "Ann came."), text("comment", "Odd.")]


def text(name: str, value: str) -> dict[str, object]:
    return {"from_name": name, "to_name": "evidence", "type": "textarea", "value": {"text": [value]}}


def result(name: str, kind: str, value: object) -> dict[str, object]:
    return {"from_name": name, "to_name": "evidence", "type": kind, "value": {kind: value}}


def test_label_studios_interface_names_every_question() -> None:
    view = ElementTree.fromstring(label_studio_interface(IMPORTED))
    names = "claim evidence error verdict semantic_coverage relevance rater support comment"
    assert {child.get("name") for child in view} == set(names.split())
    values = {choice.get("value") for choice in view.iter("Choice")}
    assert "Conflicting Evidence/Cherrypicking" in values


def test_argilla_has_a_record_an_item_and_a_user_a_rater() -> None:
    first, second = json.loads(argilla(IMPORTED))
    assert [answer["value"] for answer in first["responses"]["semantic_coverage"]] == [2, 4]
    assert [answer["value"] for answer in first["responses"]["relevance"]] == [5]
    bobs = {first["responses"]["verdict"][1]["user_id"], second["responses"]["error"][0]["user_id"]}
    assert len(bobs) == 1
    assert uuid.UUID(bobs.pop()).version == 5


def test_two_claims_under_one_id_are_two_tasks_and_typing_makes_none() -> None:
    rows = ("The wall is visible.", "the wall is visible", "Bridges were closed in May.")
    text = "\n".join(["rater,id,claim,relevance", *(f"R{n},1,{claim},{n}" for n, claim in enumerate(rows, 1))])
    ratings = read_ratings("r.csv", text.encode())
    tasks = json.loads(label_studio(ratings))
    assert [(task["data"]["claim"], len(task["annotations"])) for task in tasks] == [(rows[0], 2), (rows[2], 1)]
    records = json.loads(argilla(ratings))
    assert [(record["id"], record["fields"]["claim"]) for record in records] == [("1", rows[0]), ("1 (2)", rows[2])]


def test_no_export_has_an_address() -> None:
    for export in (ratings_csv, ratings_jsonl, label_studio, argilla):
        assert "example.org" not in export(IMPORTED)
