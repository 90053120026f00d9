"""A search from end to end: ask the sources, read the pages they name, choose the evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from math import fsum

from core.dates import shifted
from core.search.addresses import page_key
from core.search.crawl import Candidate, Crawler, Selection
from core.search.extraction import read_page
from core.search.leakage import LeakageCheck
from core.search.order import SearchPlan, check_plan
from core.search.reading import PAUSE_SECONDS, PageReader
from core.search.robots import Robots
from core.search.sender import Sender
from core.search.snapshots import Snapshots
from core.search.sources.answers import is_web
from core.search.sources.wayback import Wayback
from core.search.text import query_text
from core.search.types import LocalSource, ResultPage, SearchFailure, Source, WebSource
from core.search_report import FOUND, AskedQuery, Reason, SearchReport
from core.types import Claim, Document

FUSION = 60  # as in reciprocal rank fusion


@dataclass(frozen=True)
class SearchProgress:
    """How far a search is: by source, how many pages were read of how many that were found."""

    read: dict[str, int] = field(default_factory=dict)
    found: dict[str, int] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """Return it in words: "wikipedia 3 of 10, gdelt 1 of 25"."""
        return ", ".join(f"{name} {self.read.get(name, 0)} of {found}" for name, found in self.found.items())


OnSearch = Callable[[SearchProgress], None]


def unheard(progress: SearchProgress) -> None:
    """The listener that takes no notice."""


@dataclass(frozen=True)
class Tools:
    """The tools of a search, beyond its sources; `pause` is that of `PageReader`."""

    snapshots: Snapshots
    sender: Sender
    pause: float = PAUSE_SECONDS


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
) -> tuple[list[Document], SearchReport]:
    """Return the documents that a search brings, and its report. Raises BadInput for a broken plan, Cancelled."""
    check_plan(plan)
    before = first_late_day(claim, same_day=plan.same_day)
    sender = tools.sender
    leakage = LeakageCheck.of(claim.text, plan.own_fact_checks)
    reader = PageReader(sender, Robots(sender), leakage, before, tools.pause)
    wayback = next((source for source in sources if isinstance(source, Wayback)), None)
    asked = ask_all(sources, plan.queries, sender, before)
    candidates = fused([found for _, found in asked])
    progress = FindingProgress(candidates[: plan.pages], on_progress)
    crawler = Crawler(reader, tools.snapshots, partial(read_page, stop=sender.stop), wayback)
    readings = crawler.crawl(candidates[: plan.pages], progress.add)
    selection = Selection(reader, before, plan.include_late)
    for candidate, reading in zip(candidates, readings, strict=False):
        selection.take(candidate, reading)
    for candidate in candidates[plan.pages :]:
        over = f"{candidate.result.url}: {plan.pages} pages were to be read, and others came before it."
        selection.leave(candidate, SearchFailure(Reason.LIMIT, over))
    searches = tuple(asking for asking, _ in asked)
    return selection.documents, SearchReport(searches, tuple(selection.origins), tuple(selection.left_out))


@dataclass
class FindingProgress:
    """Counts pages by source and reports the counts."""

    candidates: Sequence[Candidate]
    tell: OnSearch
    state: SearchProgress = field(init=False)

    def __post_init__(self) -> None:
        names = [candidate.source.name for candidate in self.candidates]
        self.state = SearchProgress({}, {name: names.count(name) for name in dict.fromkeys(names)})
        self.tell(self.state)

    def add(self, candidate: Candidate) -> None:
        """Count one page. Called by several threads, which may at worst tell of the same state twice."""
        name = candidate.source.name
        self.state = replace(self.state, read={**self.state.read, name: self.state.read.get(name, 0) + 1})
        self.tell(self.state)


def ask_all(
    sources: Sequence[Source], queries: Sequence[str], sender: Sender, before: date | None
) -> list[tuple[AskedQuery, list[Candidate]]]:
    """Return each source's answer to each query, in their order; one that fails does not stop the others."""

    def ask_one(source: Source) -> list[tuple[AskedQuery, list[Candidate]]]:
        asked = (query for query in queries if query.strip() and is_web(query.strip()) != source.can.words)
        return [ask(source, query, 0, sender, before) for query in asked]

    with ThreadPoolExecutor(max_workers=max(1, len(sources))) as pool:
        return [answer for answers in pool.map(ask_one, sources) for answer in answers]


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
    answer = sender.send(request, pause=source.can.pause, own=source.can.own)
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
