"""Titles before pages: rank found pages by the claim, and drop those that are no article."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from core.interfaces import Encoder
from core.retrieval.lexical import LexicalIndex
from core.retrieval.ranking import reciprocal_rank_fusion
from core.search.crawl import Candidate
from core.search.types import SearchFailure, SearchResult
from core.search_report import Reason

STUB = 80
"""A page with fewer characters is a heading, not an article."""

_LIST = re.compile(
    r"\((?:disambiguation|Begriffsklärung|homonymie|disambigua|desambiguación|desambiguação|doorverwijspagina)\)$", re.I
)
_REFERS = re.compile(r"\b(?:may|can) (?:also )?refer to\b.{0,3}:|\{\{\s*(?:disambig|hndis|Begriffsklärung)", re.I)


def no_article(result: SearchResult) -> SearchFailure | None:
    """Return why a page is not worth reading, by its title and its snippet; None if it is."""
    if _LIST.search(result.title) or _REFERS.search(result.snippet):
        return SearchFailure(Reason.NO_ARTICLE, f"{result.url}: this page only lists pages of the same name.")
    if result.size is not None and result.size < STUB:
        return SearchFailure(Reason.NO_ARTICLE, f"{result.url}: this page has {result.size} characters of text.")
    return None


def by_title(claim: str, found: Sequence[Candidate], encoder: Encoder | None) -> list[Candidate]:
    """Return the pages found, best first: by the claim's words and meaning in title and snippet, then as they came.

    Without an encoder only words count. Pages without a title keep the order in which they came.
    """
    texts = {
        at: text for at, one in enumerate(found) if (text := f"{one.result.title}. {one.result.snippet}"[:1000]) != ". "
    }
    if not texts:
        return list(found)
    places, named = np.array(list(texts)), list(texts.values())
    by_words, _ = LexicalIndex([f"{found[at].result.title} {texts[at]}" for at in texts]).search(claim, k=len(named))
    rankings: list[Sequence[int]] = [[int(places[at]) for at in by_words]]
    if encoder:
        vectors = encoder.encode([claim, *named])
        rankings.append([int(places[at]) for at in np.argsort(-(vectors[1:] @ vectors[0]), kind="stable")])
    # ours count twice: many sources do not rank
    return [found[at] for at in reciprocal_rank_fusion([range(len(found)), *rankings, *rankings])]
