"""Pure functions on rankings: fusion, variety, and which words of a text matched."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

import numpy as np
from numpy.typing import NDArray

from core.terms import terms, word_pattern, words


def reciprocal_rank_fusion(rankings: Sequence[Sequence[int]], *, c: int = 60) -> list[int]:
    """Return every item of `rankings` once, by falling sum of 1 / (c + rank); ranks count from 1.

    The order of the rankings does not matter: ties go to the item with the better best rank, then to the
    smaller item. Raises ValueError if a ranking names an item twice or if c is negative.
    Source: Cormack, Clarke and Büttcher, SIGIR 2009.
    """
    if c < 0:
        raise ValueError(f"c must not be negative, got {c}")
    ranks: dict[int, list[int]] = {}
    for ranking in rankings:
        if len(set(ranking)) != len(ranking):
            raise ValueError("a ranking names an item twice")
        for rank, item in enumerate(ranking, start=1):
            ranks.setdefault(item, []).append(rank)

    def key(item: int) -> tuple[float, int, int]:
        # fsum: a plain sum depends on the order of its terms and can flip ties.
        return -fsum(1 / (c + rank) for rank in ranks[item]), min(ranks[item]), item

    return sorted(ranks, key=key)


def maximal_marginal_relevance(
    relevance: NDArray[np.float64], similarity: NDArray[np.float64], *, k: int, trade_off: float = 0.5
) -> list[int]:
    """Return the positions of up to `k` items, each chosen for relevance and unlikeness to those before it.

    Each choice maximises trade_off · relevance[i] − (1 − trade_off) · max(similarity[i, chosen]); the first is
    the most relevant. `relevance` has shape (n,), `similarity` (n, n); `trade_off` lies in [0, 1], where 1 is
    relevance alone. Ties go to the smaller position. Raises ValueError for other shapes and values.
    Source: Carbonell and Goldstein, SIGIR 1998.
    """
    n = len(relevance)
    if relevance.shape != (n,) or similarity.shape != (n, n):
        raise ValueError(f"relevance {relevance.shape} does not fit similarity {similarity.shape}")
    if not 0 <= trade_off <= 1 or k < 0:
        raise ValueError(f"trade_off must lie in [0, 1] and k must not be negative, got {trade_off} and {k}")
    chosen: list[int] = []
    left = np.ones(n, dtype=bool)
    nearest = np.zeros(n)
    while len(chosen) < min(k, n):
        gain = trade_off * relevance - (1 - trade_off) * nearest if chosen else relevance
        best = int(np.argmax(np.where(left, gain, -np.inf)))
        nearest = np.maximum(nearest, similarity[best]) if chosen else similarity[best]
        left[best] = False
        chosen.append(best)
    return chosen


def matched_words(query: str, text: str) -> list[tuple[int, int]]:
    """Return start and end of each word of `text` that is the same term as a word of `query`, in order."""
    wanted = set(terms(words(query))) - {""}
    found = list(word_pattern(text).finditer(text))
    counted = terms([match.group() for match in found])
    return [match.span() for match, term in zip(found, counted, strict=True) if term in wanted]
