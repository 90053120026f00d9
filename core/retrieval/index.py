"""Search one corpus by words, then by meaning, with an index in memory. `kept_index.py` keeps indexes on disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from core.interfaces import Encoder, Retriever, Stop, ignore, never
from core.retrieval.corpus import Corpus
from core.retrieval.lexical import LexicalIndex
from core.retrieval.ranking import reciprocal_rank_fusion
from core.retrieval.tokens import tokens_of_corpus
from core.settings import settings
from core.types import Hit, Passage, Ranking

if TYPE_CHECKING:
    from core.retrieval.static import StaticEncoder


class OpenStatic(Protocol):
    """Opens the static encoder, after distilling it if it is missing."""

    def __call__(self, *, stop: Stop = never, report: Callable[[str], None] = ignore) -> StaticEncoder: ...


def distilled(*, stop: Stop = never, report: Callable[[str], None] = ignore) -> StaticEncoder:
    """Return the static encoder of this machine. Raises as `core.retrieval.static.open_static`."""
    from core.retrieval.static import open_static

    return open_static(settings().models, stop=stop, report=report)


class Index:
    """An index in memory: it builds BM25 over all passages at once, and vectors on request."""

    def __init__(
        self, passages: Sequence[Passage], encoder: Encoder, *, static: OpenStatic = distilled, stop: Stop = never
    ) -> None:
        """Index `passages`. Raises Cancelled if `stop` says so."""
        self.passages = Corpus.of(passages)
        self._encoder = encoder
        self._static = static
        self._tokens = tokens_of_corpus(self.passages, stop=stop)
        self._lexical = LexicalIndex.of(self._tokens)
        self._vectors: dict[int, NDArray[np.float32]] = {}
        self._meaning: tuple[NDArray[np.float32], StaticEncoder] | None = None

    def position(self, passage: Passage) -> int | None:
        """See `Retriever.position`."""
        return self.passages.position(passage)

    def search(self, query: str, *, k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """See `Retriever.search`."""
        return self._lexical.search(query, k=k)

    def search_dense(
        self, query: str, *, k: int, stop: Stop = never, report: Callable[[str], None] = ignore
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """See `Retriever.search_dense`; the static vectors of all passages are made at the first call."""
        vectors, static = self._opened_meaning(stop, report)
        cosines = vectors @ static.encode([query])[0]
        best = np.argsort(-cosines, kind="stable")[: max(k, 0)]
        return best, cosines[best]

    def vectors(self, positions: Sequence[int], *, stop: Stop = never) -> NDArray[np.float32]:
        """See `Retriever.vectors`."""
        missing = sorted(set(positions) - self._vectors.keys())
        encoded = self._encoder.encode([self.passages[position].text for position in missing], stop=stop)
        self._vectors.update(zip(missing, encoded, strict=True))
        return np.array([self._vectors[position] for position in positions]).reshape(-1, encoded.shape[1])

    def _opened_meaning(self, stop: Stop, report: Callable[[str], None]) -> tuple[NDArray[np.float32], StaticEncoder]:
        if self._meaning is None:
            static = self._static(stop=stop, report=report)
            self._meaning = self._static_vectors(static, stop), static
        return self._meaning

    def _static_vectors(self, static: StaticEncoder, stop: Stop) -> NDArray[np.float32]:
        return static.vectors(self._tokens)


def hybrid(
    retriever: Retriever,
    encoder: Encoder,
    query: str,
    *,
    pool: int = 100,
    k: int = 40,
    lexical_weight: float = 0.4,
    dense_first_stage: bool = False,
    every_passage: bool = False,
    stop: Stop = never,
    report: Callable[[str], None] = ignore,
) -> Ranking:
    """Return up to `k` passages: the best `pool` by BM25, ordered by words and meaning together.

    With `every_passage` up to `pool` passages are all compared: one that settles a claim may share no word with it.

    The order is by cosine + lexical_weight · (BM25 score / best BM25 score); weight 0 means cosine only. With
    `dense_first_stage`, static vectors also rank all passages, including those without a word of the query. Reciprocal
    rank fuses both rankings, and the best `pool` are compared. A text that occurs more than once is one hit.
    """
    vector = encoder.encode([query], stop=stop)[0]
    found, scores = retriever.search(query, k=pool)
    bm25 = dict(zip(found.tolist(), zip(range(1, len(found) + 1), scores.tolist(), strict=True), strict=True))
    first = list(bm25)
    if every_passage and len(retriever.passages) <= pool:
        first += [position for position in range(len(retriever.passages)) if position not in bm25]
    elif dense_first_stage:
        near, _ = retriever.search_dense(query, k=pool, stop=stop, report=report)
        first = reciprocal_rank_fusion([first, near.tolist()])
    candidates = distinct(retriever.passages, first)[:pool]
    cosines = retriever.vectors(candidates, stop=stop) @ vector
    by_words = np.array([bm25[position][1] if position in bm25 else 0.0 for position in candidates])
    mixed = cosines + lexical_weight * by_words / max(by_words.max(initial=0.0), 1e-9)
    dense_rank = np.argsort(np.argsort(-cosines, kind="stable")) + 1
    hits = []
    for rank, index in enumerate(np.argsort(-mixed, kind="stable")[:k].tolist(), start=1):
        bm25_rank, bm25_score = bm25.get(candidates[index], (None, None))
        passage = retriever.passages[candidates[index]]
        hits.append(Hit(passage, rank, bm25_rank, int(dense_rank[index]), bm25_score, float(cosines[index])))
    return Ranking(query, tuple(hits))


def lexical(retriever: Retriever, query: str, *, k: int) -> Ranking:
    """Return the best `k` passages by BM25 only, without encoding. A text that occurs twice is one hit."""
    found, scores = retriever.search(query, k=k)
    kept = distinct(retriever.passages, found.tolist())
    score_of = dict(zip(found.tolist(), scores.tolist(), strict=True))
    hits = (
        Hit(retriever.passages[position], rank, bm25_rank=rank, bm25_score=score_of[position])
        for rank, position in enumerate(kept, start=1)
    )
    return Ranking(query, tuple(hits))


def passage_vectors(
    retriever: Retriever, encoder: Encoder, passages: Sequence[Passage], *, stop: Stop = never
) -> NDArray[np.float32]:
    """Return the unit vectors of passages, shape (len(passages), dimensions).

    The retriever supplies vectors of its own passages. Others, such as groups of sentences, are encoded.
    """
    positions = [retriever.position(passage) for passage in passages]
    known = [position for position in positions if position is not None]
    if len(known) < len(positions):
        return encoder.encode([passage.text for passage in passages], stop=stop)
    return retriever.vectors(known, stop=stop)


def distinct(passages: Sequence[Passage], positions: Sequence[int]) -> list[int]:
    """Return the first position of each distinct text, ignoring capitals and spaces."""
    first: dict[str, int] = {}
    for position in positions:
        first.setdefault(" ".join(passages[position].text.split()).casefold(), position)
    return list(first.values())
