"""Report on a search: its queries, the pages that it read, and those that it left out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from core.wording import counted

FOUND = "found"


class Reason(StrEnum):
    """Why a question brought no results, or a page no document."""

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
"""Reasons that may be gone the next time: a search that they silenced is no answer."""


class When(StrEnum):
    """Whether a text is from before the claim."""

    BEFORE = "before the claim"
    AFTER = "after the claim"
    UNKNOWN = "date unknown"


@dataclass(frozen=True)
class AskedQuery:
    """One query to one source. `status` is FOUND or why nothing came; `found` counts addresses."""

    source: str
    query: str
    status: str
    found: int
    message: str = ""

    @property
    def failed(self) -> bool:
        """Whether the source did not answer; that it knows of nothing is an answer."""
        return self.status not in (FOUND, Reason.EMPTY)


@dataclass(frozen=True)
class Origin:
    """Where a document comes from: who named it for which query at which rank (from 1), and how it is dated.

    `digest` is that of the document's text, `snapshot` that of the page's bytes. `changed` is the day of
    the page's last change, if that is after the claim. `fact_checker` marks the site of one. `read` is when the page
    was read.
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
    """A web address that a person named: where it led, the digest of its snapshot, and when it was read.

    `problem` says why it could not be read; the other fields are then empty.
    """

    asked: str
    url: str = ""
    snapshot: str = ""
    read: datetime | None = None
    problem: str = ""


@dataclass(frozen=True)
class LeftOut:
    """An address that was found and gave no document, and why: a reason, and a sentence."""

    url: str
    reason: Reason
    message: str
    source: str = ""
    query: str = ""


@dataclass(frozen=True)
class PublishedReview:
    """A fact-check that somebody published of a claim."""

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
    """Everything that a reader should know of a search. `reviews` are others' checks of the claim, no evidence.

    `began` is when the search began.
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
        """A sentence on sources and sites that did not answer and may do so later; "" where all did."""
        queries = sum(asked.status in (*PASSING, Reason.NOT_SENT) for asked in self.searches)
        pages = sum(item.reason in PASSING for item in self.left_out)
        parts = [counted(queries, "query", "queries")] if queries else []
        parts += [counted(pages, "page")] if pages else []
        return f"Not answered: {' and '.join(parts)}; search again later." if parts else ""


def outcome(report: SearchReport) -> str:
    """Explain in a sentence or two why a search found nothing."""
    failed = [
        asked.message or f"{asked.source}: {asked.status}"
        for asked in report.searches
        if asked.status not in (FOUND, Reason.NOT_SENT)
    ]
    reasons = [str(item.reason) for item in report.left_out]
    counts = [f"{reasons.count(reason)} {reason}" for reason in dict.fromkeys(reasons)]
    found = f"Of {len(reasons)} pages found: {', '.join(counts)}." if counts else "No source named a page."
    return " ".join([found, *dict.fromkeys(failed)])
