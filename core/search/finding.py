"""A search from end to end: ask the sources in rounds, read the pages they name, choose the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from core.interfaces import Encoder
from core.search.addresses import page_key
from core.search.asking import Asker, Counts, OnSearch, fused, note_answers, unheard
from core.search.choosing import by_title, candidate_of, first_late_day, no_article
from core.search.crawl import Candidate, Crawler, Selection
from core.search.extraction import read_page
from core.search.leakage import LeakageCheck
from core.search.reading import PAUSE_SECONDS, PageReader
from core.search.robots import Robots
from core.search.rounds import QueryRounds
from core.search.search_plan import Approve, SearchPlan, always, check_plan
from core.search.sender import Sender
from core.search.snapshots import Snapshots
from core.search.sources.wayback import Wayback
from core.search.types import SearchFailure, Source
from core.search_report import AskedQuery, Reason, SearchReport
from core.types import Claim, Document

BATCH = 3
"""Pages that are read between two rounds of queries."""


@dataclass(frozen=True)
class Tools:
    """The tools of a search, beyond its sources; `pause` is that of `PageReader`.

    Without an encoder titles are ranked by words alone.
    """

    snapshots: Snapshots
    sender: Sender
    pause: float = PAUSE_SECONDS
    encoder: Encoder | None = None


def search(
    claim: Claim,
    plan: SearchPlan,
    sources: Sequence[Source],
    tools: Tools,
    on_progress: OnSearch = unheard,
    approve: Approve = always,
) -> tuple[list[Document], SearchReport]:
    """Return the documents that a search finds, and its report. Raises BadInput for a broken plan, or Cancelled."""
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
            query = self.next_query(rounds) if self.asker.free else ""
            if not query:
                break
            self.asker.counts.now(query)
            self.asker.send([query])
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
        answers = self.asker.answers(everything=everything)
        self.asked.extend(told for told, _ in answers)
        self.rankings.extend(found for _, found in answers)
        note_answers(rounds, answers)

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
        self.asker.counts.add(candidate.source, left_out=1)

    def read(self, most: int) -> None:
        """Read up to `most` of the pages that wait."""
        self.read_these(self.unread()[: max(0, most)])

    def read_these(self, batch: Sequence[Candidate]) -> None:
        """Read these pages."""
        self.done |= {page_key(candidate.result.url) for candidate in batch}
        self.pages += len(batch)
        readings = self.crawler.crawl(batch, lambda one: self.asker.counts.add(one.source, read=1))
        for candidate, reading in zip(batch, readings, strict=True):
            before = len(self.selection.left_out)
            self.selection.take(candidate, reading)
            self.asker.counts.add(candidate.source, left_out=len(self.selection.left_out) - before)
