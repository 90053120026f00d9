"""Find published fact-checks of a claim: in a ClaimReview feed on this machine, and with Google's Fact Check Tools.

Google needs a key. Fact-checks are shown beside the verdict and never influence it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from core.confined import confined
from core.dates import parse_date, shifted
from core.errors import BadInput
from core.files import expanded, json_of, read_bounded
from core.http.fetching import FetchedResponse
from core.interfaces import Encoder
from core.retrieval.lexical import LexicalIndex
from core.retrieval.ranking import reciprocal_rank_fusion
from core.search.sender import Sender
from core.search.sources.answers import Json, objects, text
from core.search.text import whole_claim
from core.search.types import ReviewSource, SearchFailure
from core.search_report import PublishedReview
from core.settings import settings
from core.types import is_web_address
from core.wording import counted

MAX_BYTES = 1_000_000_000
CANDIDATES = 50
"""The number of reviews ranked by meaning: those that share the most words with the claim."""

MIN_COSINE = 0.5
"""Below this similarity to the claim, a review is about something else."""


@dataclass(frozen=True)
class ReviewFilter:
    """The wanted reviews: of a language (such as "de"), of a publisher, of the last `days`. Empty fields allow all."""

    language: str = ""
    publisher: str = ""
    days: int = 0

    def wants(self, review: PublishedReview) -> bool:
        """Say whether a review is wanted; one without the language or date that is asked for is not."""
        language = review.language.lower().replace("_", "-").partition("-")[0]
        oldest = shifted(date.today(), -self.days)
        return (
            (not self.language or language == self.language.lower().partition("-")[0])
            and self.publisher.casefold() in review.publisher.casefold()
            and (not self.days or (review.published is not None and review.published >= oldest))
        )


EVERY = ReviewFilter()


@dataclass(frozen=True)
class ReviewFeed:
    """The reviews of a feed, indexed once; `broken` entries of it could not be read."""

    reviews: tuple[PublishedReview, ...]
    broken: int

    @cached_property
    def _index(self) -> LexicalIndex:
        return LexicalIndex([f"{review.claim} {review.title}" for review in self.reviews])

    @property
    def remark(self) -> str:
        """A sentence on the broken entries, "" where there are none."""
        entries = counted(self.broken, "entry", "entries")
        return f"{entries} of the feed of fact-checks could not be read." if self.broken else ""

    def search(
        self, claim: str, encoder: Encoder, *, k: int = 5, wanted: ReviewFilter = EVERY
    ) -> tuple[PublishedReview, ...]:
        """Return up to `k` wanted reviews of claims like this one, by shared words and by meaning, best first."""
        positions, _ = self._index.search(claim, k=CANDIDATES)
        found = [review for at in positions if wanted.wants(review := self.reviews[int(at)])]
        if not found:
            return ()
        vectors = encoder.encode([claim, *(review.claim for review in found)])
        cosines = vectors[1:] @ vectors[0]
        by_meaning = [int(place) for place in np.argsort(-cosines, kind="stable")]
        order = reciprocal_rank_fusion([range(len(found)), by_meaning])
        return tuple(found[place] for place in order if cosines[place] >= MIN_COSINE)[:k]


def own_feed() -> ReviewFeed | None:
    """Return the feed that VERIDESK_REVIEWS names, read once for each version of its file; None without one.

    Raises as `read_feed`.
    """
    path = settings().review_feed
    if path is None:
        return None
    return _opened(path, path.stat().st_mtime if path.is_file() else 0.0)


@lru_cache(maxsize=1)
def _opened(path: Path, modified: float) -> ReviewFeed:
    return read_feed(path)


def read_feed(path: Path) -> ReviewFeed:
    """Return the reviews of a ClaimReview feed, as Data Commons publishes it (JSON-LD, schema.org).

    Entries that are no reviews are counted and passed over. Raises BadInput if the file is no JSON, or holds none.
    """
    return confined(_read_feed, str(path), read_bounded(expanded(path), MAX_BYTES), seconds=300.0)


def _read_feed(name: str, content: bytes) -> ReviewFeed:
    try:
        feed = json_of(content.decode("utf-8-sig", "replace"), strict=False)
    except ValueError as error:
        raise BadInput(f"{name}: this is no JSON, as a feed of ClaimReview is; download it again.") from error
    records = list(_records(feed))
    reviews = [review for record in records if (review := _review(record))]
    if not reviews:
        raise BadInput(f"{name}: no ClaimReview was found in this file.")
    return ReviewFeed(tuple(dict.fromkeys(reviews)), len(records) - len(reviews))


def _records(feed: Any) -> Iterator[Json]:
    """Yield every object of type ClaimReview, at any depth of the feed."""
    waiting = [feed]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            kind = item.get("@type")
            if kind == "ClaimReview" or (isinstance(kind, list) and "ClaimReview" in kind):
                yield item
            else:
                waiting += reversed(list(item.values()))
        elif isinstance(item, list):
            waiting += reversed(item)


def _review(record: Json) -> PublishedReview | None:
    """Return a review; None if it lacks a claim, an address or a verdict."""
    author, item, rating = (_object(record, name) for name in ("author", "itemReviewed", "reviewRating"))
    claim, url = text(record, "claimReviewed"), text(record, "url")
    verdict = text(rating, "alternateName") or _on_a_scale(rating)
    if not (claim and is_web_address(url) and verdict):
        return None
    return PublishedReview(
        claim,
        url,
        verdict,
        publisher=text(author, "name"),
        title=text(record, "name") or text(record, "headline"),
        claimant=text(_object(item, "author"), "name"),
        claimed=parse_date(text(item, "datePublished")),
        published=parse_date(text(record, "datePublished")),
        language=text(record, "inLanguage"),
    )


def _on_a_scale(rating: Json) -> str:
    """Return a rating in numbers in words: "2 on a scale from 1 to 5"; "" if it has none."""
    value, worst, best = (_number(rating.get(name)) for name in ("ratingValue", "worstRating", "bestRating"))
    if not value:
        return ""
    return f"{value} on a scale from {worst or '1'} to {best}" if best else f"rated {value}"


def _number(value: object) -> str:
    """Return a number as it is written, "" for anything else; some feeds write numbers as texts."""
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,6}(?:\.\d{1,6})?", value.strip()):
        return value.strip()
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _object(record: Json, name: str) -> Json:
    """Return an object of a record, the first of several, or an empty one."""
    value = record.get(name)
    return next(objects(value if isinstance(value, list) else [value]), {})


def ask_reviews(source: ReviewSource, claim: str, sender: Sender) -> Sequence[PublishedReview] | SearchFailure:
    """Return the reviews of a claim from a service of published fact-checks, or why it gives none."""
    words = whole_claim(claim, source.can)
    answer = sender.send(replace(source.request(words, 0, None), query=words), pause=source.can.pause)
    if not isinstance(answer, FetchedResponse):
        return answer
    return source.parse(answer.status, answer.headers, answer.body)
