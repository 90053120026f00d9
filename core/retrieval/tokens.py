"""Number the words of many texts, with one number per distinct word, for BM25 and static vectors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, count, pairwise

import numpy as np
from numpy.typing import NDArray

from core.errors import Cancelled
from core.interfaces import Stop, never
from core.retrieval.corpus import Corpus
from core.terms import lower_words, without_signs

TEXTS_BETWEEN_STOPS = 2000


@dataclass(frozen=True)
class Tokens:
    """Texts as words in lower case: text i is the words numbers[starts[i]:ends[i]]. Texts may overlap.

    `words` holds each distinct word once, in order of first use; `numbers` are positions in `words`.
    """

    words: list[str]
    numbers: NDArray[np.int32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts)

    def gathered(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the words of the first text, the second and so on as numbers, and the length of each text."""
        lengths = self.ends - self.starts
        shift = np.repeat(self.starts - np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths)
        return self.numbers[np.arange(len(shift)) + shift], lengths


def tokens_of(texts: Sequence[str], *, stop: Stop = never) -> Tokens:
    """Return the words of texts that do not overlap. Raises Cancelled if `stop` says so."""
    counter = _Counter(stop)
    for start in range(0, len(texts), TEXTS_BETWEEN_STOPS):
        counter.add(texts[start : start + TEXTS_BETWEEN_STOPS])
    ends = counter.ends()
    return counter.tokens(ends[:-1], ends[1:])


def tokens_of_corpus(corpus: Corpus, *, stop: Stop = never) -> Tokens:
    """Return the words of passages, reading shared text once. Raises Cancelled if `stop` is true.

    Text is cut at each passage border, so a word across a border counts as two.
    """
    documents, starts, ends = corpus.spans.astype(np.int64).T
    borders = np.unique(np.concatenate([documents << 32 | starts, documents << 32 | ends]))
    document_of, place = borders >> 32, borders & 0xFFFFFFFF
    counter = _Counter(stop)
    for number, document in enumerate(corpus.documents):
        first, last = np.searchsorted(document_of, (number, number + 1)).tolist()
        text, cuts = without_signs(document.text), place[first:last].tolist()
        # One empty text per document keeps pieces and borders aligned.
        counter.add([*(text[start:end] for start, end in pairwise(cuts)), ""] if cuts else [])
    reached = counter.ends()
    return counter.tokens(
        reached[np.searchsorted(borders, documents << 32 | starts)],
        reached[np.searchsorted(borders, documents << 32 | ends)],
    )


class _Counter:
    """Gives each distinct word of the texts a number."""

    def __init__(self, stop: Stop) -> None:
        self.stop = stop
        self.written: defaultdict[str, int] = defaultdict(count().__next__)
        self.numbers: list[NDArray[np.int32]] = [np.empty(0, np.int32)]
        self.lengths: list[int] = []

    def add(self, texts: Sequence[str]) -> None:
        if self.stop():
            raise Cancelled("Stopped while indexing the passages.")
        lists = [lower_words(text) for text in texts]
        self.lengths += map(len, lists)
        self.numbers.append(np.fromiter(map(self.written.__getitem__, chain.from_iterable(lists)), dtype=np.int32))

    def ends(self) -> NDArray[np.int64]:
        """Return the number of words before each text, and last the total."""
        return np.concatenate(([0], np.cumsum(self.lengths, dtype=np.int64)))

    def tokens(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Tokens:
        return Tokens(list(self.written), np.concatenate(self.numbers), starts, ends)
