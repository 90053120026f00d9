"""GDELT: the world's online news by day, since 2017."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from core.dates import parse_date, shifted
from core.search.sources.answers import changed, json_object, objects, text, with_query
from core.search.types import Capabilities, GetRequest, Headers, ResultPage, SearchFailure, SearchResult
from core.search_report import Reason
from core.types import is_web_address

API = "https://api.gdeltproject.org/api/v2/doc/doc"
WINDOW_DAYS = 365


@dataclass(frozen=True)
class Gdelt:
    """GDELT's DOC 2.0 API. It has no pages of results: page n are the best of the year that ended n years before."""

    title: str = "GDELT"
    name: str = "gdelt"
    place: str = "api.gdeltproject.org"
    can = Capabilities(dated=True, longest_query=250, page_size=25, pause=5.0)

    def request(self, query: str, page: int, before: date | None) -> GetRequest:
        end = shifted(before or shifted(date.today(), 1), -page * WINDOW_DAYS)
        last = shifted(end, -1)
        window = {"startdatetime": f"{shifted(end, -WINDOW_DAYS):%Y%m%d}000000", "enddatetime": f"{last:%Y%m%d}235959"}
        size = self.can.page_size
        return GetRequest(with_query(API, query=query, mode="artlist", format="json", maxrecords=size, **window))

    def parse(self, status: int, headers: Headers, body: bytes) -> ResultPage | SearchFailure:
        if status == 200 and body.strip() and not body.lstrip().startswith((b"{", b"<")):
            said = " ".join(body[:200].decode("utf-8", "replace").split())
            return SearchFailure(Reason.NO_ANSWER, f"{self.title} did not take the query: “{said}”")
        answer = json_object(self.title, status, headers, body)
        if isinstance(answer, SearchFailure):
            return answer
        if answer and not isinstance(answer.get("articles"), list):
            return changed(self.title, "JSON without a list of articles")
        return ResultPage(
            tuple(
                SearchResult(text(item, "url"), text(item, "title"), _day(text(item, "seendate")))
                for item in objects(answer.get("articles"))
                if is_web_address(text(item, "url"))
            ),
            more=True,
        )


def _day(seen: str) -> date | None:
    """Return the day of "20201031T124500Z"."""
    return parse_date(f"{seen[:4]}-{seen[4:6]}-{seen[6:8]}") if seen[:8].isdecimal() else None
