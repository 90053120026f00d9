"""Read a page: its text, dates and canonical address, and signs that it is another page or behind a paywall."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from core.confined import confined
from core.dates import date_in_url, parse_date
from core.documents.html import decode_page
from core.documents.web import read_answer
from core.errors import BadInput, TooLarge
from core.files import json_of
from core.http.fetching import FetchedResponse
from core.interfaces import Stop, never
from core.search.addresses import host_of, joined, registrable_domain, unwrapped
from core.search.types import Page, SearchFailure
from core.search_report import Reason
from core.types import Document

_MODIFIED = ("article:modified_time", "og:updated_time", "last-modified", "dcterms.modified")
_PAGES = ("text/html", "application/xhtml+xml", "")


@dataclass(frozen=True)
class Extracted:
    """The content of a page. `date_source` names the source of the document's date, "" where it has none.

    `wall` describes in a few words a page shown in place of the wanted one. `canonical` is the page's own address for
    itself, on its own site. `reviewed` are the claims in its ClaimReview markup.
    """

    document: Document
    date_source: str = ""
    modified: date | None = None
    canonical: str = ""
    wall: str = ""
    reviewed: tuple[str, ...] = ()


def read_page(page: Page, *, stop: Stop = never) -> Extracted | SearchFailure:
    """Return the content of a page, read in a separate process, or why it cannot be read. Raises Cancelled."""
    try:
        return confined(extract, page.url, replace(page, exchange=None), stop=stop)
    except TooLarge as error:
        return SearchFailure(Reason.TOO_LARGE, str(error))
    except BadInput as error:
        return SearchFailure(Reason.NOT_TEXT, str(error))


def extract(name: str, page: Page) -> Extracted:
    """Return the content of a page. Raises BadInput, with a sentence, if it has no readable text."""
    tree = _tree(page)
    if tree is None:
        document = page_document(page)
        return Extracted(document, _date_source(page, document))
    records = list(linked_data(tree))
    wall = wall_of(tree, records, host_of(page.url))
    document = Document(page.url, "") if wall else page_document(page)
    return Extracted(
        document,
        _date_source(page, document),
        modified=_modified(tree, records),
        canonical=_canonical(tree, page.url),
        wall=wall,
        reviewed=tuple(dict.fromkeys(_reviewed(records))),
    )


def page_document(page: Page) -> Document:
    """Return the text of a page as a document, dated by its source, itself or its address, in this order."""
    # the host alone: given the address, the reader would take the date in it for one that the page states
    name = host_of(page.url) or page.url
    document = read_answer(name, FetchedResponse(200, "", page.kind, page.charset, page.body))
    published = page.published or document.published or date_in_url(unwrapped(page.url)[0])
    return replace(document, url=page.url, published=published)


def _date_source(page: Page, document: Document) -> str:
    if document.published is None:
        return ""
    if page.published:
        return page.date_source
    return "address" if document.published == date_in_url(unwrapped(page.url)[0]) else "page"


def _tree(page: Page) -> Any:
    """Return the page as a tree of elements; None if it is not HTML."""
    from lxml import etree
    from lxml import html as parser

    start = page.body[:1000].lstrip().lower()
    if page.kind not in _PAGES or (not page.kind and b"<" not in start) or start.startswith(b"%pdf-"):
        return None
    try:
        return parser.document_fromstring(decode_page(page.body, page.charset).replace("\0", " "))
    except (etree.ParserError, ValueError):  # empty, or an XML declaration in decoded text
        return None


def linked_data(tree: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in the JSON-LD of a page, nested ones too."""
    for script in tree.iter("script"):
        if "ld+json" in (script.get("type") or "").lower():
            try:
                waiting: list[Any] = [json_of(script.text or "", strict=False)]
            except ValueError:
                continue
            while waiting:
                item = waiting.pop()
                if isinstance(item, dict):
                    yield item
                    waiting += item.values()
                elif isinstance(item, list):
                    waiting += item


