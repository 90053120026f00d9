"""The claims of `assets/claims`, by writer."""

import json
import random
from collections import Counter
from pathlib import Path

import pytest

from core.documents.language import claim_language
from core.errors import BadRecord
from core.training.written_claims import LEARNT, MEASURED, UNSEEN, taught_pairs
from core.verification.written_claims import (
    CALIBRATING,
    FEW_CLAIMS,
    FOREIGN_CLAIMS,
    LABELS,
    MOST_CLAIMS,
    calibration_claims,
    read_written,
)

EVERY = [*LEARNT, *MEASURED, *UNSEEN]


def test_no_document_is_by_two_writers_and_the_sides_are_even() -> None:
    claims = read_written(EVERY)
    writers = {one.document.text: set[str]() for one in claims}
    for one in claims:
        writers[one.document.text].add(one.writer)
    assert len(writers) >= 300
    assert all(len(some) == 1 for some in writers.values())
    count = Counter(LABELS[one.label] for one in claims)
    assert count["for"] == count["against"]
    assert count["neither"] < count["for"]


def test_the_evidence_is_at_its_place_in_the_document() -> None:
    for one in read_written(MEASURED):
        assert one.evidence
        assert all(one.document.text[start:end].strip() for start, end in one.evidence)


def test_a_passage_has_all_evidence_where_it_takes_a_side_and_none_of_it_where_it_is_another() -> None:
    claims = {one.claim: one for one in read_written(MEASURED)[:140]}
    pairs = taught_pairs(list(claims.values()), random.Random(0))
    assert len(pairs) > 1.3 * len(claims)
    assert Counter(pair.claim for pair in pairs).keys() == claims.keys()
    for pair in pairs:
        one = claims[pair.claim]
        told = [" ".join(one.document.text[start:end].split()) in pair.premise for start, end in one.evidence]
        if pair.label != one.label:
            assert LABELS[pair.label] == "neither"
            assert not any(told)
        elif LABELS[pair.label] != "neither":
            assert all(told)


@pytest.mark.parametrize(
    "claim",
    [
        {"claim": "C", "label": "for", "kind": "number", "evidence": ["It is not there."]},
        {"claim": "C", "label": "maybe", "kind": "number", "evidence": ["It is here."]},
        {"claim": "C", "label": "for", "kind": "number"},
    ],
)
def test_a_claim_that_is_not_as_the_brief_asks_is_refused(tmp_path: Path, claim: dict[str, object]) -> None:
    row = {"id": "x-1", "title": "T", "text": "It is here.", "claims": [claim]}
    (tmp_path / "x.jsonl").write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(BadRecord, match=r"x\.jsonl"):
        read_written(["x"], tmp_path)


def test_a_writer_without_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match="w0"):
        read_written(["w0"], tmp_path)


def test_calibration_claims_are_of_a_measured_writer_with_even_labels_and_few_are_the_first_of_many() -> None:
    assert CALIBRATING["en"] in MEASURED
    few, many = calibration_claims(FEW_CLAIMS), calibration_claims(MOST_CLAIMS)
    assert (len(few), len(many), few) == (FEW_CLAIMS, MOST_CLAIMS, many[:FEW_CLAIMS])
    assert len({(one.claim, one.passage.document.url) for one in many}) == MOST_CLAIMS
    count = Counter(one.label for one in few)
    assert max(count.values()) - min(count.values()) <= 1


def test_the_passage_of_a_calibration_claim_holds_its_evidence() -> None:
    written = {(one.claim, one.document.url): one for one in read_written([*CALIBRATING.values()])}
    for one in (one for language in CALIBRATING for one in calibration_claims(MOST_CLAIMS, language)):
        evidence = written[one.claim, one.passage.document.url].evidence
        assert all(one.passage.start <= start and end <= one.passage.end for start, end in evidence)


@pytest.mark.parametrize("language", [one for one in CALIBRATING if one != "en"])
def test_claims_in_another_language_are_in_it_with_each_answer_on_seven_documents(language: str) -> None:
    claims = calibration_claims(MOST_CLAIMS, language)
    assert len(claims) == FOREIGN_CLAIMS
    assert {claim_language(text) for one in claims for text in (one.claim, one.passage.document.text)} == {language}
    assert len({one.passage.document.url for one in claims}) == 7
    assert min(Counter(one.label for one in claims).values()) == 6
