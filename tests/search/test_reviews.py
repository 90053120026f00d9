"""Who has already checked a claim: a feed on this machine, and a service on the web."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadInput
from core.search.fact_checks import ask_reviews, read_feed
from core.search.sender import Sender, anywhere
from core.search.sources.google_reviews import GoogleReviews
from core.search.types import GetRequest, SearchFailure
from core.search_report import Reason
from tests.fakes import WordEncoder
from tests.search.consents import ANYTHING
from tests.search.site import Site, reply


def review(claim: str, number: int, **more: Any) -> dict[str, Any]:
    return {
        "@type": "ClaimReview",
        "claimReviewed": claim,
        "url": f"https://checkers.example/{number}",
        "reviewRating": {"@type": "Rating", "alternateName": "False"},
        **more,
    }


def feed(path: Path, *entries: Any) -> Path:
    file = path / "feed.json"
    data = {"@type": "DataFeed", "dataFeedElement": [{"@type": "DataFeedItem", "item": [entry]} for entry in entries]}
    file.write_text(json.dumps(data), encoding="utf-8")
    return file


def test_a_feed_is_read_as_data_commons_publishes_it(tmp_path: Path) -> None:
    whole = review(
        "The Springfield bridge is made of wood.", 1,
        name="No, it is steel", author={"@type": "Organization", "name": "Desk"}, datePublished="2020-11-03",
        itemReviewed={"@type": "Claim", "author": [{"name": "A blog"}], "datePublished": "2020-10-30"}, inLanguage="en",
    )  # fmt: skip
    found = read_feed(feed(tmp_path, whole)).reviews[0]
    assert (found.claim, found.url, found.rating) == (
        "The Springfield bridge is made of wood.",
        "https://checkers.example/1",
        "False",
    )
    assert (found.publisher, found.title, found.claimant) == ("Desk", "No, it is steel", "A blog")
    assert (found.claimed, found.published, found.language) == (date(2020, 10, 30), date(2020, 11, 3), "en")


def test_broken_entries_are_counted_and_cost_only_themselves(tmp_path: Path) -> None:
    broken = [
        review("", 1),
        review("No verdict", 2, reviewRating={"ratingValue": 1}),
        review("A script", 3) | {"url": "javascript:alert(1)"},
        review("A list", 4, reviewRating=[7, "x"]),
        {"@type": "ClaimReview", "claimReviewed": 7, "url": None},
        "a text", None, 7, [],
    ]  # fmt: skip
    found = read_feed(feed(tmp_path, *broken, review("It is wood.", 5), review("It is wood.", 5)))
    assert [one.claim for one in found.reviews] == ["It is wood."]
    assert found.broken == 5  # the second of two that are alike is no other


@pytest.mark.parametrize("content", ["<html>", '{"@type": "DataFeed"', "[]", '{"dataFeedElement": 7}', ""])
def test_a_file_that_is_no_feed_says_so(content: str, tmp_path: Path) -> None:
    (tmp_path / "feed.json").write_text(content)
    with pytest.raises(BadInput, match=r"feed\.json"):
        read_feed(tmp_path / "feed.json")


def test_a_claim_is_found_by_words_and_meaning(tmp_path: Path) -> None:
    others = [review(f"The mayor of town {number} banned cars from the bridge.", number) for number in range(9)]
    found = read_feed(feed(tmp_path, *others, review("Springfield bridge is made of wood", 99)))
    best = found.search("The Springfield bridge is made of wood.", WordEncoder())
    assert best[0].url == "https://checkers.example/99"
    assert found.search("Nothing whatsoever", WordEncoder()) == ()


@dataclass(frozen=True)
class Local(GoogleReviews):
    """The service, on a site of the test's own."""

    address: str = ""

    def request(self, query: str, page: int, before: date | None) -> GetRequest:
        return GetRequest(self.address)


def test_a_service_that_is_asked_answers_or_says_why_not(site: Site) -> None:
    claims = {"claims": [{"text": "It is wood.", "claimReview": [{"url": "https://a.example", "textualRating": "No"}]}]}
    sender = Sender(ANYTHING, allowed=anywhere)
    answered = ask_reviews(Local("k", address=site.page("/ok", json.dumps(claims))), "It is wood.", sender)
    assert not isinstance(answered, SearchFailure)
    assert [one.rating for one in answered] == ["No"]
    site.pages["/wrong"] = reply(400, '{"error": {"details": [{"reason": "API_KEY_INVALID"}]}}')
    refused = ask_reviews(Local("k", address=f"{site.base}/wrong"), "It is wood.", sender)
    assert isinstance(refused, SearchFailure)
    assert refused.reason is Reason.KEY
