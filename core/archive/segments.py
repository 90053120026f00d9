"""A segment: some documents' passages with their words, written once and never changed. Many make an archive."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath

import numpy as np
from numpy.typing import NDArray

from core.archive.types import Filters
from core.retrieval.corpus import Corpus, Spans
from core.retrieval.lexical import LexicalIndex, count_terms
from core.retrieval.neighbours import NeighbourIndex
from core.retrieval.tokens import Tokens
from core.types import Document

WORDS, SPANS, FACTS, LINKS = "words", "spans.npy", "documents.npy", "links.hnsw"
FACT = np.dtype([("number", "<i8"), ("since", "<i4"), ("site", "<i8"), ("kind", "<i8")])
"""A document of a segment: its version number, its first day, and hashes of its host and kind."""

Mask = NDArray[np.bool_]
Key = tuple[int, int, int]
"""A passage: its version number, and its first and last character."""


@dataclass(frozen=True)
class PassageRow:
    """A version to be indexed; `since` is an ordinal, 0 where it is unknown."""

    number: int
    document: Document
    since: int
    kind: str


@dataclass(frozen=True)
class SegmentSize:
    """The passages of a segment, their words without function words, and its bytes."""

    passages: int
    words: int
    size: int


def source_of(document: Document) -> str:
    """Return the host of a document's address, the folder of a file, or "" for an uploaded one."""
    if document.site != document.url:
        return document.site
    return str(PurePath(document.url.partition("#")[0]).parent).removeprefix(".")


def hashed(word: str) -> int:
    """Return a number for a source or kind, the same on every machine."""
    return int.from_bytes(hashlib.sha256(word.casefold().encode()).digest()[:8], "little", signed=True)


def facts_of(rows: Sequence[PassageRow]) -> NDArray[np.void]:
    """Return the facts that filters need, a record of type FACT for each row."""
    lines = [(row.number, row.since, hashed(source_of(row.document)), hashed(row.kind)) for row in rows]
    return np.array(lines, dtype=FACT)


def write_segment(
    folder: Path, rows: Sequence[PassageRow], corpus: Corpus, tokens: Tokens, *, others: tuple[int, int]
) -> SegmentSize:
    """Write the words and borders of a corpus of the documents of `rows`. Raises OSError.

    `others` are the passages and words of the archive's other segments.
    """
    folder.mkdir(parents=True)
    LexicalIndex.of(tokens, others=others).save(folder / WORDS)
    np.save(folder / SPANS, corpus.spans, allow_pickle=False)
    np.save(folder / FACTS, facts_of(rows), allow_pickle=False)
    return SegmentSize(len(corpus), count_terms(tokens), bytes_in(folder))


def bytes_in(folder: Path) -> int:
    """Return the size of a folder's files."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def on_disk(folder: Path) -> None:
    """Wait until a folder's files are on the disk, so that a power cut cannot take them back. Raises OSError."""
    for path in (*folder.rglob("*"), folder, folder.parent):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class Segment:
    """A segment that is open. Its matrix of words and its borders are read from the disk when they are needed."""

    def __init__(self, folder: Path) -> None:
        """Open a segment. Raises OSError, or ValueError for a file that is no array."""
        self.folder = folder
        self.words = LexicalIndex.load(folder / WORDS)
        self.spans: Spans = np.load(folder / SPANS, mmap_mode="r", allow_pickle=False)
        self.facts = np.load(folder / FACTS, allow_pickle=False)

    def __len__(self) -> int:
        return len(self.spans)

    @cached_property
    def places(self) -> NDArray[np.int32]:
        """The document of each passage, as its place in `facts`."""
        return np.ascontiguousarray(self.spans[:, 0])

    def links(self, dimensions: int) -> NeighbourIndex:
        """Return the linked vectors; they stay in memory."""
        if self._links is None:
            self._links = NeighbourIndex.load(self.folder / LINKS, dimensions=dimensions)
        return self._links

    _links: NeighbourIndex | None = None

    def key(self, position: int) -> Key:
        """Return the version and the characters of a passage."""
        place, start, end = self.spans[position].tolist()
        return int(self.facts["number"][place]), start, end

    def allowed(self, filters: Filters, revised: NDArray[np.int64]) -> Mask | None:
        """Return the passages that filters leave, shape (len(self),); None where all are left.

        revised: rows of number, since and until (−1 where it is open), ordered by number, shape (n, 3).
        """
        since, until = self._days(revised)
        day = filters.before.toordinal() if filters.before else None
        held = until == -1 if day is None else (since <= day) & ((until == -1) | (until > day))
        for name, wanted in (("site", filters.sources), ("kind", filters.kinds)):
            if wanted:
                held &= np.isin(self.facts[name], [hashed(word) for word in wanted])
        return None if held.all() else held[self.places]

    def _days(self, revised: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        numbers = self.facts["number"]
        since, until = self.facts["since"].astype(np.int64), np.full(len(numbers), -1, np.int64)
        if len(revised):
            at = np.minimum(np.searchsorted(revised[:, 0], numbers), len(revised) - 1)
            known = revised[at, 0] == numbers
            since[known], until[known] = revised[at[known], 1], revised[at[known], 2]
        return since, until
