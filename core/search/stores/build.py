"""Build a knowledge store: for each claim ask, read, choose, and write its rows in AVeriTeC's form."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from pathlib import Path

from core.errors import Cancelled
from core.files import write_whole
from core.search.addresses import page_key
from core.search.asking import ask
from core.search.choosing import first_late_day
from core.search.crawl import Candidate, Crawler, Reading, ReadPage, Selection
from core.search.leakage import LeakageCheck
from core.search.queries import QueryKind
from core.search.reading import PageReader
from core.search.robots import Robots
from core.search.sender import Sender
from core.search.snapshots import Snapshots
from core.search.sources.wayback import Wayback
from core.search.stores.claims import MANIFEST, StoreClaim
from core.search.stores.journal import Journal, opened
from core.search.stores.page_workers import PageWorker
from core.search.stores.rows import Chooser, Json, StorePlan, each_page_once, manifest_of
from core.search.text import query_text
from core.search.types import (
    Capabilities,
    LocalSource,
    SearchFailure,
    SearchResult,
    Source,
    Versioned,
    WebSource,
    lane_of,
)
from core.search_report import PASSING, AskedQuery

GOLD = "gold"


@dataclass(frozen=True)
class GoldSource:
    """The annotators, as a source: they name the documents behind their answers."""

    name: str = GOLD
    title: str = "gold evidence"
    place: str = ""
    can = Capabilities()


@dataclass(frozen=True)
class Question:
    """One query of a kind to a source, for one page of its results."""

    kind: QueryKind
    query: str
    source: Source
    page: int


@dataclass(frozen=True)
class BuildProgress:
    """How far a build is: claims done, and the queries sent and pages read for all of them so far.

    `unanswered` counts the queries of the claims at work that a source did not answer.
    """

    claims: int = 0
    queries: int = 0
    pages: int = 0
    unanswered: int = 0


OnBuild = Callable[[BuildProgress], None]


@dataclass
class Builder:
    """One build: its journal, and the objects that all claims share."""

    folder: Path
    plan: StorePlan
    sources: Sequence[Source]
    hands: PageWorker
    sender: Sender
    journal: Journal
    pause: float
    report: OnBuild
    robots: Robots = field(init=False)
    done: int = 0
    unanswered: int = 0

    def __post_init__(self) -> None:
        self.robots = Robots(self.sender)

    def tell(self) -> None:
        """Report how far this is. Called by several threads."""
        sent, read = self.journal.count("sent"), self.journal.count("page")
        self.report(BuildProgress(self.done, sent, read, self.unanswered))

    def build(self, claim: StoreClaim) -> None:
        """Write a claim's file, unless an earlier build has and nothing failed then. Raises Cancelled, ModelError."""
        path = self.folder / f"{claim.id}.json"
        counts = self.journal.get("claim", claim.id)
        if counts is None or may_pass(counts) or not path.is_file():
            rows, counts = self.rows(claim)
            write_whole(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
            self.journal.put("claim", claim.id, value=counts)

    def rows(self, claim: StoreClaim) -> tuple[list[Json], Json]:
        """Return a claim's rows, shuffled, and their figures."""
        before = first_late_day(claim.claim, same_day=self.plan.same_day)
        leakage = LeakageCheck.of(claim.claim.text, [claim.fact_check], every=True)
        crawler = self.crawler(PageReader(self.sender, self.robots, leakage, before, self.pause))
        # gold documents are evidence by decision of the annotators: neither their date nor their site counts
        gold_reader = PageReader(self.sender, self.robots, LeakageCheck.of("", [claim.fact_check]), None, self.pause)
        gold = [Candidate(SearchResult(url), GoldSource(), "", rank) for rank, url in enumerate(claim.material.urls, 1)]
        gold_readings = self.crawler(gold_reader).crawl(gold, self.page_read)
        found, answers = self.candidates(claim, _paragraphs(gold_readings), before)
        gold_found = _gold_found(found, gold)
        gold_readings = self.delivered(gold, gold_readings, found, gold_reader)
        found = each_page_once(found, without=gold)
        chosen = Chooser(claim.id)
        chosen.take_all([(GOLD, one) for one in gold], gold_readings, Selection(gold_reader, None))
        readings = crawler.crawl([candidate for _, candidate in found], self.page_read)
        chosen.take_all(found, readings, Selection(crawler.reader, before))
        random.Random(f"{self.plan.seed}:{claim.id}").shuffle(chosen.rows)
        return chosen.rows, {**answers, **chosen.counts, "gold_found": gold_found}

    def delivered(
        self,
        gold: Sequence[Candidate],
        readings: Sequence[Reading],
        found: Sequence[tuple[str, Candidate]],
        reader: PageReader,
    ) -> list[Reading]:
        """Return the readings of gold pages; one that could not be fetched is taken from a source that delivers it."""
        offered: dict[str, Candidate] = {}
        for _, candidate in found:
            if candidate.result.page or isinstance(candidate.source, Versioned):
                offered.setdefault(page_key(candidate.result.url), candidate)
        wanted = {
            at: offered[page_key(one.result.url)]
            for at, one in enumerate(gold)
            if isinstance(readings[at], SearchFailure) and page_key(one.result.url) in offered
        }
        again = dict(zip(wanted, self.crawler(reader).crawl(list(wanted.values()), self.page_read), strict=True))
        return [again.get(at, reading) for at, reading in enumerate(readings)]

    def crawler(self, reader: PageReader) -> Crawler:
        """Return a crawler that reads nothing that the journal knows."""
        wayback = next((source for source in self.sources if isinstance(source, Wayback)), None)
        return Crawler(
            reader, Snapshots(self.folder / "snapshots"), self.hands.read, wayback,
            recall=lambda one, read: self.journal.reading(one, str(reader.before), read, dated=wayback is not None),
        )  # fmt: skip

    def page_read(self, candidate: Candidate) -> None:
        self.tell()

    def candidates(
        self, claim: StoreClaim, paragraphs: tuple[str, ...], before: date | None
    ) -> tuple[list[tuple[str, Candidate]], Json]:
        """Return the candidates of all queries, each with its type of query, and the counts of answers."""
        asks = [
            Question(kind, query, source, page)
            for kind in self.plan.kinds
            for query in self.queries(claim, paragraphs, kind)
            for source in self.sources
            if source.can.words
            for page in range(self.plan.pages)
        ]
        with ThreadPoolExecutor(max_workers=max(1, len(self.sources))) as pool:
            answers = list(pool.map(lambda one: self.answer(claim.id, one, before), asks))
        found = [(one.kind.type, each) for one, (_, each_of) in zip(asks, answers, strict=True) for each in each_of]
        asked = Counter(told.status for told, _ in answers)
        failures = Counter(told.message for told, _ in answers if told.failed)
        return found, {"asked": dict(sorted(asked.items())), "failures": dict(failures)}

    def queries(self, claim: StoreClaim, paragraphs: tuple[str, ...], kind: QueryKind) -> list[str]:
        """Return the queries of a kind, written once."""

        def write() -> list[str]:
            return list(self.hands.write(kind, replace(claim.material, paragraphs=paragraphs)))

        queries: list[str] = self.journal.once("queries", claim.id, kind.name, work=write, passing=lambda value: False)
        return queries

    def answer(self, claim_id: str, asked: Question, before: date | None) -> tuple[AskedQuery, list[Candidate]]:
        """Return a source's answer to a query, and report it."""
        told, candidates = self.recalled(claim_id, asked, before)
        self.unanswered += told.failed
        self.tell()
        return told, candidates

    def recalled(self, claim_id: str, asked: Question, before: date | None) -> tuple[AskedQuery, list[Candidate]]:
        """Return a source's answer to a query, which is sent once; sources on this machine are asked again."""
        source, query, page = asked.source, asked.query, asked.page
        if isinstance(source, LocalSource):
            return ask(source, query, page, self.sender, before)

        def send() -> Json:
            told, candidates = ask(source, query, page, self.sender, before)
            rows = [_result_row(one.result) for one in candidates]
            return {"status": told.status, "message": told.message, "results": rows}

        place, day = lane_of(source), str(before) if _asks_for_a_day(source, query, page, before) else ""
        once = partial(self.journal.once, passing=lambda value: value["status"] in PASSING)
        sent = partial(once, "sent", place, query_text(query, source.can), page, day, work=send)
        value = once("asked", claim_id, asked.kind.name, query, place, page, work=sent)
        results = [SearchResult(url, title, _day(on)) for url, title, on in value["results"]]
        told = AskedQuery(source.name, query, value["status"], len(results), value["message"])
        start = page * source.can.page_size
        return told, [Candidate(one, source, query, start + at) for at, one in enumerate(results, 1)]


def build_store(
    folder: Path,
    claims: Sequence[StoreClaim],
    plan: StorePlan,
    sources: Sequence[Source],
    hands: PageWorker,
    sender: Sender,
    *,
    pause: float,
    workers: int = 1,
    report: OnBuild,
) -> Json:
    """Build a store in a folder, or continue a stopped build, and return its manifest.

    `workers` claims are worked on at once. They share one sender, so no host is asked for two things at a time.
    Raises BadInput, ModelError, ServerError, and Cancelled if the sender is stopped.
    """
    with opened(folder) as journal:
        builder = Builder(folder, plan, sources, hands, sender, journal, pause, report)
        with ThreadPoolExecutor(max_workers=workers) as pool:
            building = [pool.submit(_build_one, builder, claim) for claim in claims]
            try:
                for one in as_completed(building):
                    one.result()
                    builder.done += 1
                    builder.tell()
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        counts = [journal.get("claim", claim.id) for claim in claims]
    manifest = manifest_of(folder, plan, sources, hands.model, claims, counts)
    write_whole(folder / MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
    return manifest


def _build_one(builder: Builder, claim: StoreClaim) -> None:
    if builder.sender.stop():
        raise Cancelled("Stopped.")
    builder.build(claim)


def may_pass(counts: Json) -> bool:
    """Say whether anything failed that may be answered or read the next time, by a claim's counts or a manifest."""
    return not PASSING.isdisjoint({*counts["asked"], *counts["without_text"]})


def _asks_for_a_day(source: Source, query: str, page: int, before: date | None) -> bool:
    """Say whether a source's request holds the day; a wiki uses it only for the versions of its pages."""
    assert isinstance(source, WebSource)
    return source.request(query, page, before) != source.request(query, page, None)


def _gold_found(found: Sequence[tuple[str, Candidate]], gold: Sequence[Candidate]) -> dict[str, list[str]]:
    """Return the gold pages that each type of query found, also if another type had found them before."""
    wanted = {page_key(one.result.url) for one in gold}
    by_type: dict[str, set[str]] = {}
    for kind, candidate in found:
        if (key := page_key(candidate.result.url)) in wanted:
            by_type.setdefault(kind, set()).add(key)
    return {kind: sorted(keys) for kind, keys in sorted(by_type.items())}


def _paragraphs(readings: Sequence[Reading]) -> tuple[str, ...]:
    """Return the paragraphs of the documents that were read."""
    texts = [reading.extracted.document.text for reading in readings if isinstance(reading, ReadPage)]
    return tuple(line for text in texts for line in text.split("\n") if line.strip())


def _result_row(result: SearchResult) -> list[str | None]:
    return [result.url, result.title, result.published.isoformat() if result.published else None]


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
