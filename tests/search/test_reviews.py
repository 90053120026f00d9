"""Who has already checked a claim: a feed on this machine, and a service on the web."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from core.cli.case_output import known_reviews, review_lines
from core.cli.verify import SearchOptions
from core.dates import shifted
from core.errors import BadInput
from core.interfaces import ModelIdentity, Stop, never
from core.search.fact_checks import ReviewFilter, ask_reviews, read_feed
from core.search.leakage import LeakageCheck, same_meaning
from core.search.sender import Sender, anywhere
from core.search.sources.google_reviews import GoogleReviews
from core.search.types import GetRequest, SearchFailure
from core.search_report import Reason
from core.types import Case, Claim
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
        review("No verdict", 2, reviewRating={"ratingValue": True, "bestRating": 5}),
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


@pytest.mark.parametrize(
    ("rating", "words"),
    [
        ({"ratingValue": 2, "worstRating": 1, "bestRating": 5}, "2 on a scale from 1 to 5"),
        ({"ratingValue": "2", "bestRating": "5"}, "2 on a scale from 1 to 5"),
        ({"ratingValue": 2.5}, "rated 2.5"),
        ({"ratingValue": 2, "bestRating": 5, "alternateName": "Mostly false"}, "Mostly false"),
    ],
)
def test_a_rating_in_numbers_is_read(rating: dict[str, Any], words: str, tmp_path: Path) -> None:
    assert read_feed(feed(tmp_path, review("It is wood.", 1, reviewRating=rating))).reviews[0].rating == words


def test_reviews_are_chosen_by_language_publisher_and_age(tmp_path: Path) -> None:
    recent = shifted(date.today(), -10).isoformat()
    first = {"inLanguage": "de-AT", "author": {"name": "Desk of Vienna"}, "datePublished": recent}
    second = {"inLanguage": "en", "author": {"name": "Old Desk"}, "datePublished": "2001-01-01"}
    claims = [review("The bridge is made of wood.", number, **more) for number, more in enumerate((first, second))]
    found = read_feed(feed(tmp_path, *claims, {"@type": "ClaimReview"}))
    assert found.remark.startswith("1 entry")

    def numbers(wanted: ReviewFilter) -> list[str]:
        hits = found.search("The bridge is made of wood.", WordEncoder(), wanted=wanted)
        return sorted(one.url[-1] for one in hits)

    assert numbers(ReviewFilter()) == ["0", "1"]
    assert numbers(ReviewFilter(language="de")) == ["0"]
    assert numbers(ReviewFilter(publisher="old desk")) == ["1"]
    assert numbers(ReviewFilter(days=30)) == ["0"]


class Alike:
    """An encoder to which all texts mean the same."""

    identity = ModelIdentity("alike", "")

    def encode(self, texts: Sequence[str], *, stop: Stop = never) -> NDArray[np.float32]:
        return np.ones((len(texts), 1), np.float32)


def test_a_paraphrase_in_a_claim_review_is_known_by_its_meaning() -> None:
    said, other = "Biden said he would ban fracking.", "The president promised to outlaw drilling"
    assert not same_meaning(said, other, None)
    assert same_meaning(said, other, Alike())
    assert not same_meaning("Trump won in 2020.", "The tycoon was victorious, 2016", Alike())
    assert same_meaning("They paid 12,000 crowns.", "Flowers for 12000", Alike())
    gives = LeakageCheck.of(said, encoder=Alike()).markup("https://a.example", [other])
    assert gives
    assert gives.reason is Reason.GIVES_AWAY


@pytest.mark.parametrize(("language", "shown"), [("", True), ("de", False)])
def test_verify_names_the_fact_checks_of_the_feed(
    language: str, shown: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    claim = "The Eiffel Tower is made of wood."
    written = feed(tmp_path, review(claim, 1, inLanguage="en", author={"name": "Desk"}), {"@type": "ClaimReview"})
    monkeypatch.setenv("VERIDESK_REVIEWS", str(written))
    options = SearchOptions(review_language=language)
    lines = review_lines(known_reviews(options, Case(Claim(claim)), WordEncoder()))
    assert lines[-1].startswith("1 entry")
    assert (f"Already checked: {claim} – False (Desk, https://checkers.example/1)" in lines) is shown


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
