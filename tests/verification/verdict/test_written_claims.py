"""The 433 claims on 76 documents: each label rests on sentences that the document holds."""

import json
from collections import Counter

import pytest

from core.types import Label, Verdict
from core.verification.verdict.classifier import CLASSIFIER
from tests.benchmarks.claims_on_documents import DATA, PARTS, outcome, written_claims


@pytest.mark.parametrize("part", PARTS)
def test_a_label_with_a_side_has_its_sentences_in_the_document(part: str) -> None:
    found = json.loads((DATA / f"claims_{part}.json").read_text(encoding="utf-8"))
    texts = {one["id"]: one["text"] for one in found["documents"]}
    for one in found["claims"]:
        assert bool(one["evidence"]) is (one["label"] != "open"), one["id"]
        assert all(sentence in texts[one["document"]] for sentence in one["evidence"]), one["id"]


def test_every_part_has_all_labels() -> None:
    counts = [Counter(one.label for one in written_claims(part)) for part in PARTS]
    assert counts[:2] == [{"supported": 30, "refuted": 25, "open": 20}] * 2
    assert counts[2:] == [
        {"supported": 30, "refuted": 28, "open": 17},
        {"supported": 19, "refuted": 21, "open": 8},
        {"supported": 20, "refuted": 20, "open": 8},
        {"supported": 16, "refuted": 24, "open": 8},
        {"supported": 24, "refuted": 20, "open": 20},
    ]


@pytest.mark.parametrize(
    ("label", "likeliest", "expected"),
    [
        ("supported", Label.SUPPORTED, "right"),
        ("refuted", Label.SUPPORTED, "wrong"),
        ("refuted", Label.NOT_ENOUGH_EVIDENCE, "open"),
        ("open", Label.REFUTED, "spoke"),
        ("open", Label.CONFLICTING, "silent"),
    ],
)
def test_an_outcome_compares_the_side_taken(label: str, likeliest: Label, expected: str) -> None:
    assert outcome(label, Verdict({one: 0.1 + 0.6 * (one is likeliest) for one in Label}, CLASSIFIER, 0.5)) == expected
