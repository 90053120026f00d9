"""What the form of Verify asks to be searched for, and whom."""

from __future__ import annotations

from functools import cache
from typing import Any

from core.errors import BadInput
from core.search.order import SearchOrder, SearchPlan, check_plan
from core.search.queries import QueryWriter, live_queries
from core.search.sources import open_source
from core.search.sources.answers import is_web
from core.search.sources.google_reviews import GoogleReviews
from core.search.text import query_text
from core.search.types import LocalSource, Source
from core.settings import settings
from core.types import Claim
from core.wording import counted

Json = dict[str, Any]

QUERIES = 3


def offered() -> tuple[str, ...]:
    """Return the sources that this server offers: only whoever runs it may name addresses of its own network."""
    return settings().search_sources


@cache
def title_of(named: str) -> str:
    """Return what a source is called and where it is, as a person chooses it; its bare name if it cannot be opened."""
    try:
        source = open_source(named)
    except BadInput:
        return named
    return f"{source.title} ({source.place})"


def opened(names: list[str] | None) -> list[Source]:
    """Return the sources chosen among those offered. Raises BadInput for one that cannot be opened."""
    return [open_source(name) for name in names or () if name in offered()]


def proposed_queries(claim: str) -> str:
    """Return queries for a claim, one a line, made of its own words: no model is loaded for them."""
    return "\n".join(live_queries(Claim(claim), QUERIES, QueryWriter()))


def written(queries: str) -> tuple[str, ...]:
    """Return the queries of a field, one a line."""
    return tuple(dict.fromkeys(line for text in queries.splitlines() if (line := " ".join(text.split()))))


def sent_to(source: Source, queries: tuple[str, ...]) -> list[str]:
    """Return the queries as a source is sent them, without those that it cannot take."""
    asked = [query_text(query, source.can) for query in queries if is_web(query) != source.can.words]
    return [query for query in dict.fromkeys(asked) if query]


def chosen_search(typed: Json) -> SearchOrder:
    """Return the search that the form asks for. Raises BadInput with a sentence for what is missing."""
    sources = opened(typed["sources"])
    queries = written(typed["queries"] or "")
    if not sources:
        raise BadInput("Choose at least one place to search, or another place where the evidence comes from.")
    plan = SearchPlan(queries, int(typed["pages"]), bool(typed["same_day"]), bool(typed["late"]))
    check_plan(plan)
    if not any(sent_to(source, queries) for source in sources):
        raise BadInput("None of these queries can be sent: write words to search for, or an address for an archive.")
    return SearchOrder(tuple(name for name in typed["sources"] if name in offered()), plan, bool(typed["reviews"]))


def send_label(typed: Json) -> str:
    """Return what the button does: that it sends queries, how many, and to whom."""
    try:
        sources = opened(typed["sources"])
    except BadInput:
        return "Search"
    queries = written(typed["queries"] or "")
    sending = [source for source in sources if not isinstance(source, LocalSource) and sent_to(source, queries)]
    if not sending:
        return "Search"
    count = len(dict.fromkeys(query for source in sending for query in sent_to(source, queries)))
    asked = [source.place for source in sending] + ([GoogleReviews.place] if typed["reviews"] else [])
    places = ", ".join(dict.fromkeys(asked))
    return f"Send {counted(count, 'query', 'queries')} to {places}"
