"""The stores that the benchmarks of size are made with, from the bundled examples, so that it runs anywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.documents.knowledge_store import read_store
from tests.benchmarks import recombined
from tests.benchmarks.recombined import OWN, count_tokens, source, write_store


@pytest.fixture(autouse=True)
def no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recombined, "DATA", Path("/nowhere"))


def test_a_store_has_the_size_that_was_asked_for_and_the_claims_own_documents(tmp_path: Path) -> None:
    made_of = source(0)
    said = write_store(tmp_path / "a.jsonl", made_of, documents=20, tokens=30_000)
    documents = read_store(tmp_path / "a.jsonl")
    assert len(documents) == 20
    assert sum(count_tokens(document.text) for document in documents) == said
    assert said == pytest.approx(30_000, rel=0.01)
    own = [document.text for document in documents if document.url.startswith(OWN)]
    assert own == list(made_of.own)


def test_the_same_seed_writes_the_same_store(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        write_store(tmp_path / name, source(1), documents=12, tokens=9_000, seed=seed)
    a, b, c = ((tmp_path / name).read_bytes() for name in "abc")
    assert a == b != c


def test_sentences_of_the_claims_own_documents_are_in_no_other(tmp_path: Path) -> None:
    made_of = source(2)
    write_store(tmp_path / "a", made_of, documents=15, tokens=15_000)
    lines = [json.loads(line) for line in (tmp_path / "a").read_text().splitlines()]
    others = {sentence for line in lines if not line["url"].startswith(OWN) for sentence in line["url2text"]}
    assert others.isdisjoint(sentence for text in made_of.own for sentence in text.split("\n"))
