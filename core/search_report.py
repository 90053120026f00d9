"""Report on a search: its queries, the pages read and the pages left out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from core.wording import counted

FOUND = "found"


class Reason(StrEnum):
    """Reasons for a query without results, or a page without a document."""

    ROBOTS = "robots.txt forbids it"
    WALL = "behind a wall"
    RATE_LIMIT = "rate limit"
    QUOTA = "quota used up"
    KEY = "key refused"
    NO_ANSWER = "no answer"
    GONE = "gone"
    EMPTY = "empty"
    LATE = "too late"
    GIVES_AWAY = "gives it away"
    TOO_LARGE = "too large"
    NOT_TEXT = "not text"
    DUPLICATE = "duplicate"
    CHANGED = "answer not understood"
    REFUSED = "refused"
    LIMIT = "over the limit of pages"
    NO_ARTICLE = "no article"
    NOT_SENT = "not sent"


PASSING = frozenset({Reason.RATE_LIMIT, Reason.NO_ANSWER, Reason.QUOTA, Reason.KEY})
"""Temporary reasons: a search that failed only for these has no result."""


class When(StrEnum):
    """Whether a text is from before the claim."""

    BEFORE = "before the claim"
    AFTER = "after the claim"
    UNKNOWN = "date unknown"


@dataclass(frozen=True)
class AskedQuery:
    """One query to one source. `status` is FOUND or the reason for a failure; `found` counts addresses."""

    source: str
    query: str
    status: str
    found: int
    message: str = ""

    @property
    def failed(self) -> bool:
        """Whether the source did not answer; an empty result is an answer."""
        return self.status not in (FOUND, Reason.EMPTY)


@dataclass(frozen=True)
class Origin:
    """The origin of a document: its source, query and rank (from 1), and its date.

    `digest` is that of the document's text, `snapshot` that of the page's bytes. `changed` is the day of the page's
    last change, if after the claim. `fact_checker` marks a fact-checker's site. `read` is the time of reading.
    """

    url: str
    digest: str
    source: str
    query: str
    rank: int
    snapshot: str
    when: When
    published: date | None = None
    date_source: str = ""
    changed: date | None = None
    fact_checker: bool = False
    read: datetime | None = None


@dataclass(frozen=True)
class ReadAddress:
    """A web address given by the user: its final address, the digest of its snapshot, and the time of reading.

    `problem` gives the reason of a failure; the other fields are then empty.
    """

    asked: str
    url: str = ""
    snapshot: str = ""
    read: datetime | None = None
    problem: str = ""


@dataclass(frozen=True)
class LeftOut:
    """A found address without a document, with the reason and a sentence."""

    url: str
    reason: Reason
    message: str
    source: str = ""
    query: str = ""


@dataclass(frozen=True)
class PublishedReview:
    """A published fact-check of a claim."""

    claim: str
    url: str
    rating: str
    publisher: str = ""
    title: str = ""
    claimant: str = ""
    claimed: date | None = None
    published: date | None = None
    language: str = ""


@dataclass(frozen=True)
class SearchReport:
    """The report on a search. `reviews` are others' checks of the claim, not evidence.

    `began` is the time of its start.
    """

    searches: tuple[AskedQuery, ...] = ()
    origins: tuple[Origin, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    reviews: tuple[PublishedReview, ...] = ()
    began: datetime | None = None

    @property
    def answered(self) -> bool:
        """Whether any source answered."""
        return not all(asked.failed for asked in self.searches)

    @property
    def silenced(self) -> str:
        """A sentence on sources that did not answer, and sites that may answer later; "" if all answered."""
        failed = [asked.status for asked in self.searches if asked.failed]
        queries, pages = len(failed), sum(item.reason in PASSING for item in self.left_out)
        may_pass = all(status in (*PASSING, Reason.NOT_SENT) for status in failed)
        parts = [counted(queries, "query", "queries")] if queries else []
        parts += [counted(pages, "page")] if pages else []
        remedy = "search again later" if may_pass else "the list of queries says why"
        return f"Not answered: {' and '.join(parts)}; {remedy}." if parts else ""


def outcome(report: SearchReport) -> str:
    """Return one or two sentences on the reason for an empty search."""
    failed = [
        asked.message or f"{asked.source}: {asked.status}"
        for asked in report.searches
        if asked.status not in (FOUND, Reason.NOT_SENT)
    ]
    reasons = [str(item.reason) for item in report.left_out]
    counts = [f"{reasons.count(reason)} {reason}" for reason in dict.fromkeys(reasons)]
    found = f"Of {len(reasons)} pages found: {', '.join(counts)}." if counts else "No source named a page."
    return " ".join([found, *dict.fromkeys(failed)])
