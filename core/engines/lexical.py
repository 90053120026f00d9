"""BM25 over every passage, by bm25s.

bm25s keeps the score of each term in each passage as a sparse matrix. Its own indexer walks through the passages
in Python; here the same matrix is built in numpy, in an eighth of the time (a test holds the two together).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, count
from pathlib import Path

import bm25s
import numpy as np
from numpy.typing import NDArray

from core.errors import Cancelled
from core.ports import Stop, never
from core.terms import terms, words

K1 = 1.5
B = 0.75
TEXTS_BETWEEN_STOPS = 2000


class LexicalIndex:
    """The BM25 scores (Lucene's formula, k1 = 1.5, b = 0.75) of a list of texts."""

    def __init__(self, texts: Sequence[str], *, stop: Stop = never) -> None:
        """Index `texts`. Raises Cancelled if `stop` says so."""
        term_ids, lengths, vocabulary = _count_terms(_tokenised(texts, stop))
        if stop():
            raise Cancelled("Stopped while indexing the passages.")
        self._bm25 = bm25s.BM25(k1=K1, b=B, method="lucene", backend="numpy")
        self._bm25.vocab_dict = vocabulary
        self._bm25.nonoccurrence_array = None
        self._bm25.scores = _scores(term_ids, lengths, terms_count=len(vocabulary))

    def __len__(self) -> int:
        """Return the number of texts."""
        return int(self._bm25.scores["num_docs"])

    def search(self, query: str, *, k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the positions and scores of the best `k` texts that share a term with `query`, best first.

        Both have shape (min(k, matching texts),). Equal scores keep the order of the texts.
        """
        known = self._bm25.get_tokens_ids([term for term in terms(words(query)) if term])
        if not known or k < 1:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        scores = self._bm25.get_scores_from_ids(known)
        matching = np.flatnonzero(scores > 0)
        best = matching[np.argsort(-scores[matching], kind="stable")[:k]]
        return best, scores[best]

    def save(self, folder: Path) -> None:
        """Write the index to `folder` as npy and JSON files; nothing is pickled."""
        self._bm25.save(folder, allow_pickle=False, show_progress=False)

    @classmethod
    def load(cls, folder: Path) -> LexicalIndex:
        """Return the index that `save` wrote to `folder`."""
        index = cls.__new__(cls)
        index._bm25 = bm25s.BM25.load(folder, allow_pickle=False, show_progress=False)
        return index


def _tokenised(texts: Sequence[str], stop: Stop) -> Iterable[list[str]]:
    for position, text in enumerate(texts):
        if position % TEXTS_BETWEEN_STOPS == 0 and stop():
            raise Cancelled("Stopped while indexing the passages.")
        yield words(text)


def _count_terms(
    tokenised: Iterable[list[str]],
) -> tuple[NDArray[np.int64], NDArray[np.int64], dict[str, int]]:
    """Return the term id of each word in turn, the number of terms of each text, and the ids of the terms.

    Each distinct word is folded and stemmed once. Function words are left out of all three.
    """
    written: defaultdict[str, int] = defaultdict(count().__next__)
    lists = list(tokenised)
    flat = np.fromiter(map(written.__getitem__, chain.from_iterable(lists)), dtype=np.int64)
    text_of = np.repeat(np.arange(len(lists)), [len(each) for each in lists])
    vocabulary: defaultdict[str, int] = defaultdict(count().__next__)
    counted = [vocabulary[term] if term else -1 for term in terms(list(written))]
    term_ids = np.array(counted, dtype=np.int64)[flat]
    kept = term_ids >= 0
    lengths = np.bincount(text_of[kept], minlength=len(lists))
    return term_ids[kept], lengths, dict(vocabulary)


def _scores(
    term_ids: NDArray[np.int64], lengths: NDArray[np.int64], *, terms_count: int
) -> dict[str, NDArray[np.float32] | NDArray[np.int32] | NDArray[np.int64] | int]:
    """Return bm25s' matrix: for each term, the texts with it (`indices`) and what it adds there (`data`)."""
    n = len(lengths)
    text_of = np.repeat(np.arange(n), lengths)
    cells, frequency = np.unique(term_ids * n + text_of, return_counts=True)
    term, text = np.divmod(cells, max(n, 1))
    texts_with = np.bincount(term, minlength=terms_count)
    idf = np.log1p((n - texts_with + 0.5) / (texts_with + 0.5))
    length = lengths[text] / max(lengths.mean() if n else 0.0, 1e-9)
    tf = frequency / (frequency + K1 * (1 - B + B * length))
    return {
        "data": (idf[term] * tf).astype(np.float32),
        "indices": text.astype(np.int32),
        "indptr": np.concatenate(([0], np.cumsum(texts_with))),
        "num_docs": n,
    }
