"""What a person leaves out or dates anew is searched so, and named."""

from datetime import date

import pytest

from core.errors import BadInput
from core.types import Claim, Document, NotSearched
from core.verification.reading import BY_HAND, LATER, documents_of
from core.verification.receipt import request_from_json, request_to_json
from core.verification.request import Request

EARLY = Document("a.pdf", "Early.", "Early one", date(2019, 1, 1))
LATE = Document("b.pdf", "Late.", "Late one", date(2021, 1, 1))
UNDATED = Document("c.pdf", "Some day.")
CLAIM = Claim("It was so.", date=date(2020, 1, 1))
ALL = Request(CLAIM, documents=(EARLY, LATE, UNDATED))


def test_a_document_left_out_by_hand_is_named_and_not_searched() -> None:
    documents, corpus, _ = documents_of(Request(CLAIM, documents=ALL.documents, without=(EARLY.digest,)))
    assert documents == [UNDATED]
    assert corpus.not_searched == (
        NotSearched("Early one", "a.pdf", date(2019, 1, 1), BY_HAND),
        NotSearched("Late one", "b.pdf", date(2021, 1, 1), LATER),
    )
    assert (corpus.documents, corpus.late, corpus.undated) == (1, 1, 1)


def test_a_date_given_by_hand_counts_in_place_of_the_one_found() -> None:
    dates = {EARLY.digest: date(2022, 1, 1), LATE.digest: None}
    documents, corpus, _ = documents_of(Request(CLAIM, documents=ALL.documents, dates=dates))
    assert [(one.title, one.published, one.date_source) for one in documents] == [
        ("Late one", None, ""),
        ("", None, ""),
    ]
    assert [(one.title, one.published) for one in corpus.not_searched] == [("Early one", date(2022, 1, 1))]


def test_with_all_left_out_there_is_nothing_to_search() -> None:
    everything = tuple(one.digest for one in ALL.documents)
    with pytest.raises(BadInput, match="left out all"):
        documents_of(Request(CLAIM, documents=ALL.documents, without=everything))


def test_what_was_changed_stands_in_the_receipt() -> None:
    request = Request(
        CLAIM, documents=(EARLY,), without=(LATE.digest,), dates={EARLY.digest: date(2018, 1, 1), "x": None}
    )
    assert request_from_json(request_to_json(request)) == request
