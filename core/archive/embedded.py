"""The embedded engine: vectors linked by hnswlib in each segment's folder, one writer by a lock on a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine

from core.archive.reading import Generation
from core.archive.segments import LINKS, Key, Mask, on_disk
from core.archive.types import Filters
from core.errors import BadInput
from core.interfaces import Stop
from core.retrieval.hnswlib_trial import hnswlib_trouble
from core.retrieval.neighbours import NeighbourIndex

CANDIDATES = 400
"""Vectors held while one segment is searched."""
BUSY = "Another program is adding to this archive: wait until it has ended, then try again."


class EmbeddedEngine:
    """Keeps vectors beside the words of each segment, on this machine."""

    needs_vectors_to_merge = True

    def __init__(self, engine: Engine, archive: str, folder: Path) -> None:
        self.engine, self.archive, self.folder = engine, archive, folder

    @contextmanager
    def writer(self) -> Iterator[Connection]:
        """Be the one writer, with a connection for the changes. Raises BadInput if another program is."""
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            with (
                FileLock(self.folder / ".lock", timeout=0),
                self.engine.connect().execution_options(writing=True) as connection,
            ):
                yield connection
        except Timeout as error:
            raise BadInput(BUSY) from error

    def write(self, folder: Path, vectors: NDArray[np.float32], *, stop: Stop) -> None:
        """Link the vectors of a new segment, where hnswlib runs. Raises BadInput where it does not, and OSError."""
        if trouble := hnswlib_trouble():
            raise BadInput(trouble)
        NeighbourIndex(vectors, stop=stop).save(folder / LINKS)
        on_disk(folder)

    def publish(self, connection: Connection, folder: Path, keys: Sequence[Key], vectors: NDArray[np.float32]) -> None:
        """Do nothing: the files are there."""

    def retire(self, connection: Connection, segments: Sequence[str]) -> None:
        """Do nothing: the files are deleted once no reader needs them."""

    def forget(self, connection: Connection, numbers: Sequence[int]) -> None:
        """Do nothing: a search leaves removed versions out."""

    def link(self, connection: Connection, *, stop: Stop, tell: Callable[[str], None]) -> None:
        """Do nothing: `write` links the vectors of each segment."""

    def drop(self, connection: Connection) -> None:
        """Do nothing: the caller deletes the archive's folder."""

    def fetch(self, segment: str) -> None:
        """Raise BadInput: the files of a segment are on this machine only."""
        raise BadInput(
            f"A part of this archive's index is missing in {self.folder}: add any document, which builds it again."
        )

    def nearest(
        self,
        vector: NDArray[np.float32],
        opened: Generation,
        masks: Sequence[Mask | None],
        filters: Filters,
        *,
        k: int,
    ) -> list[Key]:
        """Return the `k` passages with the nearest vectors that the masks leave, nearest first."""
        found: list[tuple[float, int, int]] = []
        for place, (one, mask) in enumerate(zip(opened.segments, masks, strict=True)):
            links = one.links(len(vector))
            near = (
                links.nearest(vector, k=k, ef=CANDIDATES)
                if mask is None
                else links.nearest_of(vector, mask, k=k, ef=CANDIDATES)
            )
            found += zip(near[1].tolist(), [-place] * len(near[0]), (-near[0]).tolist(), strict=True)
        ordered = sorted(found, reverse=True)[:k]
        return [opened.segments[-place].key(-position) for _, place, position in ordered]
