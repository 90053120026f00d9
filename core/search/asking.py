"""Ask sources side by side, one query at a time, and count their answers."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from datetime import date
from math import fsum

from core.search.addresses import page_key
from core.search.crawl import Candidate
from core.search.rounds import QueryRounds
from core.search.sender import Sender
from core.search.text import query_text
from core.search.types import LocalSource, ResultPage, SearchFailure, Source, WebSource, described, lane_of
from core.search_report import FOUND, AskedQuery, Reason
from core.types import is_web_address
from core.wording import counted

FUSION = 60  # as in reciprocal rank fusion

PATIENCE_SECONDS = 3.0
"""How long a round waits for its slowest source, while others have answered."""

SLOW_SECONDS = 10.0
"""A source that takes longer to answer gets no further query."""


@dataclass(frozen=True)
class SourceProgress:
    """How far a source is: queries sent to it and answered, pages found, read and left out."""

    sent: int = 0
    answered: int = 0
    found: int = 0
    read: int = 0
    left_out: int = 0


@dataclass(frozen=True)
class SearchProgress:
    """How far a search is, by source; `query` is the later query that is being asked, if any."""

    sources: dict[str, SourceProgress] = field(default_factory=dict)
    query: str = ""

    @property
    def words(self) -> str:
        """Return it in words, a line each source."""
        lines = [
            f"{name}: {one.answered} of {counted(one.sent, 'query', 'queries')} answered, "
            f"{counted(one.found, 'page')} found, {one.read} read, {one.left_out} left out"
            for name, one in self.sources.items()
        ]
        return "\n".join([*lines, *([f"Now asking “{self.query}”"] if self.query else [])])


OnSearch = Callable[[SearchProgress], None]


def unheard(progress: SearchProgress) -> None:
    """The listener that takes no notice."""


@dataclass
class Counts:
    """Counts queries and pages by source, and reports the counts. Several threads share it."""

    tell: OnSearch
    state: SearchProgress = field(default_factory=SearchProgress)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, source: Source, **more: int) -> None:
        """Add to a source's counts."""
        name = described(source)
        with self.lock:
            was = self.state.sources.get(name, SourceProgress())
            now = replace(was, **{kind: getattr(was, kind) + count for kind, count in more.items()})
            self.state = replace(self.state, sources={**self.state.sources, name: now})
            self.tell(self.state)

    def now(self, query: str) -> None:
        """Name the later query that is sent now."""
        with self.lock:
            self.state = replace(self.state, query=query)
            self.tell(self.state)


Answer = tuple[AskedQuery, list[Candidate]]


@dataclass
class Asker:
    """Asks sources side by side, each for one query at a time. One that fails or is slow gets no more queries."""

    sources: Sequence[Source]
    sender: Sender
    before: date | None
    counts: Counts
    silent: dict[int, str] = field(default_factory=dict)
    at_work: dict[Future[list[Answer]], int] = field(default_factory=dict)
    fresh: list[Future[list[Answer]]] = field(default_factory=list)

    def __enter__(self) -> Asker:
        self.pool = ThreadPoolExecutor(max_workers=max(1, len(self.sources)))
        return self

    def __exit__(self, *raised: object) -> None:
        self.pool.shutdown(cancel_futures=True)

    @property
    def free(self) -> list[int]:
        """The places of the sources that get a query now: none that failed, or is still asked for another."""
        return [at for at in range(len(self.sources)) if at not in self.silent and at not in self.at_work.values()]

    def send(self, queries: Sequence[str]) -> None:
        """Send queries to all sources that are free."""
        free = self.free
        self.fresh = [self.pool.submit(self._ask_one, at, queries) for at in free]
        self.at_work.update(zip(self.fresh, free, strict=True))

    def answers(self, *, everything: bool) -> list[Answer]:
        """Return the answers that came: after a short wait for slow sources, or after waiting for `everything`."""
        if everything:
            wait(self.at_work)
        elif not any(future.done() for future in wait(self.fresh, timeout=PATIENCE_SECONDS).done):
            wait(self.at_work, return_when=FIRST_COMPLETED)
        done = [future for future in self.at_work if future.done()]
        order = sorted(done, key=self.at_work.__getitem__)
        for future in done:
            del self.at_work[future]
        return [answer for future in order for answer in future.result()]

    def _ask_one(self, at: int, queries: Sequence[str]) -> list[Answer]:
        source, answers = self.sources[at], list[Answer]()
        for query in queries:
            if not query.strip() or is_web_address(query.strip()) == source.can.words:
                continue
            if at in self.silent:
                told = AskedQuery(source.name, query, Reason.NOT_SENT, 0, self.silent[at])
                answers.append((told, []))
                continue
            self.counts.add(source, sent=1)
            began = time.monotonic()
            told, found = ask(source, query, 0, self.sender, self.before)
            self.counts.add(source, answered=not told.failed, found=len(found))
            answers.append((told, found))
            if told.failed:
                self.silent[at] = f"{source.title} had failed before, so it was not asked again."
            elif (taken := time.monotonic() - began) > SLOW_SECONDS:
                self.silent[at] = f"{source.title} took {taken:.0f} seconds to answer, so it was not asked again."
        return answers


def note_answers(rounds: QueryRounds, answers: Sequence[Answer]) -> None:
    """Tell the rounds which queries were sent, and whether all that they find is known."""
    cut: dict[str, bool] = {}
    count: Counter[str] = Counter()
    for told, found in answers:
        size = found[0].source.can.page_size if found else 1
        count[told.query] += len(found)
        cut[told.query] = cut.get(told.query, False) or told.failed or len(found) >= size
    for query, is_cut in cut.items():
        rounds.answered(query, all_known=not is_cut, found=count[query])


def ask(
    source: Source, query: str, page: int, sender: Sender, before: date | None
) -> tuple[AskedQuery, list[Candidate]]:
    """Return a source's answer to one query."""
    sent = query_text(query, source.can)
    nothing = SearchFailure(Reason.EMPTY, "Nothing is left of this query without its signs.")
    found = _answer(source, sent, page, sender, before) if sent else nothing
    if isinstance(found, SearchFailure):
        return AskedQuery(source.name, query, found.reason, 0, found.message), []
    start = page * source.can.page_size
    candidates = [Candidate(result, source, query, start + at) for at, result in enumerate(found.results, start=1)]
    status = FOUND if candidates else Reason.EMPTY
    return AskedQuery(
        source.name, query, status, len(candidates), "" if sent == query else f"Sent as: {sent}"
    ), candidates


def _answer(source: Source, query: str, page: int, sender: Sender, before: date | None) -> ResultPage | SearchFailure:
    if isinstance(source, LocalSource):
        return source.search(query, page, before)
    assert isinstance(source, WebSource)
    request = replace(source.request(query, page, before), query=query)
    answer = sender.send(request, pause=source.can.pause, own=source.can.own, lane=lane_of(source))
    if isinstance(answer, SearchFailure):
        return replace(answer, message=f"{source.title}: {answer.message}")
    return source.parse(answer.status, answer.headers, answer.body)


def fused(rankings: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    """Return each address once, as it was ranked best, by reciprocal rank fusion over all queries and sources."""
    named: dict[str, list[Candidate]] = {}
    for candidate in (candidate for ranking in rankings for candidate in ranking):
        named.setdefault(page_key(candidate.result.url), []).append(candidate)
    scored = [(fsum(1 / (FUSION + one.rank) for one in same), min(same, key=_rank)) for same in named.values()]
    return [candidate for _, candidate in sorted(scored, key=lambda item: (-item[0], item[1].rank))]


def _rank(candidate: Candidate) -> int:
    return candidate.rank
