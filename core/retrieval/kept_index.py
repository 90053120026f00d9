"""Keep indexes on disk, find them by their inputs, and open them without reading them into memory."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput, ModelError
from core.interfaces import Encoder, Stop, ignore, never
from core.retrieval.corpus import DEFAULT, Chunking, Corpus, corpus_of
from core.retrieval.hnswlib_trial import hnswlib_trouble
from core.retrieval.index import Index, OpenStatic, distilled
from core.retrieval.index_cache import forget_oldest, is_whole, write_whole
from core.retrieval.lexical import LexicalIndex
from core.retrieval.neighbours import NeighbourIndex
from core.retrieval.tokens import tokens_of_corpus
from core.settings import settings
from core.types import Document

if TYPE_CHECKING:
    from core.retrieval.static import StaticEncoder


FORMAT = 2
"""Increase this number when the counting of words or the files change; old indexes are then built again."""

WORDS = "words"
SPANS = "spans.npy"
VECTORS = "vectors.log"
MEANING = "meaning-"
MATRIX = "vectors.npy"
LINKS = "links-"
GRAPH = "links.hnsw"
FILLED_AT_ONCE = 512


class KeptIndex(Index):
    """An index with words, borders and vectors on disk; `open_index` opens or builds it.

    Its results equal those of an index in memory. Each vector is written when its passage is first encoded.
    """

    def __init__(self, folder: Path, documents: Sequence[Document], encoder: Encoder, static: OpenStatic) -> None:
        """Open the index of `documents` in `folder`; its files must be whole."""
        self.passages = Corpus(documents, np.load(folder / SPANS, mmap_mode="r", allow_pickle=False))
        self._encoder = encoder
        self._static = static
        self._folder = folder
        self._lexical = LexicalIndex.load(folder / WORDS)
        dimensions = encoder.encode([]).shape[1]
        self._file = VectorFile(folder / VECTORS, dimensions=dimensions, passages=len(self.passages))
        self._meaning = None
        self._links: NeighbourIndex | None = None

    def vectors(self, positions: Sequence[int], *, stop: Stop = never) -> NDArray[np.float32]:
        """See `Retriever.vectors`. Raises BadInput if new vectors cannot be written."""
        if missing := self._file.missing(positions):
            encoded = self._encoder.encode([self.passages[position].text for position in missing], stop=stop)
            try:
                self._file.add(missing, encoded)
            except OSError as error:
                raise _full(self._folder.parent, error) from error
        return self._file.take(positions)

    def search_dense(
        self, query: str, *, k: int, stop: Stop = never, report: Callable[[str], None] = ignore
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """See `Retriever.search_dense`; approximate if the passages are linked and hnswlib runs here."""
        _, static = self._opened_meaning(stop, report)
        if self._links is None:
            return super().search_dense(query, k=k)
        return self._links.nearest(static.encode([query])[0], k=k)

    def link(self, *, stop: Stop = never, report: Callable[[str], None] = ignore) -> None:
        """Link the passages by meaning with hnswlib, a few thousand a second, for fast searches of large stores.

        Without links, a search compares all static vectors: 10 milliseconds for 40,000 passages. Raises ModelError
        where hnswlib does not run on this processor.
        """
        if trouble := hnswlib_trouble():
            raise ModelError(trouble)
        vectors, static = self._opened_meaning(stop, report)
        folder = self._folder / f"{LINKS}{static.identity.digest[:16]}"
        if not is_whole(folder):
            report(f"Linking {len(self.passages):,} passages by meaning (only once)")
            linked = NeighbourIndex(vectors, stop=stop)
            write_whole(folder, lambda new: linked.save(new / GRAPH), {})
        self._links = NeighbourIndex.load(folder / GRAPH, dimensions=static.dimensions)

    def fill(self, *, stop: Stop = never, report: Callable[[str], None] = ignore) -> None:
        """Encode every passage without a vector. A stopped run can be continued later."""
        missing = self._file.missing(range(len(self.passages)))
        for start in range(0, len(missing), FILLED_AT_ONCE):
            report(f"{len(self.passages) - len(missing) + start:,} of {len(self.passages):,} passages encoded")
            self.vectors(missing[start : start + FILLED_AT_ONCE], stop=stop)

    def _opened_meaning(self, stop: Stop, report: Callable[[str], None]) -> tuple[NDArray[np.float32], StaticEncoder]:
        if self._meaning is None:
            vectors, static = super()._opened_meaning(stop, report)
            folder = self._folder / f"{LINKS}{static.identity.digest[:16]}"
            if is_whole(folder) and not hnswlib_trouble():
                self._links = NeighbourIndex.load(folder / GRAPH, dimensions=static.dimensions)
            return vectors, static
        return self._meaning

    def _static_vectors(self, static: StaticEncoder, stop: Stop) -> NDArray[np.float32]:
        folder = self._folder / f"{MEANING}{static.identity.digest[:16]}"
        if not is_whole(folder):
            made = static.vectors(tokens_of_corpus(self.passages, stop=stop))
            write_whole(folder, lambda new: np.save(new / MATRIX, made, allow_pickle=False), {})
        vectors: NDArray[np.float32] = np.load(folder / MATRIX, mmap_mode="r", allow_pickle=False)
        return vectors


def open_index(
    indexes: Path,
    documents: Sequence[Document],
    encoder: Encoder,
    *,
    chunking: Chunking = DEFAULT,
    name: str = "",
    static: OpenStatic = distilled,
    stop: Stop = never,
    report: Callable[[str], None] = ignore,
) -> KeptIndex:
    """Return the index of `documents` kept under `indexes`; build it first if it is missing or damaged.

    Its folder is named by a hash of texts, cuts and encoder, so each change gives a new index. `name` is its name for
    people. The indexes used last are kept, up to `settings().index_limit` bytes. Raises Cancelled if `stop` is true,
    BadInput if it cannot be written or the documents have no text.
    """
    folder = indexes / content_key(documents, chunking, encoder)[:32]
    try:
        if not is_whole(folder):
            if folder.exists():
                report("The kept index is damaged; building it again")
            _build(folder, documents, chunking, name, stop)
        os.utime(folder)
        forget_oldest(indexes, limit=settings().index_limit, but=folder.name)
        return KeptIndex(folder, documents, encoder, static)
    except OSError as error:
        raise _full(indexes, error) from error


def content_key(documents: Sequence[Document], chunking: Chunking, encoder: Encoder) -> str:
    """Return the SHA-256, in hex, of all inputs of a kept index."""
    head = [FORMAT, chunking.sentences, chunking.overlap, encoder.identity.name, encoder.identity.digest]
    lines = [*map(str, head), *(document.digest for document in documents)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _build(folder: Path, documents: Sequence[Document], chunking: Chunking, name: str, stop: Stop) -> None:
    corpus = corpus_of(documents, chunking)
    if not len(corpus):
        raise BadInput("There are no passages to index: none of the documents has any text.")
    lexical = LexicalIndex.of(tokens_of_corpus(corpus, stop=stop))

    def write(new: Path) -> None:
        lexical.save(new / WORDS)
        np.save(new / SPANS, corpus.spans, allow_pickle=False)

    held = {"documents": len(documents), "passages": len(corpus), "sentences": chunking.sentences}
    write_whole(folder, write, {"name": name, **held})


def _full(indexes: Path, error: OSError) -> BadInput:
    return BadInput(f"The index cannot be kept in {indexes} ({error}): free some space, or search without keeping it.")


TOLERANCE = 0.01
"""Tolerance of a unit vector's length; a larger error means an incompletely written vector."""


