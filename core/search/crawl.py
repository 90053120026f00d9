"""Read many addresses into documents: several servers at once; each page is checked for its date and for leaks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial

from core.search.addresses import page_key, server_of
from core.search.extraction import Extracted
from core.search.leakage import is_fact_checker
from core.search.reading import PageReader
from core.search.snapshots import Snapshots
from core.search.sources.wayback import Wayback
from core.search.text import Duplicates
from core.search.types import Page, SearchFailure, SearchResult, Source
from core.search_report import LeftOut, Origin, Reason, When
from core.types import Document

SERVERS_AT_ONCE = 40


@dataclass(frozen=True)
class Candidate:
    """An address that a source named for a query, at a rank from 1."""

    result: SearchResult
    source: Source
    query: str
    rank: int


@dataclass(frozen=True)
class ReadPage:
    """A page that was read, its content, and the digest of its snapshot."""

    page: Page
    extracted: Extracted
    snapshot: str


Reading = ReadPage | SearchFailure


def _at_once(candidate: Candidate, read: Callable[[], Reading]) -> Reading:
    return read()


@dataclass(frozen=True)
class Crawler:
    """Reads pages; `extract` returns the content of one.

    `wayback` brings back pages that are gone or were changed after the claim; None if not wanted. `recall` may return
    known content in place of reading the page.
    """

    reader: PageReader
    snapshots: Snapshots
    extract: Callable[[Page], Extracted | SearchFailure]
    wayback: Wayback | None = None
    recall: Callable[[Candidate, Callable[[], Reading]], Reading] = _at_once

    def crawl(self, candidates: Sequence[Candidate], report: Callable[[Candidate], None]) -> list[Reading]:
        """Return the reading of each candidate, in their order; call `report` for each that is done.

        Raises Cancelled if the sender is stopped.
        """
        servers: dict[str, list[int]] = defaultdict(list)
        for place, candidate in enumerate(candidates):
            servers[server_of(candidate.result.url)].append(place)
        readings: dict[int, Reading] = {}

        def visit(places: list[int]) -> None:
            for place in places:
                readings[place] = self.recall(candidates[place], partial(self.read, candidates[place]))
                report(candidates[place])

        with ThreadPoolExecutor(max_workers=max(1, min(SERVERS_AT_ONCE, len(servers)))) as pool:
            for visited in [pool.submit(visit, places) for places in servers.values()]:
                visited.result()
        return [readings[place] for place in range(len(candidates))]

    def read(self, candidate: Candidate) -> Reading:
        """Read one page, or its last copy from before the claim where that is wanted and needed."""
        reading = self._kept(self.reader.read(candidate.result, candidate.source))
        if self.wayback and self._wants_copy(reading):
            copy = self._kept(self.reader.version(candidate.result.url, self.wayback))
            return copy if isinstance(copy, ReadPage) else reading
        return reading

    def _kept(self, page: Page | SearchFailure) -> Reading:
        if isinstance(page, SearchFailure):
            return page
        if page.url and (failure := self.reader.leakage.address(page.url)):
            return failure
        extracted = self.extract(page)
        if isinstance(extracted, SearchFailure):
            return extracted
        if extracted.wall:
            return SearchFailure(Reason.WALL, f"{page.url}: the site shows {extracted.wall} in place of the page.")
        if not extracted.document.text:
            return SearchFailure(Reason.EMPTY, f"{page.url}: this page holds no text.")
        return ReadPage(page, extracted, self.snapshots.keep(page))

    def _wants_copy(self, reading: Reading) -> bool:
        if isinstance(reading, SearchFailure):
            return reading.reason is Reason.GONE
        return changed_after(reading.extracted, self.reader.before) is not None


@dataclass
class Selection:
    """Chooses among the pages read, in their order. Late pages, leaks and duplicates are left out.

    `before` is the first day that is too late, None if no day is; `include_late` takes late pages as well.
    """

    reader: PageReader
    before: date | None
    include_late: bool = False
    documents: list[Document] = field(default_factory=list)
    origins: list[Origin] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    duplicates: Duplicates = field(default_factory=Duplicates)
    keys: dict[str, str] = field(default_factory=dict)

    def take(self, candidate: Candidate, reading: Reading) -> None:
        """Take a page in, or note why it is left out."""
        failure = reading if isinstance(reading, SearchFailure) else self._objection(candidate, reading)
        if failure or isinstance(reading, SearchFailure):
            assert failure
            self.leave(candidate, failure)
            return
        document = dated(reading, candidate)
        origin = self._origin(candidate, reading, document)
        self.documents.append(replace(document, date_source=origin.date_source))
        self.origins.append(origin)

    def leave(self, candidate: Candidate, failure: SearchFailure) -> None:
        """Note why an address gives no document."""
        url, source, query = candidate.result.url, candidate.source.name, candidate.query
        self.left_out.append(LeftOut(url, failure.reason, failure.message, source, query))

    def _objection(self, candidate: Candidate, reading: ReadPage) -> SearchFailure | None:
        url, extracted = reading.page.url, reading.extracted
        gives = self.reader.leakage
        if failure := gives.address(url) or gives.address(extracted.canonical) or gives.markup(url, extracted.reviewed):
            return failure
        published = dated(reading, candidate).published
        if when(published, reading.page.existed, self.before) is When.AFTER and not self.include_late:
            return SearchFailure(Reason.LATE, f"{url}: published on {published}, after the claim.")
        key = page_key(extracted.canonical or url)
        other = self.keys.setdefault(key, url)
        other = other if other != url else self.duplicates.seen(url, extracted.document.text)
        return SearchFailure(Reason.DUPLICATE, f"{url}: the same text as {other}.") if other else None

    def _origin(self, candidate: Candidate, reading: ReadPage, document: Document) -> Origin:
        own = reading.extracted.document.published
        return Origin(
            url=document.url,
            digest=document.digest,
            source=candidate.source.name,
            query=candidate.query,
            rank=candidate.rank,
            snapshot=reading.snapshot,
            when=when(document.published, reading.page.existed, self.before),
            published=document.published,
            date_source=_date_source(reading, candidate) if not own else reading.extracted.date_source,
            changed=changed_after(reading.extracted, self.before),
            fact_checker=is_fact_checker(document.url),
            read=reading.page.exchange.at if reading.page.exchange else None,
        )


def dated(reading: ReadPage, candidate: Candidate) -> Document:
    """Return the document with its own date, else its capture's, else the one that its source reports."""
    document, captured = reading.extracted.document, reading.page.captured
    known = document.published or captured or candidate.result.published
    # a page captured on a day was published by then, also if it gives a later date
    return replace(document, published=min(known, captured) if known and captured else known)


def _date_source(reading: ReadPage, candidate: Candidate) -> str:
    if reading.page.no_later and not candidate.result.published:
        return f"unknown, but no later than {reading.page.no_later}, the day of the ZIM file"
    if reading.page.captured:
        return "capture"
    return candidate.source.title if candidate.result.published else ""


def when(published: date | None, captured: date | None, before: date | None) -> When:
    """Tell whether a text is from before the day `before`; a text captured by then is."""
    known = captured if captured and before and captured < before else published
    if before is None or known is None:
        return When.UNKNOWN
    return When.BEFORE if known < before else When.AFTER


def changed_after(extracted: Extracted, before: date | None) -> date | None:
    """Return the day on which a page says it was changed, if that is too late for the claim."""
    return extracted.modified if extracted.modified and before and extracted.modified >= before else None
