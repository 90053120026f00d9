"""Brave Search, with a key."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from core.dates import parse_date, shifted
from core.search.sources.answers import changed, json_object, objects, text, with_query
from core.search.types import Capabilities, GetRequest, Headers, ResultPage, SearchFailure, SearchResult
from core.search_report import Reason
from core.types import is_web_address

API = "https://api.search.brave.com/res/v1/web/search"
OLDEST = "1990-01-01"
LAST_PAGE = 9


@dataclass(frozen=True)
class Brave:
    """Brave's web search API."""

    key: str = field(repr=False)
    title: str = "Brave"
    name: str = "brave"
    place: str = "api.search.brave.com"
    can = Capabilities(
        key="BRAVE_API_KEY", dated=True, longest_query=400, page_size=20, pause=1.1, cost="one of your plan's requests"
    )

    def request(self, query: str, page: int, before: date | None) -> GetRequest:
        fresh = {"freshness": f"{OLDEST}to{shifted(before, -1)}"} if before else {}
        words = " ".join(query.split()[:50])
        url = with_query(API, q=words, count=self.can.page_size, offset=min(page, LAST_PAGE), **fresh)
        return GetRequest(url, (("Accept", "application/json"), ("X-Subscription-Token", self.key)))

    def parse(self, status: int, headers: Headers, body: bytes) -> ResultPage | SearchFailure:
        if status == 422 and b"TOKEN" in body:
            return SearchFailure(Reason.KEY, f"{self.title} does not know this key; check {self.can.key}.")
        if status == 429 and headers.get("x-ratelimit-remaining", "").split(",")[-1].strip() == "0":
            return SearchFailure(Reason.QUOTA, f"{self.title}: the month's requests of this key are used up.")
        answer = json_object(self.title, status, headers, body)
        if isinstance(answer, SearchFailure):
            return answer
        web = answer.get("web", {} if answer.get("type") == "search" else None)  # left out where nothing was found
        if not isinstance(web, dict):
            return changed(self.title, "JSON without results")
        results = tuple(
            SearchResult(
                text(item, "url"),
                text(item, "title"),
                parse_date(text(item, "page_age")),
                snippet=text(item, "description"),
            )
            for item in objects(web.get("results"))
            if is_web_address(text(item, "url"))
        )
        query = answer.get("query")
        return ResultPage(results, more=isinstance(query, dict) and query.get("more_results_available") is True)
