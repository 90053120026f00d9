"""Read sites' robots.txt with Protego, by RFC 9309."""

from __future__ import annotations

import threading
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from core.http.fetching import FetchedResponse
from core.http.statuses import REDIRECTS
from core.search.addresses import joined
from core.search.sender import Sender
from core.search.types import GetRequest, SearchFailure
from core.search_report import Reason

AGENT = "Veridesk"
MAX_BYTES = 500_000  # RFC 9309: at least 500 kibibytes are read
MAX_DELAY_SECONDS = 10.0
_REDIRECTS = 5


@dataclass
class Robots:
    """The robots.txt of each site, fetched once."""

    sender: Sender
    rules: dict[str, Any] = field(default_factory=dict)
    locks: defaultdict[str, threading.Lock] = field(default_factory=lambda: defaultdict(threading.Lock))
    lock: threading.Lock = field(default_factory=threading.Lock)

    def failure(self, url: str, page: str) -> SearchFailure | None:
        """Return why a site's robots.txt forbids an address, or None.

        `page` is the requested page, which may have redirected to the address.
        """
        rules = self._rules_of(url, page)
        if isinstance(rules, SearchFailure):
            return rules
        if rules is None or rules.can_fetch(url, AGENT):
            return None
        return SearchFailure(Reason.ROBOTS, f"{url}: the site's robots.txt asks programs not to read this page.")

    def pause(self, url: str, page: str, pause: float) -> float:
        """Return the seconds to wait after a request to a site: `pause`, or the site's own longer pause."""
        rules = self._rules_of(url, page)
        asked = None if rules is None or isinstance(rules, SearchFailure) else rules.crawl_delay(AGENT)
        return max(pause, min(float(asked or 0), MAX_DELAY_SECONDS))

    def _rules_of(self, url: str, page: str) -> Any:
        """Return a site's rules; None without rules, a failure if they cannot be read."""
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        with self.lock:
            lock = self.locks[origin]
        with lock:
            if origin not in self.rules:
                self.rules[origin] = self._ask(origin, page)
        return self.rules[origin]

    def _ask(self, origin: str, page: str) -> Any:
        from protego import Protego

        answer = self._fetched(GetRequest(f"{origin}/robots.txt", page=page))
        if isinstance(answer, SearchFailure):
            return answer
        if answer.status == 200:
            return Protego.parse(answer.body[:MAX_BYTES].decode("utf-8", "replace"))
        if 400 <= answer.status < 500 and answer.status != 429:
            return None
        return SearchFailure(
            Reason.ROBOTS, f"{origin}: its robots.txt could not be read ({answer.status}), so nothing there is read."
        )

    def _fetched(self, request: GetRequest) -> FetchedResponse | SearchFailure:
        answer = self.sender.send(request, pause=0.0)
        for _ in range(_REDIRECTS):
            if isinstance(answer, SearchFailure) or answer.status not in REDIRECTS or not answer.location:
                break
            request = replace(request, url=joined(request.url, answer.location))
            answer = self.sender.send(request, pause=0.0)
        return answer
