"""A search from end to end: ask the sources, read the pages they name, choose the evidence."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from math import fsum

from core.dates import shifted
from core.interfaces import Encoder
from core.search.addresses import page_key
from core.search.crawl import Candidate, Crawler, Selection
from core.search.extraction import read_page
from core.search.leakage import LeakageCheck
from core.search.order import ADDED, Approve, ChosenPage, SearchPlan, always, check_plan
from core.search.reading import PAUSE_SECONDS, PageReader
from core.search.robots import Robots
from core.search.rounds import QueryRounds
from core.search.sender import Sender
from core.search.snapshots import Snapshots
from core.search.sources.wayback import Wayback
from core.search.text import query_text
from core.search.titles import by_title, no_article
from core.search.types import (
    Capabilities,
    LocalSource,
    ResultPage,
    SearchFailure,
    SearchResult,
    Source,
    WebSource,
    lane_of,
)
from core.search_report import FOUND, AskedQuery, Reason, SearchReport
from core.types import Claim, Document, is_web_address

FUSION = 60  # as in reciprocal rank fusion
BATCH = 3
"""Pages that are read between two rounds of queries."""

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
        """Return it in words."""
        parts = [
            f"{name}: {one.answered} of {one.sent} answered, {one.found} found, {one.read} read, "
            f"{one.left_out} left out"
            for name, one in self.sources.items()
        ]
        return "; ".join([*parts, *([f"now asking “{self.query}”"] if self.query else [])])


OnSearch = Callable[[SearchProgress], None]


def unheard(progress: SearchProgress) -> None:
    """The listener that takes no notice."""


@dataclass(frozen=True)
class Tools:
    """The tools of a search, beyond its sources; `pause` is that of `PageReader`.

    Without an encoder titles are ranked by words alone.
    """

    snapshots: Snapshots
    sender: Sender
    pause: float = PAUSE_SECONDS
    encoder: Encoder | None = None


def first_late_day(claim: Claim, *, same_day: bool) -> date | None:
    """Return the first day that is too late for evidence on a claim; None for a claim without a date."""
    if claim.date is None:
        return None
    return shifted(claim.date, 1) if same_day else claim.date


def search(
    claim: Claim,
    plan: SearchPlan,
    sources: Sequence[Source],
    tools: Tools,
    on_progress: OnSearch = unheard,
    approve: Approve = always,
) -> tuple[list[Document], SearchReport]:
    """Return the documents that a search brings, and its report. Raises BadInput for a broken plan, Cancelled."""
    check_plan(plan)
    before = first_late_day(claim, same_day=plan.same_day)
    leakage = LeakageCheck.of(claim.text, plan.own_fact_checks, encoder=tools.encoder)
    reader = PageReader(tools.sender, Robots(tools.sender), leakage, before, tools.pause)
    wayback = next((source for source in sources if isinstance(source, Wayback)), None)
    crawler = Crawler(reader, tools.snapshots, partial(read_page, stop=tools.sender.stop), wayback)
    with Asker(sources, tools.sender, before, Counts(on_progress)) as asker:
        if plan.chosen:
            plan = replace(plan, later=0, pages=len(plan.chosen))
        return Hunt(claim, plan, asker, crawler, Selection(reader, before, plan.include_late), tools, approve).run()


@dataclass
class Counts:
    """Counts queries and pages by source, and reports the counts. Several threads share it."""

    tell: OnSearch
    state: SearchProgress = field(default_factory=SearchProgress)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, source: str, **more: int) -> None:
        """Add to a source's counts."""
        with self.lock:
            was = self.state.sources.get(source, SourceProgress())
            now = replace(was, **{name: getattr(was, name) + count for name, count in more.items()})
            self.state = replace(self.state, sources={**self.state.sources, source: now})
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

    def send(self, queries: Sequence[str]) -> int:
        """Send queries to all sources that are free, and return how many these are."""
        free = [at for at in range(len(self.sources)) if at not in self.silent and at not in self.at_work.values()]
        self.fresh = [self.pool.submit(self._ask_one, at, queries) for at in free]
        self.at_work.update(zip(self.fresh, free, strict=True))
        return len(free)

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
            self.counts.add(source.name, sent=1)
            began = time.monotonic()
            told, found = ask(source, query, 0, self.sender, self.before)
            self.counts.add(source.name, answered=not told.failed, found=len(found))
            answers.append((told, found))
            if told.failed:
                self.silent[at] = f"{source.title} had failed before, so it was not asked again."
            elif (taken := time.monotonic() - began) > SLOW_SECONDS:
                self.silent[at] = f"{source.title} took {taken:.0f} seconds to answer, so it was not asked again."
        return answers


