"""The order for a search, as it is kept with a case. This module imports little: few cases have a search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from core.errors import BadInput
from core.search_report import AskedQuery

Approve = Callable[[str], bool]
"""Asked before each later query of a search: whether it may be sent."""


def always(query: str) -> bool:
    """Approve each later query: a person agreed to their number."""
    return True


SOURCE_NAMES = "wikipedia, mediawiki, gdelt, searxng, kiwix, zim, warc, wayback, brave, mojeek"
"""The keys of `core.search.sources.SOURCES`."""

KINDS_FILE = Path(__file__).with_name("kinds.toml")
"""The kinds of query for a store."""

MAX_QUERIES = 20
ADDED = -1
QUERIES = 8
"""How many queries a source gets at most, unless a person says otherwise: the first ones and the later ones."""

MAX_PAGES = 200


@dataclass(frozen=True)
class ChosenPage:
    """A page that a person chose among the titles found. `source` is the place of its source in the order.

    It is ADDED for an address that the person wrote.
    """

    url: str
    title: str = ""
    source: int = ADDED
    query: str = ""
    rank: int = 1
    published: date | None = None


@dataclass(frozen=True)
class SearchPlan:
    """The queries and limits of a search. At most `pages` pages are read; `same_day` includes the claim's day.

    `later` is how many queries each source may get after these. They depend on the first answers.
    With `chosen` pages nothing is asked any more: just these are read; `asked` says which queries found them.
    """

    queries: tuple[str, ...]
    pages: int = 10
    later: int = 0
    same_day: bool = True
    include_late: bool = False
    own_fact_checks: tuple[str, ...] = ()
    chosen: tuple[ChosenPage, ...] = ()
    asked: tuple[AskedQuery, ...] = ()


def check_plan(plan: SearchPlan) -> None:
    """Raise BadInput for a plan without queries, or with more of anything than one search may have."""
    if not any(query.strip() for query in plan.queries):
        raise BadInput("There is nothing to search for: write at least one query.")
    if plan.later < 0 or len(plan.queries) + plan.later > MAX_QUERIES:
        raise BadInput(f"{len(plan.queries) + plan.later} queries are too many; the limit is {MAX_QUERIES}.")
    if not 1 <= plan.pages <= MAX_PAGES:
        raise BadInput(f"The number of pages to read must be from 1 to {MAX_PAGES}, not {plan.pages}.")


@dataclass(frozen=True)
class SearchOrder:
    """The sources of a search ("NAME" or "NAME=ADDRESS"), and its plan.

    With `reviews`, Google's Fact Check Tools are asked who has checked the claim already.
    """

    sources: tuple[str, ...]
    plan: SearchPlan
    reviews: bool = False
