"""Fuse rankings, diversify hits, and find the matching words of a text, with pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import fsum

import numpy as np
from numpy.typing import NDArray

from core.types import Hit


def reciprocal_rank_fusion(rankings: Sequence[Sequence[int]], *, c: int = 60) -> list[int]:
    """Return every item of `rankings` once, by falling sum of 1 / (c + rank); ranks count from 1.

    The order of the rankings does not matter. Ties go to the item with the better best rank, then to the smaller item.
    Raises ValueError if a ranking names an item twice or if c is negative. Source: Cormack, Clarke and Büttcher, SIGIR
    2009.
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

    Each choice maximises trade_off · relevance[i] − (1 − trade_off) · max(similarity[i, chosen]); the first is the most
    relevant. `relevance` has shape (n,), `similarity` (n, n); `trade_off` lies in [0, 1], where 1 means relevance only.
    Ties go to the smaller position. Raises ValueError for other shapes and values. Source: Carbonell and Goldstein,
    SIGIR 1998.
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


def unlike(vectors: NDArray[np.float32], *, similarity: float, known: int = 0) -> list[int]:
    """Return the positions, from `known` on, of the rows that are unlike each known row and each one kept before.

    Rows are unit vectors, shape (n, dimensions); two are alike if their cosine is above `similarity`, in [−1, 1].
    Raises ValueError unless 0 <= known <= n.
    """
    if not 0 <= known <= len(vectors):
        raise ValueError(f"known must lie between 0 and {len(vectors)}, got {known}")
    kept = list(range(known))
    for position in range(known, len(vectors)):
        if not kept or float((vectors[kept] @ vectors[position]).max()) <= similarity:
            kept.append(position)
    return kept[known:]


def ordered(hits: Sequence[Hit], by: str) -> list[Hit]:
    """Return the hits of one query in another order, ranked again from 1.

    `by` is "bm25" (BM25 rank), "dense" (rank of the cosine), "rrf" (reciprocal rank fusion) or "hybrid" (the hits' own
    order). Hits without a BM25 rank are last.
    """
    last = len(hits) + 1
    by_words = sorted(range(len(hits)), key=lambda i: (hits[i].bm25_rank or last, i))
    by_meaning = sorted(range(len(hits)), key=lambda i: (hits[i].dense_rank or last, i))
    seen = [i for i in by_words if hits[i].bm25_rank is not None]
    order = {
        "bm25": by_words,
        "dense": by_meaning,
        "rrf": reciprocal_rank_fusion([seen, by_meaning]),
        "hybrid": list(range(len(hits))),
    }[by]
    return [replace(hits[i], rank=rank) for rank, i in enumerate(order, start=1)]
