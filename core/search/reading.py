"""One address to one page: through robots.txt, redirects and archives, or to the reason why not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from core.http.fetching import FetchedResponse
from core.http.statuses import OTHER_STATUS, REDIRECTS, STATUSES
from core.search.addresses import host_of, joined, unwrapped
from core.search.leakage import LeakageCheck
from core.search.robots import Robots
from core.search.sender import Sender
from core.search.types import GetRequest, HttpExchange, Page, SearchFailure, SearchResult, Source, Versioned, lane_of
from core.search_report import Reason

MAX_REDIRECTS = 5
PAUSE_SECONDS = 1.0
_REASONS = {
    **dict.fromkeys((401, 402, 403, 407), Reason.WALL),
    **dict.fromkeys((404, 410, 451), Reason.GONE),
    **dict.fromkeys((429, 503), Reason.RATE_LIMIT),
}


@dataclass(frozen=True)
class PageReader:
    """Reads pages, each hop of them by the same rules."""

    sender: Sender
    robots: Robots
    leakage: LeakageCheck
    before: date | None = None
    pause: float = PAUSE_SECONDS

    def read(self, result: SearchResult, source: Source) -> Page | SearchFailure:
        """Return the page that a source named, or why it cannot be read. Raises Cancelled."""
        if failure := self.leakage.address(result.url):
            return failure
        if result.page:
            return result.page
        if isinstance(source, Versioned):
            return self.version(result.url, source)
        return self._follow(result.url)

    def version(self, url: str, source: Versioned) -> Page | SearchFailure:
        """Return the page's last version before the claim, from its source."""
        answer = self._ask(source.version_request(url, self.before), source, url)
        if isinstance(answer, SearchFailure):
            return answer
        version = source.parse_version(url, answer.status, answer.headers, answer.body)
        if isinstance(version, SearchFailure):
            return version
        answer = self._ask(version.request, source, url)
        if isinstance(answer, SearchFailure):
            return answer
        page = source.parse_page(version, answer.status, answer.headers, answer.body)
        if isinstance(page, SearchFailure):
            return page
        return replace(page, exchange=exchange_of(version.request.url, answer))

    def _ask(self, request: GetRequest, source: Versioned, page: str) -> FetchedResponse | SearchFailure:
        can = source.can
        return self.sender.send(replace(request, page=page), pause=can.pause, own=can.own, lane=lane_of(source))

    def _follow(self, url: str) -> Page | SearchFailure:
        start = url
        for _ in range(MAX_REDIRECTS + 1):
            if not host_of(url):
                return SearchFailure(Reason.REFUSED, f"{start}: this is not a web address, or it forwards to none.")
            if failure := self.leakage.address(url) or self.robots.failure(url, start):
                return failure
            answer = self.sender.send(GetRequest(url, page=start), pause=self.robots.pause(url, start, self.pause))
            if isinstance(answer, SearchFailure):
                return answer
            if answer.status not in REDIRECTS or not answer.location:
                return page_of(url, answer)
            url = joined(url, answer.location)
        return SearchFailure(Reason.NO_ANSWER, f"{start}: this address forwards more than {MAX_REDIRECTS} times.")


def exchange_of(url: str, answer: FetchedResponse) -> HttpExchange | None:
    """Return a request and its answer as an archive keeps them; None where nobody noted the time."""
    if answer.at is None:
        return None
    return HttpExchange(url, answer.at, answer.status, answer.sent, answer.received, answer.body)


def page_of(url: str, answer: FetchedResponse) -> Page | SearchFailure:
    """Return the page in an answer, or the meaning of its status."""
    if answer.status == 200 and answer.body:
        _, captured = unwrapped(url)
        exchange = exchange_of(url, answer)
        return Page(url, answer.body, answer.kind, answer.charset, captured=captured, exchange=exchange)
    if answer.status == 200:
        return SearchFailure(Reason.EMPTY, f"{url}: the server answered with nothing.")
    reason, meaning = _REASONS.get(answer.status, Reason.NO_ANSWER), STATUSES.get(answer.status, OTHER_STATUS).page
    return SearchFailure(reason, f"{url}: the server answered {answer.status}: {meaning}.")
