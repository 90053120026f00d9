"""Titles before pages: ask for titles, one query more at a time, and read only the chosen pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from core.dates import shifted
from core.interfaces import Encoder
from core.search.asking import Answer, Asker, Counts, ask, fused, note_answers, unheard
from core.search.crawl import Candidate
from core.search.rounds import QueryRounds
from core.search.search_plan import ADDED, MAX_QUERIES, ChosenPage, SearchPlan, check_plan
from core.search.sender import Sender
from core.search.titles import by_title, no_article
from core.search.types import Capabilities, LocalSource, SearchResult, Source
from core.types import Claim


def first_late_day(claim: Claim, *, same_day: bool) -> date | None:
    """Return the first day that is too late for evidence on a claim; None for a claim without a date."""
    if claim.date is None:
        return None
    return shifted(claim.date, 1) if same_day else claim.date


def ask_for_titles(claim: Claim, plan: SearchPlan, sources: Sequence[Source], sender: Sender) -> list[Answer]:
    """Send a plan's first queries and return the answers, without the pages of sources on this machine.

    Raises BadInput for a broken plan, Cancelled.
    """
    check_plan(plan)
    with Asker(sources, sender, first_late_day(claim, same_day=plan.same_day), Counts(unheard)) as asker:
        asker.send(plan.queries)
        answers = asker.answers(everything=True)
    return [(told, [replace(one, result=replace(one.result, page=None)) for one in found]) for told, found in answers]


def pages_found(
    claim: Claim, answers: Sequence[Answer], sources: Sequence[Source], encoder: Encoder | None
) -> list[ChosenPage]:
    """Return the pages of these answers, best first, without lists of names and stubs."""
    ranked = by_title(claim.text, fused([candidates for _, candidates in answers]), encoder)
    return [
        ChosenPage(result.url, result.title, list(sources).index(one.source), one.query, one.rank, result.published)
        for one in ranked
        for result in [one.result]
        if no_article(result) is None
    ]


def query_after(claim: Claim, answers: Sequence[Answer], titles: Sequence[str]) -> str:
    """Return the query that may find more than these answers, "" where none is worth sending or all were sent."""
    rounds = QueryRounds(claim)
    note_answers(rounds, answers)
    return rounds.next(titles, ()) if len(rounds.sent) < MAX_QUERIES else ""


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
