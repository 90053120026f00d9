"""Name the source of a passage so that a reader finds it again, and list the queries of a search."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from core.errors import VerideskError
from core.search.source_kinds import UNKNOWN, kind_of
from core.search_report import SearchReport
from core.types import Document
from core.wording import day, readable

SNAPSHOT = re.compile(r"https?://web\.archive\.org/web/(\d{14})[a-z_]*/(.+)", re.IGNORECASE)


@dataclass(frozen=True)
class CitedSource:
    """A document as a citation names it; unknown fields are empty.

    `address` is that of the page or of its copy, and `snapshot` is the time of the copy. `page` is the page of a PDF,
    and `digest` the SHA-256 of the text that was read. `kind` is the kind of source in words, where it is known.
    """

    title: str
    site: str
    address: str
    published: str
    page: str
    snapshot: str
    digest: str
    kind: str = ""

    @property
    def citation(self) -> str:
        """The source on one line, as a footnote names it."""
        parts = (f"“{self.title}”" if self.title else "", self.site, self.published or "no date", self.page)
        where = self.address if self.address != self.site else ""
        return ", ".join(part for part in (*parts, self.snapshot, where) if part)

    @property
    def further(self) -> str:
        """The line under the title in a list: address, page and copy, without the title itself."""
        named = self.title or self.site
        return ", ".join(
            part for part in (self.address if self.address != named else "", self.page, self.snapshot) if part
        )


def source_of(document: Document, at: int) -> CitedSource:
    """Return the source of a text that begins at character `at` of a document."""
    copy = SNAPSHOT.fullmatch(document.url)
    original = Document(copy.group(2), "").site if copy else document.site
    return CitedSource(
        title=" ".join(readable(document.title).split()),
        site=readable(original),
        address=readable(document.url),
        published=day(document.published),
        page=f"page {page}" if (page := document.page(at)) else "",
        snapshot=f"copy of {_taken(copy.group(1))}" if copy else "",
        digest=document.digest,
        kind=_kind(document),
    )


def _kind(document: Document) -> str:
    try:
        known = kind_of(document)
    except VerideskError:  # a broken list of the newsroom's: the page of the case names it
        known = UNKNOWN
    return "" if known is UNKNOWN else str(known.kind)


def _taken(stamp: str) -> str:
    try:
        return day(datetime.strptime(stamp, "%Y%m%d%H%M%S").date())
    except ValueError:
        return stamp


@dataclass(frozen=True)
class Grid:
    """A table with titles over its columns; `numbers` are the columns that hold numbers, `style` its look in HTML."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[int] = frozenset()
    style: str = "grid"


def protocol_of(search: SearchReport) -> tuple[Grid, ...]:
    """Return the queries, the pages read with the digests of their copies, and the pages left out."""
    asked = [(one.source, one.query, one.status, str(one.found), one.message) for one in search.searches]
    read = [
        (
            one.url,
            day(one.published) or "no date",
            one.date_source or "–",
            str(one.when),
            one.source,
            one.snapshot,
            one.digest,
        )
        for one in search.origins
    ]
    left = [(one.url, str(one.reason), one.message, one.source, one.query) for one in search.left_out]
    grids = (
        ("Queries sent", ("Asked", "Query", "Answer", "Addresses", "Details"), asked),
        ("Pages read", ("Page", "Date", "Date from", "Is", "Named by", "Copy, SHA-256", "Text, SHA-256"), read),
        ("Found and left out", ("Address", "Why", "In words", "Named by", "For the query"), left),
    )
    return tuple(
        Grid(title, columns, tuple(tuple(map(readable, row)) for row in rows)) for title, columns, rows in grids if rows
    )
