"""What `verify --search` shows before anything leaves the machine; imported only where there is a search."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from core.cli.common.search_arguments import addresses_for
from core.errors import BadInput, Cancelled
from core.interfaces import LanguageModel
from core.search.order import SearchOrder, SearchPlan, check_plan
from core.search.queries import QueryWriter, live_queries
from core.search.sources import open_source
from core.search.sources.answers import is_web
from core.search.sources.google_reviews import GoogleReviews
from core.search.text import query_text
from core.search.types import Source
from core.settings import settings
from core.types import Claim
from core.wording import counted


def opened_sources(args: argparse.Namespace) -> list[Source]:
    """Return the sources that are to be searched.

    Raises BadInput for one that cannot be opened, and if nobody can be asked whether that may be done.
    """
    sources = [open_source(named) for named in args.search]
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
    asked = (*queries, *addresses_for(args))
    plan = SearchPlan(asked, args.pages, same_day=args.same_day, include_late=args.include_late)
    check_plan(plan)
    print("\n".join(announcement(sources, plan, claim, reviews=args.reviews)), file=sys.stderr)
    if not args.yes:
        places = ", ".join([_places(sources), *([GoogleReviews.place] if args.reviews else [])])
        print(f"Send {counted(len(plan.queries), 'query', 'queries')} to {places}? [y/N] ", file=sys.stderr)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise Cancelled("Nothing was sent.")
    return SearchOrder(tuple(args.search), plan, args.reviews)


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
    if claim.date:
        lines.append(f"Pages of {claim.date}, the claim's own day, are {'taken' if plan.same_day else 'left out'}.")
    else:
        lines.append("The claim has no date, so pages of any date are read: give one with --date.")
    if not settings().contact:
        lines.append("Sites are not told how to reach you: set VERIDESK_CONTACT to an address of yours.")
    return lines


def _cost(source: Source) -> str:
    return f" each query costs {source.can.cost}" if source.can.cost else ""
