import hashlib

import pytest

from core.types import Document, Label, Passage, Verdict


def test_a_document_is_known_by_the_hash_of_its_text() -> None:
    assert Document("u", "héllo").digest == hashlib.sha256("héllo".encode()).hexdigest()


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.bbc.co.uk/a", "bbc.co.uk"),
        ("http://example.org:8080/x", "example.org"),
        ("notes.pdf", "notes.pdf"),
        ("http://[broken", "http://[broken"),
    ],
)
def test_site_is_the_host_or_the_address_itself(url: str, site: str) -> None:
    assert Document(url, "").site == site


def test_a_passage_is_a_stretch_of_its_document() -> None:
    assert Passage(Document("u", "one two three"), 4, 7).text == "two"


def test_the_label_is_the_likeliest_and_doubt_begins_below_the_threshold() -> None:
    shares = dict(zip(Label, (0.2, 0.55, 0.15, 0.1), strict=True))
    assert Verdict(shares, "head", threshold=0.55).label is Label.REFUTED
    assert not Verdict(shares, "head", threshold=0.55).cannot_tell
    assert Verdict(shares, "head", threshold=0.56).cannot_tell
