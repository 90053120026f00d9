"""Google's Fact Check Tools: who has already checked this claim, with a key."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from core.dates import parse_date
from core.search.sources.answers import Json, changed, json_object, objects, text, with_query
from core.search.types import Capabilities, GetRequest, Headers, SearchFailure
from core.search_report import PublishedReview, Reason
from core.types import is_web_address

API = "https://factchecktools.googleapis.com/v1alpha1/claims:search"


@dataclass(frozen=True)
class GoogleReviews:
    """The Fact Check Tools API. Its results are shown beside the verdict and never influence it."""

    key: str = field(repr=False)
    title: str = "Google Fact Check Tools"
    name: str = "google-reviews"
    place: str = "factchecktools.googleapis.com"
    can = Capabilities(key="GOOGLE_FACT_CHECK_KEY", longest_query=500, page_size=10, pause=0.5)

    def request(self, query: str, page: int, before: date | None) -> GetRequest:
        # the key as a header: an address may end up in a log
        return GetRequest(with_query(API, query=query, pageSize=self.can.page_size), (("X-Goog-Api-Key", self.key),))

    def parse(self, status: int, headers: Headers, body: bytes) -> tuple[PublishedReview, ...] | SearchFailure:
        if status == 400 and b"API_KEY" in body:
            return SearchFailure(Reason.KEY, f"{self.title} does not know this key; check {self.can.key}.")
        answer = json_object(self.title, status, headers, body)
        if isinstance(answer, SearchFailure):
            return answer
        if answer and not isinstance(answer.get("claims"), list):
            return changed(self.title, "JSON without a list of claims")
        return tuple(
            _review(claim, review)
            for claim in objects(answer.get("claims"))
            for review in objects(claim.get("claimReview"))
            if is_web_address(text(review, "url"))
        )


def _review(claim: Json, review: Json) -> PublishedReview:
    publisher = review.get("publisher")
    who = publisher if isinstance(publisher, dict) else {}
    return PublishedReview(
        claim=text(claim, "text"),
        url=text(review, "url"),
        rating=text(review, "textualRating"),
        publisher=text(who, "name") or text(who, "site"),
        title=text(review, "title"),
        claimant=text(claim, "claimant"),
        claimed=parse_date(text(claim, "claimDate")),
        published=parse_date(text(review, "reviewDate")),
        language=text(review, "languageCode"),
    )
