"""The preview of `verify --search` before anything leaves the machine; imported only for a search."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from core.actions.action import ActionContext
from core.cli.verify import VerifyOrder
from core.errors import BadInput
from core.interfaces import LanguageModel
from core.search.consent import Consent
from core.search.queries import QueryWriter, each_once, written_queries
from core.search.rounds import first_queries
from core.search.search_plan import Approve, SearchOrder, SearchPlan, check_plan
from core.search.search_request import sent_to
from core.search.sources import open_source
from core.search.sources.google_reviews import GoogleReviews
from core.search.types import Source
from core.settings import settings
from core.types import Claim
from core.verification.reading import consent_for
from core.verification.request import Request
from core.wording import counted


def opened_sources(order: VerifyOrder) -> list[Source]:
    """Return the sources that are to be searched.

    Raises BadInput for one that cannot be opened, and if nobody can be asked whether that may be done.
    """
    sources = [open_source(named) for named in order.search]
    if sources and not order.yes and not sys.stdin.isatty():
        raise BadInput(f"Queries would be sent to {_places(sources)}: no terminal can ask you here, so say --yes.")
    return sources


def order_for(order: VerifyOrder, claim: Claim, sources: Sequence[Source], llm: LanguageModel) -> SearchOrder:
    """Return the search that the order amounts to.

    Addresses given with --url go to sources that find addresses, such as the Wayback Machine. Raises BadInput for a
    plan that cannot be.
    """
    words = any(source.can.words for source in sources)
    queries = first_queries(claim)[: order.queries] if words else ()
    later = order.queries - len(queries) if queries else 0
    if words and order.model_queries:
        queries = each_once([*queries, *written_queries(claim, order.model_queries, QueryWriter(llm, order.seed))])
    asked = (*queries, *order.looked_up)
    plan = SearchPlan(asked, order.pages, later, same_day=order.same_day, include_late=order.include_late)
    check_plan(plan)
    return SearchOrder(order.search, plan, order.reviews)


def agree(order: VerifyOrder, request: Request, sources: Sequence[Source], context: ActionContext) -> str:
    """Show the contents of a request, ask, and return the digest of the consent. Raises Cancelled for a no."""
    consent = consent_for(request)
    context.tell("\n".join(announcement(request, sources, consent)))
    if not order.yes:
        context.ask(f"Send {consent.words}?")
    return consent.digest


def approval(order: VerifyOrder, context: ActionContext) -> Approve:
    """Return who is asked before each later query: the person with --ask-each, else nobody; all are shown."""

    def approve(query: str) -> bool:
        if not order.ask_each:
            context.tell(f"Now asking: {query}")
            return True
        print(f"Ask “{query}”? [y/N] ", end="", file=sys.stderr, flush=True)
        return sys.stdin.readline().strip().lower() in ("y", "yes")

    return approve


def _places(sources: Sequence[Source]) -> str:
    return ", ".join(dict.fromkeys(source.place for source in sources))


def announcement(request: Request, sources: Sequence[Source], consent: Consent) -> list[str]:
    """Return the lines that list the queries and their receivers."""
    assert request.search
    claim, plan = request.claim, request.search.plan
    lines: list[str] = []
    for source in sources:
        lines.append(f"To be asked of {source.title} ({source.place}):{_cost(source)}")
        lines += [f"  {query}" for query in sent_to(source, plan.queries)]
    if asked := consent.queries.get(GoogleReviews.place):
        lines.append(f"To be asked of {GoogleReviews.title} ({GoogleReviews.place}):\n  {asked[0]}")
    if any(consent.most.values()):
        lines.append(
            f"Then up to {counted(plan.later, 'more query', 'more queries')} to each, of the claim's words and"
        )
        lines.append("of the pages found, while these do not speak of the whole claim. Each is shown as it is sent.")
    lines += [f"To be read: {url}" for url in consent.addresses]
    lines.append(f"Then up to {counted(plan.pages, 'page')} are read, from wherever they are.")
    if claim.date:
        lines.append(f"Pages of {claim.date}, the claim's own day, are {'taken' if plan.same_day else 'left out'}.")
    else:
        lines.append("The claim has no date, so pages of any date are read: give one with --date.")
    if not settings().contact:
        lines.append("Sites do not learn how to reach you: set VERIDESK_CONTACT to your address.")
    return lines


def _cost(source: Source) -> str:
    return f" each query costs {source.can.cost}" if source.can.cost else ""
