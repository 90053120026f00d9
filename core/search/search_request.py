"""A search as part of a case: make its order, carry it out, and repeat it from snapshots."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from core.documents.web import Fetched
from core.errors import BadInput
from core.http.fetching import FetchedResponse
from core.interfaces import Encoder, Stop, never
from core.search.asking import SearchProgress
from core.search.consent import Consent
from core.search.extraction import read_page
from core.search.fact_checks import ask_reviews, own_feed
from core.search.finding import Tools, search
from core.search.leakage import same_meaning
from core.search.reading import exchange_of
from core.search.search_plan import Approve, SearchOrder, always
from core.search.sender import Sender
from core.search.snapshots import Snapshots
from core.search.sources import open_reviews, open_source
from core.search.sources.google_reviews import GoogleReviews
from core.search.text import query_text, whole_claim
from core.search.types import LocalSource, Page, SearchFailure, Source
from core.search_report import FOUND, AskedQuery, Origin, PublishedReview, ReadAddress, Reason, SearchReport, outcome
from core.settings import settings
from core.types import Claim, Document, is_web_address

_DIGEST = re.compile(r'"snapshot": ?"([0-9a-f]{64})"')


def own_snapshots() -> Snapshots:
    """Return the snapshots of this machine."""
    return Snapshots(settings().home / "snapshots")


def snapshots_in(folder: Path | None) -> Snapshots:
    """Return the snapshots in a folder; None for those of this machine."""
    return Snapshots(folder) if folder else own_snapshots()


def keep_fetched(fetched: Fetched) -> ReadAddress:
    """Keep the answer of an address that a person named, and return the note of it. Raises as `Snapshots.keep`."""
    if fetched.problem:
        return ReadAddress(fetched.asked, problem=fetched.problem)
    url, answer = fetched.url, fetched.answer
    page = Page(url, answer.body, answer.kind, answer.charset, exchange=exchange_of(url, answer))
    return ReadAddress(fetched.asked, url, own_snapshots().keep(page), answer.at)


def fetched_from(address: ReadAddress, snapshots: Snapshots) -> Fetched:
    """Return the answer of an address as it was read before. Raises as `Snapshots.open`."""
    page = snapshots.open(address.snapshot, address.url, address.read)
    return Fetched(address.asked, address.url, FetchedResponse(200, "", page.kind, page.charset, page.body))


def consent_to(
    sources: Sequence[Source], queries: Sequence[str], pages: int, *, later: int = 0, reviewed: str = ""
) -> Consent:
    """Return the consent that a search needs: its first queries, and how many `later` ones a source may get.

    `reviewed` is the claim where Google is asked who has checked it.
    """
    asked: dict[str, tuple[str, ...]] = {}
    most: Counter[str] = Counter()
    for source in sources:
        if not isinstance(source, LocalSource):
            asked[source.place] = tuple(dict.fromkeys((*asked.get(source.place, ()), *sent_to(source, queries))))
            most[source.place] += later if source.can.words else 0
    if reviewed:
        asked[GoogleReviews.place] = (whole_claim(reviewed, GoogleReviews.can),)
    later_ones = {place: count for place, count in most.items() if count}
    return Consent(asked, later_ones, pages if any(asked.values()) else 0)


def consent_to_read(urls: Sequence[str], *, reviewed: str = "") -> Consent:
    """Return the consent to read just these pages, chosen by a person. See `consent_to`."""
    asked: dict[str, tuple[str, ...]] = {}
    if reviewed:
        asked[GoogleReviews.place] = (whole_claim(reviewed, GoogleReviews.can),)
    return Consent(asked, pages=len(urls), named=tuple(urls))


def sent_to(source: Source, queries: Sequence[str]) -> list[str]:
    """Return the queries as a source is sent them, without those that it cannot take."""
    asked = [query_text(query, source.can) for query in queries if is_web_address(query.strip()) != source.can.words]
    return [query for query in dict.fromkeys(asked) if query]


def consent_of(order: SearchOrder, claim: Claim) -> Consent:
    """Return the consent that a search needs. Raises BadInput for a source that cannot be opened."""
    sources, plan = [open_source(named) for named in order.sources], order.plan
    reviewed = claim.text if order.reviews else ""
    if plan.chosen:
        return consent_to_read([page.url for page in plan.chosen], reviewed=reviewed)
    return consent_to(sources, plan.queries, plan.pages, later=plan.later, reviewed=reviewed)


def carry_out(
    order: SearchOrder,
    claim: Claim,
    consent: Consent,
    *,
    stop: Stop = never,
    report: Callable[[str], None],
    encoder: Encoder | None = None,
    approve: Approve = always,
) -> tuple[list[Document], SearchReport]:
    """Search, and return the documents and a report; `report` gets the progress by source.

    The person has given the `consent`: nothing else is sent. `approve` is asked before each later query. Titles are
    ranked with the `encoder`.

    A search that finds nothing is a valid one. Raises BadInput for a source that cannot be opened, and where sources
    or sites were silent and no document came. Raises Cancelled.
    """
    began = datetime.now(UTC).replace(microsecond=0)
    sources = [open_source(named) for named in order.sources]
    tools = Tools(own_snapshots(), Sender(consent, settings().contact, stop=stop), encoder=encoder)

    def tell(progress: SearchProgress) -> None:
        report(progress.words)

    asked, reviews = reviews_of(claim, tools.sender) if order.reviews else ((), ())
    known = own_feed()
    if known and encoder:
        reviews = tuple(dict.fromkeys((*reviews, *known.search(claim.text, encoder))))
    own = tuple(review.url for review in reviews if same_meaning(claim.text, review.claim, encoder))
    plan = replace(order.plan, own_fact_checks=(*order.plan.own_fact_checks, *own))
    documents, found = search(claim, plan, sources, tools, tell, approve)
    if not found.answered:
        raise BadInput(f"No source answered. {outcome(found)}")
    if not documents and found.silenced:
        raise BadInput(f"The search was cut short, so there is no verdict: {found.silenced} {outcome(found)}")
    return documents, replace(found, searches=(*found.searches, *asked), reviews=reviews, began=began)


def reviews_of(claim: Claim, sender: Sender) -> tuple[tuple[AskedQuery, ...], tuple[PublishedReview, ...]]:
    """Ask who has checked a claim already. Raises BadInput where there is no key for that."""
    source = open_reviews()
    if source is None:
        raise BadInput(f"{GoogleReviews.title} needs a key: set the environment variable {GoogleReviews.can.key}.")
    reviews = ask_reviews(source, claim.text, sender)
    if isinstance(reviews, SearchFailure):
        return (AskedQuery(source.name, claim.text, reviews.reason, 0, reviews.message),), ()
    return (AskedQuery(source.name, claim.text, FOUND if reviews else Reason.EMPTY, len(reviews)),), tuple(reviews)


def documents_again(report: SearchReport, snapshots: Snapshots) -> list[Document]:
    """Return the documents of an earlier search from its snapshots. Nothing leaves this machine.

    Raises BadInput if a snapshot is not here, or is read otherwise by this version of the program.
    """
    return [_document_again(origin, snapshots) for origin in report.origins]


def _document_again(origin: Origin, snapshots: Snapshots) -> Document:
    read = read_page(snapshots.open(origin.snapshot))
    if isinstance(read, SearchFailure) or read.document.digest != origin.digest:
        raise BadInput(f"{origin.url}: this version of the program reads its snapshot otherwise than it was read then.")
    return replace(read.document, url=origin.url, published=origin.published, date_source=origin.date_source)


def digests_in(results: Collection[str]) -> set[str]:
    """Return the digests of the snapshots that stored cases (as JSON) use."""
    return {digest for result in results for digest in _DIGEST.findall(result)}
