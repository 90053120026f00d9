"""Score passages with BM25, by bm25s.

bm25s keeps the score of each term in each passage as a sparse matrix. Its own indexer loops over passages in Python.
Here numpy builds the same matrix ten times as fast; a test compares both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.interfaces import Stop, never
from core.retrieval.tokens import Tokens, tokens_of
from core.terms import terms, words

if TYPE_CHECKING:
    import bm25s  # imported late: it loads scipy.sparse, which takes half a second

K1 = 1.5
B = 0.75

Matrix = dict[str, NDArray[np.float32] | NDArray[np.int32] | NDArray[np.int64] | int]


class LexicalIndex:
    """The BM25 scores (Lucene's formula, k1 = 1.5, b = 0.75) of a list of texts."""

    def __init__(self, texts: Sequence[str], *, stop: Stop = never) -> None:
        """Index `texts`. Raises Cancelled if `stop` says so."""
        self._bm25 = _matrix(tokens_of(texts, stop=stop))

    @classmethod
    def of(cls, tokens: Tokens, *, others: tuple[int, int] = (0, 0)) -> LexicalIndex:
        """Return the index of texts that are already split into words.

        `others` are the number of texts beside these, and of their terms: lengths are compared with the mean of all.
        """
        index = cls.__new__(cls)
        index._bm25 = _matrix(tokens, others)
        return index

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

    def texts_with(self, wanted: Sequence[str]) -> NDArray[np.int64]:
        """Return the number of texts with each term, shape (len(wanted),)."""
        starts, numbers = self._bm25.scores["indptr"], self._bm25.vocab_dict
        found = (numbers.get(term) for term in wanted)
        return np.array([0 if at is None else starts[at + 1] - starts[at] for at in found], dtype=np.int64)

    def scores(self, wanted: Sequence[str], idf: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return the score of every text, shape (len(self),), with these weights in place of the terms' own."""
        matrix, numbers = self._bm25.scores, self._bm25.vocab_dict
        own = inverse_frequency(self.texts_with(wanted), len(self))
        scores = np.zeros(len(self), np.float32)
        for term, weight in zip(wanted, idf / own, strict=True):
            if (at := numbers.get(term)) is not None:
                texts = slice(matrix["indptr"][at], matrix["indptr"][at + 1])
                scores[matrix["indices"][texts]] += np.float32(weight) * matrix["data"][texts]
        return scores

    def save(self, folder: Path) -> None:
        """Write the index to `folder` as npy and JSON files; nothing is pickled."""
        self._bm25.save(folder, allow_pickle=False, show_progress=False)

    @classmethod
    def load(cls, folder: Path) -> LexicalIndex:
        """Return the index that `save` wrote to `folder`; searches read its matrix from disk."""
        import bm25s

        index = cls.__new__(cls)
        index._bm25 = bm25s.BM25.load(folder, allow_pickle=False, mmap=True, show_progress=False)
        return index


def count_terms(tokens: Tokens) -> int:
    """Return the number of words of all texts, without function words."""
    counts = np.array([bool(term) for term in terms(tokens.words)], dtype=np.int64)
    numbers, _ = tokens.gathered()
    return int(counts[numbers].sum()) if len(counts) else 0


def inverse_frequency(texts_with: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    """Return Lucene's weight of terms that `texts_with` of `n` texts have."""
    return np.log1p((n - texts_with + 0.5) / (texts_with + 0.5))


def _matrix(tokens: Tokens, others: tuple[int, int] = (0, 0)) -> bm25s.BM25:
    import bm25s

    term_of, vocabulary = _term_numbers(tokens.words)
    bm25 = bm25s.BM25(k1=K1, b=B, method="lucene", backend="numpy")
    bm25.vocab_dict = vocabulary
    bm25.nonoccurrence_array = None
    bm25.scores = _scores(tokens, term_of, others, terms_count=len(vocabulary))
    return bm25


def _term_numbers(words: list[str]) -> tuple[NDArray[np.int32], dict[str, int]]:
    """Return each word's term number, −1 for function words, and the numbers of all terms."""
    vocabulary: defaultdict[str, int] = defaultdict(count().__next__)
    numbers = [vocabulary[term] if term else -1 for term in terms(words)]
    return np.array(numbers, dtype=np.int32), dict(vocabulary)


def _scores(tokens: Tokens, term_of: NDArray[np.int32], others: tuple[int, int], *, terms_count: int) -> Matrix:
    """Return bm25s' matrix: for each term, the texts with it (`indices`) and its scores there (`data`)."""
    n = len(tokens)
    numbers, all_lengths = tokens.gathered()
    term_ids = term_of[numbers] if len(term_of) else numbers
    text_of = np.repeat(np.arange(n), all_lengths)[term_ids >= 0]
    term_ids = term_ids[term_ids >= 0]
    lengths = np.bincount(text_of, minlength=n)
    term, text, frequency = _counted(term_ids, text_of, n)
    texts_with = np.bincount(term, minlength=terms_count)
    idf = inverse_frequency(texts_with, n)
    length = lengths[text] / max((lengths.sum() + others[1]) / max(n + others[0], 1), 1e-9)
    tf = frequency / (frequency + K1 * (1 - B + B * length))
    return {
        "data": (idf[term] * tf).astype(np.float32),
        "indices": text.astype(np.int32),
        "indptr": np.concatenate(([0], np.cumsum(texts_with))),
        "num_docs": n,
    }


def _counted(
    term_ids: NDArray[np.int32], text_of: NDArray[np.int64], n: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return each pair of a term and a text containing it, sorted, with the number of occurrences."""
    cells = np.sort(term_ids * np.int64(n) + text_of)
    first = np.flatnonzero(np.diff(cells, prepend=-1))
    term, text = np.divmod(cells[first], max(n, 1))
    return term, text, np.diff(first, append=len(cells))
