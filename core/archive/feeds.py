"""Read the pages of a site's RSS or Atom feed or sitemap, one at a time. Its robots.txt is obeyed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime

from core.archive.types import NewDocument
from core.confined import confined
from core.dates import dated, parse_date
from core.documents.archive import parsed
from core.errors import BadInput
from core.http.public_addresses import Allowed, is_public
from core.interfaces import Stop, never
from core.search.addresses import joined
from core.search.consent import Consent
from core.search.extraction import read_page
from core.search.leakage import LeakageCheck
from core.search.reading import PAUSE_SECONDS, PageReader
from core.search.robots import Robots
from core.search.sender import Sender
from core.search.types import Capabilities, Page, SearchFailure, SearchResult
from core.settings import settings
from core.types import is_web_address

MAX_SITEMAPS = 20
"""The most sitemaps of a sitemap index that are read, newest first."""
DAY_SECONDS = 86_400.0


@dataclass(frozen=True)
class FeedSource:
    """A feed as the source of its pages."""

    name: str = "feed"
    title: str = "feed"
    place: str = ""
    can = Capabilities()


@dataclass(frozen=True)
class Linked:
    """An address that a feed names; `changed` is its day there. A `feed` is a sitemap of an index.

    `at` is the moment of that change, in seconds since 1970. Where only a day is given, it is the day's end, and while
    the day lasts its beginning. So a page that changed twice on one day is read again on the next.
    """

    url: str
    changed: date | None
    at: float = 0.0
    feed: bool = False


def read_feed(
    url: str,
    *,
    known: Callable[[str], float | None],
    tell: Callable[[str], None],
    kind: str = "",
    stop: Stop = never,
    most: int = 500,
    pause: float = PAUSE_SECONDS,
    allowed: Allowed = is_public,
) -> Iterator[NewDocument]:
    """Yield up to `most` pages that a feed names and that are new or have changed since they were read.

    `known` returns the time of the last look at an address, in seconds since 1970, None for an unknown one.
    `tell` gets a sentence on each unreadable page. Raises BadInput if the feed cannot be read, Cancelled after a stop.
    """
    sender = Sender(Consent(pages=most + MAX_SITEMAPS + 1), settings().contact, allowed, stop=stop)
    reader = PageReader(sender, Robots(sender), LeakageCheck.of("", []), pause=pause)
    read = 0
    for link in _links(reader, url, tell):
        last = known(link.url)
        if last is not None and link.at <= last:
            continue
        if read == most:
            tell(f"{url}: it names more than {most:,} new pages; the others are read the next time.")
            return
        read += 1
        page = reader.read(SearchResult(link.url), FeedSource())
        extracted = page if isinstance(page, SearchFailure) else read_page(page, stop=stop)
        if isinstance(page, SearchFailure) or isinstance(extracted, SearchFailure):
            tell(str(getattr(page, "message", "") or getattr(extracted, "message", "")))
        elif extracted.wall or not extracted.document.text.strip():
            tell(f"{link.url}: the site shows {extracted.wall or 'no text'} in place of the page.")
        else:
            document = replace(extracted.document, date_source=extracted.date_source)
            found = document if document.published else dated(document, link.changed, "feed")
            seen = page.exchange.at.date() if last is not None and page.exchange else None
            yield NewDocument(replace(found, url=link.url), seen, kind)


def _links(reader: PageReader, url: str, tell: Callable[[str], None]) -> Iterator[Linked]:
    """Yield the pages of a feed, and of the sitemaps that it names."""
    first = _feed(reader, url)
    maps = sorted((one for one in first if one.feed), key=lambda one: one.changed or date.min, reverse=True)
    yield from (one for one in first if not one.feed)
    for one in maps[:MAX_SITEMAPS]:
        try:
            yield from (link for link in _feed(reader, one.url) if not link.feed)
        except BadInput as error:
            tell(str(error))


def _feed(reader: PageReader, url: str) -> list[Linked]:
    page = reader.read(SearchResult(url), FeedSource())
    if isinstance(page, SearchFailure):
        raise BadInput(page.message)
    return confined(links_in, url, page, time.time())


def links_in(url: str, page: Page, now: float) -> list[Linked]:
    """Return the addresses of an RSS or Atom feed, a sitemap or a sitemap index. Raises BadInput for other files."""
    found: dict[str, Linked] = {}
    for element in parsed(url, page.body).iter("{*}item", "{*}entry", "{*}url", "{*}sitemap"):
        link = next(iter(element.iterfind("{*}link")), None)
        named = element.findtext("{*}loc") or (link is not None and (link.get("href") or link.text)) or ""
        address = joined(url, str(named).strip())
        days = (element.findtext(f"{{*}}{name}") for name in ("lastmod", "updated", "pubDate", "published", "date"))
        day, at = next((moment(text, now) for text in days if text), (None, 0.0))
        if named and is_web_address(address):
            found.setdefault(address, Linked(address, day, at, str(element.tag).endswith("}sitemap")))
    if not found:
        raise BadInput(f"{url}: this is no RSS or Atom feed and no sitemap, or it names no pages.")
    return list(found.values())


def moment(written: str, now: float) -> tuple[date | None, float]:
    """Return the day of a time stamp, and the moment of `Linked.at`; None and 0 for any other text."""
    text = written.strip()
    with suppress(ValueError):
        stamp = datetime.fromisoformat(text) if text[:4].isdigit() else parsedate_to_datetime(text)
        if len(text) > len("2020-10-31"):
            return stamp.date(), stamp.replace(tzinfo=stamp.tzinfo or UTC).timestamp()
    if (day := parse_date(text)) is None:
        return None, 0.0
    begins = datetime.combine(day, datetime.min.time(), UTC).timestamp()
    return day, begins + DAY_SECONDS if begins + DAY_SECONDS <= now else begins
