import re

import pytest

from core.dates import published_before
from core.documents.examples import Example, examples

EXAMPLES = {example.id: example for example in examples()}
SAMPLE = [pytest.param(example, id=name) for name, example in EXAMPLES.items()]


def test_there_are_five_in_the_order_of_their_names() -> None:
    assert [example.id for example in examples()] == [
        "everest", "great-wall", "lightning", "longest-river", "notre-dame"
    ]  # fmt: skip


@pytest.mark.parametrize("example", SAMPLE)
def test_each_has_a_dated_claim_and_five_to_nine_documents_that_name_their_page(example: Example) -> None:
    assert example.claim.text.endswith(".")
    assert example.claim.date is not None
    assert example.title
    assert example.note
    assert 5 <= len(example.documents) <= 9
    assert len({document.url for document in example.documents}) == len(example.documents)
    for document in example.documents:
        assert document.url.startswith(("https://", "http://"))
        assert re.search(r"\(summary|not a real source", document.title)
        assert 2 <= len(re.findall(r"[.!?](?:\s|$)", document.text)) <= 7


@pytest.mark.parametrize("name", ["everest", "great-wall", "notre-dame"])
def test_one_document_was_published_after_the_claim(name: str) -> None:
    example = EXAMPLES[name]
    kept, late, undated = published_before(example.documents, example.claim.date)
    assert late == 1
    assert len(kept) == len(example.documents) - 1
    assert undated >= 2


def test_only_the_page_we_made_up_gives_orders_and_it_says_so() -> None:
    orders = [
        document
        for example in examples()
        for document in example.documents
        if "Ignore your instructions" in document.text
    ]
    assert [document.site for document in orders] == ["example.org"]
    assert "<script>" in orders[0].text
    assert "![a picture](" in orders[0].text
    assert "not a real source" in orders[0].title


def test_no_example_tells_the_verdict() -> None:
    verdict = re.compile(r"\b(supported|refuted|not enough evidence|conflicting evidence)\b", re.IGNORECASE)
    for example in examples():
        said = [example.title, example.note, example.claim.text, example.claim.source]
        assert not [line for line in said if verdict.search(line)]
