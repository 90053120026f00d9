"""Keep the passages of many documents as three numbers each, instead of objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import overload

import numpy as np
from numpy.typing import NDArray

from core.retrieval.chunking import windows
from core.types import Document, Passage

Spans = NDArray[np.int32]


@dataclass(frozen=True)
class Chunking:
    """How to cut documents into passages: sentences per passage, and sentences shared with the previous one."""

    sentences: int = 3
    overlap: int = 1


DEFAULT = Chunking()


class Corpus(Sequence[Passage]):
    """Passages in order. `spans` has shape (n, 3): the document's place in `documents`, start and end in its text."""

    def __init__(self, documents: Sequence[Document], spans: Spans) -> None:
        self.documents = tuple(documents)
        self.spans = spans

    @classmethod
    def of(cls, passages: Sequence[Passage]) -> Corpus:
        """Return a corpus of the passages; return a corpus unchanged."""
        if isinstance(passages, Corpus):
            return passages
        place: dict[int, int] = {}  # by identity: comparing equal documents reads all their text
        documents: list[Document] = []
        for passage in passages:
            if id(passage.document) not in place:
                place[id(passage.document)] = len(documents)
                documents.append(passage.document)
        rows = ((place[id(passage.document)], passage.start, passage.end) for passage in passages)
        return cls(documents, _spans(rows))

    def __len__(self) -> int:
        return len(self.spans)

    @overload
    def __getitem__(self, position: int) -> Passage: ...
    @overload
    def __getitem__(self, position: slice) -> Corpus: ...
    def __getitem__(self, position: int | slice) -> Passage | Corpus:
        if isinstance(position, slice):
            return Corpus(self.documents, self.spans[position])
        document, start, end = self.spans[position].tolist()
        return Passage(self.documents[document], start, end)

    def position(self, passage: Passage) -> int | None:
        """Return the position of the first equal passage, or None."""
        same = np.flatnonzero((self.spans[:, 1] == passage.start) & (self.spans[:, 2] == passage.end))
        return next((position for position in same.tolist() if self[position] == passage), None)


def corpus_of(documents: Sequence[Document], chunking: Chunking = DEFAULT) -> Corpus:
    """Return the passages of all documents, as `chunking.windows` cuts each. Raises BadInput as that does."""
    rows = (
        (place, start, end)
        for place, document in enumerate(documents)
        for start, end in windows(document.text, sentences=chunking.sentences, overlap=chunking.overlap)
    )
    return Corpus(documents, _spans(rows))


def _spans(rows: Iterable[tuple[int, int, int]]) -> Spans:
    return np.fromiter(chain.from_iterable(rows), dtype=np.int32).reshape(-1, 3)