class VectorFile:
    """Unit vectors by passage: each record has a passage's position and its vector.

    Several processes may append records at once, and may die at any point. A vector with another length than 1 is
    incomplete, is skipped and is written again.
    """

    def __init__(self, file: Path, *, dimensions: int, passages: int) -> None:
        """Open the file for the vectors of `passages` passages; create it if missing. Raises OSError."""
        self._record = np.dtype([("position", "<i4"), ("vector", "<f4", dimensions)])
        # Opened once, so that the file stays usable after another process deletes it.
        self._file = file.open("a+b", buffering=0)
        self._row_of = np.full(passages, -1, dtype=np.int64)
        self._records = self._mapped(0)

    def missing(self, positions: Sequence[int]) -> list[int]:
        """Return the positions without a complete vector, sorted."""
        asked = np.unique(np.asarray(positions, dtype=np.int64))
        rows = self._row_of[asked]
        lengths = np.zeros(len(asked))
        lengths[rows >= 0] = np.linalg.norm(self._records["vector"][rows[rows >= 0]], axis=1)
        found: list[int] = asked[abs(lengths - 1) > TOLERANCE].tolist()
        return found

    def take(self, positions: Sequence[int]) -> NDArray[np.float32]:
        """Return the vectors at these positions, none missing, shape (len(positions), dimensions)."""
        rows = self._row_of[np.asarray(positions, dtype=np.int64)]
        return np.asarray(self._records["vector"][rows])

    def add(self, positions: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Append the unit vectors of passages. Raises OSError if they cannot be written."""
        records = np.zeros(len(positions), dtype=self._record)
        records["position"], records["vector"] = positions, vectors
        torn = -self._file.seek(0, os.SEEK_END) % self._record.itemsize
        written = b"\0" * torn + records.tobytes()
        if self._file.write(written) != len(written):
            raise OSError("the disk is full")
        self._records = self._mapped(len(self._records))

    def _mapped(self, known: int) -> NDArray[np.void]:
        """Return all records of the file; register the passages of records from `known` on."""
        size = self._file.seek(0, os.SEEK_END) // self._record.itemsize
        if not size:
            return np.zeros(0, dtype=self._record)
        records = np.memmap(self._file, dtype=self._record, mode="r", shape=(size,))
        positions = np.asarray(records["position"][known:])
        ours = np.flatnonzero((positions >= 0) & (positions < len(self._row_of)))
        self._row_of[positions[ours]] = known + ours
        return records
