"""One generation of an archive, open for searches by words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.archive.segments import Key, Mask, Segment
from core.archive.types import Filters
from core.retrieval.lexical import inverse_frequency
from core.terms import terms, words

DIGITS = 4
"""Decimals of scores that count: the last digits depend on the borders of segments."""


@dataclass(frozen=True)
class Generation:
    """The segments of a published state; `revised` holds the versions with other days than in their segment."""

    number: int
    segments: tuple[Segment, ...]
    revised: NDArray[np.int64]

    def masks(self, filters: Filters) -> list[Mask | None]:
        """Return for each segment the passages that filters leave; None where all are left."""
        return [one.allowed(filters, self.revised) for one in self.segments]

    def by_words(self, query: str, masks: Sequence[Mask | None], *, k: int) -> list[Key]:
        """Return the best `k` passages by BM25, best first. A term counts as in one index of all passages."""
        counted = Counter(term for term in terms(words(query)) if term)
        wanted, times = list(counted), np.array(list(counted.values()), dtype=np.float64)
        if not wanted or not self.segments:
            return []
        total = sum(len(one) for one in self.segments)
        texts_with = np.sum([one.words.texts_with(wanted) for one in self.segments], axis=0)
        weights = times * inverse_frequency(texts_with, total)
        best = [
            (score, -place, -position)
            for place, (one, mask) in enumerate(zip(self.segments, masks, strict=True))
            for score, position in _best(one.words.scores(wanted, weights), mask, k)
        ]
        ordered = sorted(best, reverse=True)[:k]
        return [self.segments[-place].key(-position) for _, place, position in ordered]


def _best(scores: NDArray[np.float32], mask: Mask | None, k: int) -> list[tuple[float, int]]:
    """Return score and position of the best `k` texts with a score above 0 that the mask leaves."""
    scores = np.round(scores if mask is None else scores * mask, DIGITS)
    if len(scores) > k:
        least = np.partition(scores, len(scores) - k)[len(scores) - k]
        matching = np.flatnonzero((scores >= least) & (scores > 0))
    else:
        matching = np.flatnonzero(scores > 0)
    order = matching[np.argsort(-scores[matching], kind="stable")[:k]]
    return list(zip(scores[order].tolist(), order.tolist(), strict=True))
