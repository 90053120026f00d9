"""What `verify --search` takes, shows before anything leaves the machine, and reports of it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from core.errors import BadInput, Cancelled
from core.interfaces import LanguageModel
from core.search.finding import SearchPlan, check_plan
from core.search.queries import QueryWriter, live_queries
from core.search.report import SearchReport
from core.search.search_request import SearchOrder
from core.search.sources import SOURCES, open_source
from core.search.sources.answers import is_web
from core.search.sources.google_reviews import GoogleReviews
from core.search.text import query_text
from core.search.types import Source
from core.settings import settings
from core.types import Claim
from core.wording import counted

DEFAULT_QUERIES = 3
DEFAULT_PAGES = 10


def add_search_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what a command takes that may search."""
    parser.add_argument(
        "--search",
        action="append",
        default=[],
        metavar="NAME[=ADDRESS]",
        help=f"search for documents in {', '.join(SOURCES)}; shows first what would be asked; may repeat",
    )
    parser.add_argument("--queries", type=int, default=DEFAULT_QUERIES, metavar="N", help="queries to ask (default: 3)")
    parser.add_argument("--pages", type=int, default=DEFAULT_PAGES, metavar="N", help="pages to read (default: 10)")
    parser.add_argument(
        "--reviews", action="store_true", help="also ask Google's Fact Check Tools who has checked the claim already"
    )
    parser.add_argument("--yes", action="store_true", help="search without asking first")


def opened_sources(args: argparse.Namespace) -> list[Source]:
    """Return the sources that are to be searched.

    Raises BadInput for one that cannot be opened, and if nobody can be asked whether that may be done.
    """
    sources = [open_source(named) for named in args.search]
    if args.queries < 1:
        raise BadInput(f"--queries must be at least 1, not {args.queries}.")
    if sources and not args.yes and not sys.stdin.isatty():
        raise BadInput(f"Queries would be sent to {_places(sources)}: no terminal can ask you here, so say --yes.")
    return sources


def order_for(args: argparse.Namespace, claim: Claim, sources: Sequence[Source], llm: LanguageModel) -> SearchOrder:
    """Return the search that the arguments amount to, once the person has agreed to it on the terminal.

    Addresses given with --url go to sources that find addresses, such as the Wayback Machine. Raises BadInput for a
    plan that cannot be, Cancelled if the person does not agree.
    """
    words = any(source.can.words for source in sources)
    queries = live_queries(claim, args.queries, QueryWriter(llm, args.seed)) if words else ()
    plan = SearchPlan((*queries, *addresses_for(args)), args.pages, include_late=args.include_late)
    check_plan(plan)
    print("\n".join(announcement(sources, plan, claim, reviews=args.reviews)), file=sys.stderr)
    if not args.yes:
        print(f"Send {counted(len(plan.queries), 'query', 'queries')} to {_places(sources)}? [y/N] ", file=sys.stderr)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise Cancelled("Nothing was sent.")
    return SearchOrder(tuple(args.search), plan, args.reviews)


def addresses_for(args: argparse.Namespace) -> tuple[str, ...]:
    """Return the addresses that are to be looked up in an archive, and not fetched as they are today."""
    return tuple(args.url) if "wayback" in args.search else ()


def _places(sources: Sequence[Source]) -> str:
    return ", ".join(dict.fromkeys(source.place for source in sources))


def announcement(sources: Sequence[Source], plan: SearchPlan, claim: Claim, *, reviews: bool) -> list[str]:
    """Return the lines that say what is to be asked of whom."""
    lines: list[str] = []
    for source in sources:
        asked = [query for query in plan.queries if is_web(query) != source.can.words]
        lines.append(f"To be asked of {source.title} ({source.place}):{_cost(source)}")
        lines += [f"  {query}" for query in dict.fromkeys(query_text(query, source.can) for query in asked)]
    if reviews:
        lines.append(f"To be asked of {GoogleReviews.title} ({GoogleReviews.place}):\n  {claim.text}")
    lines.append(f"Then up to {counted(plan.pages, 'page')} are read, from wherever they are.")
    if claim.date is None:
        lines.append("The claim has no date, so pages of any date are read: give one with --date.")
    if not settings().contact:
        lines.append("Sites are not told how to reach you: set VERIDESK_CONTACT to an address of yours.")
    return lines


def _cost(source: Source) -> str:
    return f" each query costs {source.can.cost}" if source.can.cost else ""


def searches_of(report: SearchReport) -> dict[str, Any]:
    """Return what the JSON of a case says of its search."""
    return {
        "searches": [
            {
                "source": asked.source,
                "query": asked.query,
                "status": asked.status,
                "found": asked.found,
                "message": asked.message,
            }
            for asked in report.searches
        ],
        "reviews": [
            {"claim": one.claim, "rating": one.rating, "publisher": one.publisher, "url": one.url}
            for one in report.reviews
        ],
        "left_out": [
            {"url": item.url, "reason": str(item.reason), "message": item.message} for item in report.left_out
        ],
    }


def origins_of(report: SearchReport) -> dict[str, dict[str, Any]]:
    """Return where each document comes from, by its digest."""
    return {
        origin.digest: {
            "source": origin.source,
            "query": origin.query,
            "rank": origin.rank,
            "when": str(origin.when),
            "date_source": origin.date_source,
            "changed": origin.changed.isoformat() if origin.changed else None,
            "fact_checker": origin.fact_checker,
            "snapshot": origin.snapshot,
        }
        for origin in report.origins
    }


def search_lines(report: SearchReport) -> list[str]:
    """Return the lines on a search in the report that a person reads."""
    lines = [""]
    for asked in report.searches:
        found = counted(asked.found, "address", "addresses") if asked.status == "found" else str(asked.status)
        lines.append(f"Asked {asked.source}: {asked.query} ({found})")
    lines += [f"Already checked: {one.claim} – {one.rating} ({one.publisher}, {one.url})" for one in report.reviews]
    return lines + [f"Left out ({item.reason}): {item.message}" for item in report.left_out]
