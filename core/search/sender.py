"""The one place from which searching sends anything: consent, addresses, rates, Retry-After, retries, deadlines."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from core.errors import BadInput, Cancelled, NotPublic, TooLarge
from core.http.fetching import FetchedResponse, Visit, get, target
from core.http.public_addresses import Address, Allowed, is_public
from core.http.retries import ATTEMPTS, BUSY, MAX_WAIT_SECONDS, wait_before_retry
from core.interfaces import Stop, never
from core.search.consent import Consent
from core.search.types import GetRequest, SearchFailure
from core.search_report import Reason

_POLL_SECONDS = 0.1


def user_agent(contact: str) -> str:
    """Return our User-Agent; `contact` is the address of the person who runs this program."""
    return f"Veridesk/0.1 (fact-checking at a person's request; contact: {contact or 'not given'})"


def anywhere(address: Address) -> bool:
    """The rule for addresses that the person who runs this program configured."""
    return True


@dataclass
class Lane:
    """The state of one service: one request at a time, none before `free` (of time.monotonic)."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    free: float = 0.0


@dataclass
class Sender:
    """Sends the GET requests that a person agreed to: one at a time to a service, with a pause between.

    `allowed` says which internet addresses may be connected to where an address was found and not configured.
    """

    consent: Consent
    contact: str = ""
    allowed: Allowed = is_public
    seconds: float = 20.0
    bytes: int = 10_000_000
    stop: Stop = never
    lanes: defaultdict[tuple[str, int, str], Lane] = field(default_factory=lambda: defaultdict(Lane))
    lock: threading.Lock = field(default_factory=threading.Lock)
    asked: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    pages: set[str] = field(default_factory=set)

    def send(
        self, request: GetRequest, *, pause: float, own: bool = False, lane: str = ""
    ) -> FetchedResponse | SearchFailure:
        """Return the answer, of any status, or why there is none; redirects are not followed.

        `pause` is how many seconds the server is then left alone; `own` says that its address was configured. A server
        that names a time to return is asked again then, if that is within MAX_WAIT_SECONDS. It keeps only its own
        `lane` waiting: each service on a host has one, and each port. Raises Cancelled.
        """
        try:
            found = target(request.url)
        except BadInput as error:
            return SearchFailure(Reason.REFUSED, str(error))
        host = found.host.lower()
        if not self._agreed(request):
            return SearchFailure(Reason.REFUSED, f"{host}: nobody agreed to this request, so it was not sent.")
        answer: FetchedResponse | SearchFailure = SearchFailure(Reason.NO_ANSWER, f"{host}: nothing was sent.")
        for attempt in range(ATTEMPTS):
            with self._turn((host, found.port, lane)) as turn:
                if (wait := turn.free - time.monotonic()) > MAX_WAIT_SECONDS:
                    return _left_alone(host, wait)
                self._sleep(wait)
                answer = self._ask(request, own)
                turn.free = time.monotonic() + pause
                if not isinstance(answer, FetchedResponse) or answer.status not in BUSY:
                    return answer
                wait = wait_before_retry(attempt, answer.headers)
                turn.free = max(turn.free, time.monotonic() + wait)
        return answer

    def _agreed(self, request: GetRequest) -> bool:
        """Say whether a request is among those that the person agreed to, and count it."""
        consent, place = self.consent, urlsplit(request.url).netloc
        with self.lock:
            if request.page:
                named = not consent.named or request.page in consent.named
                return named and _taken(request.page, self.pages, most=consent.pages)
            if request.query in consent.queries.get(place, ()):
                return True
            return bool(request.query) and _taken(request.url, self.asked[place], most=consent.most.get(place, 0))

    @contextmanager
    def _turn(self, key: tuple[str, int, str]) -> Iterator[Lane]:
        """Wait until no other thread asks in this lane for anything."""
        with self.lock:
            lane = self.lanes[key]
        while not lane.lock.acquire(timeout=_POLL_SECONDS):
            self._sleep(0)
        try:
            yield lane
        finally:
            lane.lock.release()

    def _sleep(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while True:
            if self.stop():
                raise Cancelled("Stopped.")
            left = end - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(_POLL_SECONDS, left))

    def _ask(self, request: GetRequest, own: bool) -> FetchedResponse | SearchFailure:
        headers = {"User-Agent": user_agent(self.contact), **dict(request.headers)}
        shown = request.url.partition("?")[0]  # the rest may hold a key, which no message may repeat
        visit = Visit(
            shown,
            time.monotonic() + self.seconds,
            self.seconds,
            self.bytes,
            self.stop,
            anywhere if own else self.allowed,
            headers,
            errors=True,
        )
        try:
            return get(replace(target(request.url), url=shown), visit)
        except NotPublic as error:
            return SearchFailure(Reason.REFUSED, str(error))
        except TooLarge as error:
            return SearchFailure(Reason.TOO_LARGE, str(error))
        except BadInput as error:
            return SearchFailure(Reason.NO_ANSWER, str(error))


def _taken(one: str, taken: set[str], *, most: int) -> bool:
    """Take one more of a kind, unless there are as many as may be; the same one counts once."""
    if one not in taken and len(taken) >= most:
        return False
    taken.add(one)
    return True


def _left_alone(host: str, seconds: float) -> SearchFailure:
    message = f"{host} asks to be left alone for {seconds:.0f} more seconds."
    return SearchFailure(Reason.RATE_LIMIT, message)
