"""Ask for titles, one query more at a time, and read only the chosen pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from core.dates import shifted
from core.interfaces import Encoder
from core.retrieval.lexical import LexicalIndex
from core.retrieval.ranking import reciprocal_rank_fusion
from core.search.asking import Answer, Asker, Counts, ask, fused, note_answers, unheard
from core.search.crawl import Candidate
from core.search.rounds import QueryRounds
from core.search.search_plan import ADDED, MAX_QUERIES, ChosenPage, SearchPlan, check_plan
from core.search.sender import Sender
from core.search.types import Capabilities, LocalSource, SearchFailure, SearchResult, Source
from core.search_report import Reason
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


STUB = 80
"""A page with fewer characters is a heading, not an article."""

_LIST = re.compile(
    r"\((?:disambiguation|Begriffsklärung|homonymie|disambigua|desambiguación|desambiguação|doorverwijspagina)\)$", re.I
)
_REFERS = re.compile(r"\b(?:may|can) (?:also )?refer to\b.{0,3}:|\{\{\s*(?:disambig|hndis|Begriffsklärung)", re.I)


def no_article(result: SearchResult) -> SearchFailure | None:
    """Return why a page is not worth reading, by its title and its snippet; None if it is."""
    if _LIST.search(result.title) or _REFERS.search(result.snippet):
        return SearchFailure(Reason.NO_ARTICLE, f"{result.url}: this page only lists pages of the same name.")
    if result.size is not None and result.size < STUB:
        return SearchFailure(Reason.NO_ARTICLE, f"{result.url}: this page has {result.size} characters of text.")
    return None


def by_title(claim: str, found: Sequence[Candidate], encoder: Encoder | None) -> list[Candidate]:
    """Return the pages found, best first: by the claim's words and meaning in title and snippet, then as they came.

    Without an encoder only words count. Pages without a title keep the order in which they came.
    """
    texts = {
        at: text for at, one in enumerate(found) if (text := f"{one.result.title}. {one.result.snippet}"[:1000]) != ". "
    }
    if not texts:
        return list(found)
    places, named = np.array(list(texts)), list(texts.values())
    by_words, _ = LexicalIndex([f"{found[at].result.title} {texts[at]}" for at in texts]).search(claim, k=len(named))
    rankings: list[Sequence[int]] = [[int(places[at]) for at in by_words]]
    if encoder:
        vectors = encoder.encode([claim, *named])
        rankings.append([int(places[at]) for at in np.argsort(-(vectors[1:] @ vectors[0]), kind="stable")])
    # ours count twice: many sources do not rank
    return [found[at] for at in reciprocal_rank_fusion([range(len(found)), *rankings, *rankings])]
