"""SearXNG, a metasearch engine that a newsroom can run itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from urllib.parse import urlsplit

from core.dates import parse_date
from core.errors import without_middle
from core.search.sources.answers import base_address, changed, json_object, objects, text, with_query
from core.search.types import Capabilities, GetRequest, Headers, ResultPage, SearchFailure, SearchResult
from core.search_report import Reason
from core.types import is_web_address
from core.wording import readable_name


@dataclass(frozen=True)
class SearXNG:
    """The SearXNG (or searx) at `base`."""

    base: str
    title: str = "SearXNG"
    name: str = "searxng"
    can = Capabilities(longest_query=400, page_size=10, pause=1.0, own=True)

    @property
    def place(self) -> str:
        return urlsplit(self.base).netloc

    def request(self, query: str, page: int, before: date | None) -> GetRequest:
        return GetRequest(with_query(f"{self.base}/search", q=query, format="json", pageno=page + 1))

    def parse(self, status: int, headers: Headers, body: bytes) -> ResultPage | SearchFailure:
        if status == 403:
            return SearchFailure(
                Reason.REFUSED, f"{self.title} does not hand out JSON; allow the format “json” in its settings.yml."
            )
        answer = json_object(self.title, status, headers, body)
        if isinstance(answer, SearchFailure):
            return answer
        if not isinstance(answer.get("results"), list):
            return changed(self.title, "JSON without a list of results")
        results = tuple(
            SearchResult(
                text(item, "url"),
                text(item, "title"),
                parse_date(text(item, "publishedDate")),
                snippet=text(item, "content"),
            )
            for item in objects(answer["results"])
            if is_web_address(text(item, "url"))
        )
        silent = answer.get("unresponsive_engines")
        if not results and isinstance(silent, list) and silent:
            names = sorted({readable_name(item[0]) for item in silent if isinstance(item, list) and item})
            said = without_middle(", ".join(names), 200)
            return SearchFailure(Reason.NO_ANSWER, f"{self.title}: its engines did not answer ({said}).")
        return ResultPage(results, more=bool(results))


def searxng(address: str) -> SearXNG:
    """Open the SearXNG at an address. Raises BadInput if that is no address."""
    return SearXNG(base_address("searxng", address))