def _reviewed(records: list[dict[str, Any]]) -> Iterator[str]:
    for record in records:
        claim = record.get("claimReviewed")
        if isinstance(claim, str) and claim.strip():
            yield " ".join(claim.split())


def _modified(tree: Any, records: list[dict[str, Any]]) -> date | None:
    """Return the latest day on which the page says that it was changed."""
    said = [meta.get("content") or "" for meta in tree.iter("meta") if _name(meta) in _MODIFIED]
    said += [value for record in records if isinstance(value := record.get("dateModified"), str)]
    return max((day for text in said if (day := parse_date(text))), default=None)


def _name(meta: Any) -> str:
    return str(meta.get("property") or meta.get("name") or "").lower()


def _canonical(tree: Any, url: str) -> str:
    """Return the address that a page gives itself, where it is on the same site: no page speaks for another's."""
    for link in tree.iter("link"):
        if "canonical" in re.split(r"\s+", (link.get("rel") or "").lower()) and link.get("href"):
            canonical = joined(url, link.get("href"))
            same = registrable_domain(canonical) == registrable_domain(unwrapped(url)[0])
            return canonical if same and canonical.startswith(("http://", "https://")) else ""
    return ""


MAX_WALL_CHARACTERS = 1500
"""Pages with more running text are never walls."""

_CONSENT_HOSTS = ("consent.", "guce.", "consent-", "privacy-gate.", "cookiewall.")
_CONSENT = (
    "onetrust", "didomi", "sp_message", "usercentrics", "qc-cmp2", "cmpbox", "fc-consent", "cookiebot", "truste"
)  # fmt: skip
_CHALLENGE = (
    "/cdn-cgi/challenge-platform", "captcha-delivery.com", "_incapsula_resource", "px-captcha", "hcaptcha.com",
    "recaptcha/api", "challenges.cloudflare.com", "awswafintegration",
)  # fmt: skip
_PAYWALL = ("paywall", "piano-", "tp-modal", "regwall", "subscriber-only", "meteredcontent")
_TIERS = ("locked", "metered", "premium", "hard-paywall")


def wall_of(tree: Any, records: list[dict[str, Any]], host: str) -> str:
    """Describe the wall in place of a page in a few words; "" if there is none. `records` are its JSON-LD objects."""
    if _running_text(tree) > MAX_WALL_CHARACTERS:
        return ""
    if _has(tree, _CHALLENGE, "script", "iframe", "form", "div"):
        return "a check for robots"
    if any(field.get("type", "").lower() == "password" for field in tree.iter("input")):
        return "a login page"
    if host.startswith(_CONSENT_HOSTS) or _has(tree, _CONSENT, "div", "section", "form"):
        return "a consent wall"
    if _must_pay(tree, records) or _has(tree, _PAYWALL, "div", "section", "aside"):
        return "a paywall"
    return ""


def _running_text(tree: Any) -> int:
    """Return the characters in paragraphs of some length."""
    lengths = (len(" ".join(part.text_content().split())) for part in tree.iter("p", "li", "td", "blockquote"))
    return sum(length for length in lengths if length > 60)


def _has(tree: Any, signs: tuple[str, ...], *tags: str) -> bool:
    """Return whether an element of these kinds has one of the signs in its address, id or class."""
    return any(
        sign in " ".join(element.get(name, "") for name in ("src", "action", "id", "class")).lower()
        for element in tree.iter(*tags)
        for sign in signs
    )


def _must_pay(tree: Any, records: list[dict[str, Any]]) -> bool:
    """Return whether the page's data for search engines declare it paid."""
    tiers = (meta for meta in tree.iter("meta") if meta.get("property") == "article:content_tier")
    return any(str(record.get("isAccessibleForFree")).lower() == "false" for record in records) or any(
        meta.get("content", "").lower() in _TIERS for meta in tiers
    )
