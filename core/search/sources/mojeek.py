"""Mojeek, a search engine with an index of its own, with a key."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from core.dates import parse_date
from core.search.sources.answers import changed, json_object, objects, text, with_query
from core.search.types import Capabilities, GetRequest, Headers, ResultPage, SearchFailure, SearchResult
from core.search_report import Reason
from core.types import is_web_address

API = "https://www.mojeek.com/search"


@dataclass(frozen=True)
class Mojeek:
    """Mojeek's search API; its results begin at `s`, counted from 1."""

    key: str = field(repr=False)
    title: str = "Mojeek"
    name: str = "mojeek"
    place: str = "www.mojeek.com"
    can = Capabilities(
        key="MOJEEK_API_KEY", dated=True, longest_query=300, page_size=10, pause=1.0, cost="one of your plan's requests"
    )

    def request(self, query: str, page: int, before: date | None) -> GetRequest:
        size = self.can.page_size
        until = {"before": f"{before:%Y%m%d}"} if before else {}
        return GetRequest(with_query(API, api_key=self.key, q=query, fmt="json", s=page * size + 1, t=size, **until))

    def parse(self, status: int, headers: Headers, body: bytes) -> ResultPage | SearchFailure:
        answer = json_object(self.title, status, headers, body)
        if isinstance(answer, SearchFailure):
            return answer
        response = answer.get("response")
        if not isinstance(response, dict):
            return changed(self.title, "JSON without a response")
        if (said := text(response, "status")) != "OK":
            return self._refusal(said)
        results = tuple(
            SearchResult(
                text(item, "url"), text(item, "title"), parse_date(text(item, "date")), snippet=text(item, "desc")
            )
            for item in objects(response.get("results"))
            if is_web_address(text(item, "url"))
        )
        return ResultPage(results, more=len(results) == self.can.page_size)

    def _refusal(self, said: str) -> SearchFailure:
        low = said.lower()
        reason = Reason.KEY if "key" in low else Reason.QUOTA if "limit" in low or "quota" in low else Reason.NO_ANSWER
        return SearchFailure(reason, f"{self.title} answered “{said[:200]}”; check {self.can.key}.")