@dataclass
class Hunt:
    """One search: rounds of queries, the best titles of each, and the pages that were read."""

    claim: Claim
    plan: SearchPlan
    asker: Asker
    crawler: Crawler
    selection: Selection
    tools: Tools
    approve: Approve
    asked: list[AskedQuery] = field(default_factory=list)
    rankings: list[list[Candidate]] = field(default_factory=list)
    done: set[str] = field(default_factory=set)
    pages: int = 0

    def run(self) -> tuple[list[Document], SearchReport]:
        """Ask, read the best pages, and ask again while the passages found do not speak of the whole claim.

        Of pages that a person chose, just these are read.
        """
        if self.plan.chosen:
            self.asked.extend(self.plan.asked)
            self.read_these([candidate_of(page, self.asker) for page in self.plan.chosen])
            return self.outcome()
        rounds = QueryRounds(self.claim)
        self.asker.send(self.plan.queries)
        left = self.plan.later
        self.take(rounds, everything=not left)
        while left:
            self.read(min(self.plan.pages // 2 - self.pages, BATCH))
            query = self.next_query(rounds)
            if not query:
                break
            self.asker.counts.now(query)
            if not self.asker.send([query]):
                break
            left -= 1
            self.take(rounds, everything=False)
        self.take(rounds, everything=True)
        self.read(self.plan.pages - self.pages)
        for candidate in self.unread():
            over = f"{candidate.result.url}: {self.plan.pages} pages were to be read, and others came before it."
            self.leave(candidate, SearchFailure(Reason.LIMIT, over))
        return self.outcome()

    def outcome(self) -> tuple[list[Document], SearchReport]:
        """Return the documents and the report."""
        chosen = self.selection
        return chosen.documents, SearchReport(tuple(self.asked), tuple(chosen.origins), tuple(chosen.left_out))

    def next_query(self, rounds: QueryRounds) -> str:
        """Return the next query that may be sent, "" if there is none."""
        titles = [candidate.result.title for candidate in self.ranked() if candidate.result.title]
        while query := rounds.next(titles, self.selection.documents):
            if self.approve(query):
                return query
            rounds.answered(query, all_known=False)
        return ""

    def take(self, rounds: QueryRounds, *, everything: bool) -> None:
        """Take in the answers that came."""
        cut: dict[str, bool] = {}
        count: Counter[str] = Counter()
        for told, found in self.asker.answers(everything=everything):
            self.asked.append(told)
            self.rankings.append(found)
            size = found[0].source.can.page_size if found else 1
            count[told.query] += len(found)
            cut[told.query] = cut.get(told.query, False) or told.failed or len(found) >= size
        for query, is_cut in cut.items():
            rounds.answered(query, all_known=not is_cut, found=count[query])

    def ranked(self) -> list[Candidate]:
        """Return all pages found, best first."""
        return by_title(self.claim.text, fused(self.rankings), self.tools.encoder)

    def unread(self) -> list[Candidate]:
        """Return the pages that wait to be read, best first; those that are no article are left out."""
        waiting = []
        for candidate in self.ranked():
            if page_key(candidate.result.url) in self.done:
                continue
            if failure := no_article(candidate.result):
                self.leave(candidate, failure)
            else:
                waiting.append(candidate)
        return waiting

    def leave(self, candidate: Candidate, failure: SearchFailure) -> None:
        self.done.add(page_key(candidate.result.url))
        self.selection.leave(candidate, failure)
        self.asker.counts.add(candidate.source.name, left_out=1)

    def read(self, most: int) -> None:
        """Read up to `most` of the pages that wait."""
        self.read_these(self.unread()[: max(0, most)])

    def read_these(self, batch: Sequence[Candidate]) -> None:
        """Read these pages."""
        self.done |= {page_key(candidate.result.url) for candidate in batch}
        self.pages += len(batch)
        readings = self.crawler.crawl(batch, lambda one: self.asker.counts.add(one.source.name, read=1))
        for candidate, reading in zip(batch, readings, strict=True):
            before = len(self.selection.left_out)
            self.selection.take(candidate, reading)
            self.asker.counts.add(candidate.source.name, left_out=len(self.selection.left_out) - before)


@dataclass(frozen=True)
class AddedByPerson:
    """The person, as a source: of the addresses that they add to the titles found."""

    name: str = "you"
    title: str = "You"
    place: str = ""
    can = Capabilities()


def candidate_of(page: ChosenPage, asker: Asker) -> Candidate:
    """Return a page that a person chose; a source on this machine brings its text along again."""
    result = SearchResult(page.url, page.title, page.published)
    if page.source == ADDED:
        return Candidate(result, AddedByPerson(), page.query, page.rank)
    source = asker.sources[page.source]
    if isinstance(source, LocalSource):
        _, found = ask(source, page.query, 0, asker.sender, asker.before)
        result = next((one.result for one in found if one.result.url == page.url), result)
    return Candidate(result, source, page.query, page.rank)


def find_titles(
    claim: Claim, plan: SearchPlan, sources: Sequence[Source], sender: Sender, encoder: Encoder | None
) -> tuple[list[ChosenPage], tuple[AskedQuery, ...]]:
    """Return the pages that a plan's first queries find, best first, and the answers. No page is read.

    Lists of names and stubs are left out. Raises BadInput for a broken plan, Cancelled.
    """
    check_plan(plan)
    with Asker(sources, sender, first_late_day(claim, same_day=plan.same_day), Counts(unheard)) as asker:
        asker.send(plan.queries)
        answers = asker.answers(everything=True)
    found = by_title(claim.text, fused([candidates for _, candidates in answers]), encoder)
    pages = [
        ChosenPage(one.result.url, one.result.title, list(sources).index(one.source), one.query, one.rank, published)
        for one in found
        if no_article(one.result) is None
        for published in [one.result.published]
    ]
    return pages, tuple(told for told, _ in answers)


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
