"""Vectors of passages in a file that grows as passages are encoded, and that a crash cannot spoil."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

TOLERANCE = 0.01
"""By how much a unit vector's length may miss 1. One further off was not written whole."""


class VectorFile:
    """Unit vectors by passage: records of a passage's position and its vector, only ever appended.

    Several processes may append at once, and each may die at any point. An incomplete record does not have length 1: it
    is skipped and written again.
    """

    def __init__(self, file: Path, *, dimensions: int, passages: int) -> None:
        """Open the file for the vectors of `passages` passages, made where there is none. Raises OSError."""
        self._record = np.dtype([("position", "<i4"), ("vector", "<f4", dimensions)])
        # Opened once: the file may be deleted by another process, and stays usable.
        self._file = file.open("a+b", buffering=0)
        self._row_of = np.full(passages, -1, dtype=np.int64)
        self._records = self._mapped(0)

    def missing(self, positions: Sequence[int]) -> list[int]:
        """Return those of the positions that have no whole vector yet, sorted."""
        asked = np.unique(np.asarray(positions, dtype=np.int64))
        rows = self._row_of[asked]
        lengths = np.zeros(len(asked))
        lengths[rows >= 0] = np.linalg.norm(self._records["vector"][rows[rows >= 0]], axis=1)
        found: list[int] = asked[abs(lengths - 1) > TOLERANCE].tolist()
        return found

    def take(self, positions: Sequence[int]) -> NDArray[np.float32]:
        """Return the vectors of passages that are not missing, shape (len(positions), dimensions)."""
        rows = self._row_of[np.asarray(positions, dtype=np.int64)]
        return np.asarray(self._records["vector"][rows])

    def add(self, positions: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Append the unit vectors of passages. Raises OSError if the disk does not take them."""
        records = np.zeros(len(positions), dtype=self._record)
        records["position"], records["vector"] = positions, vectors
        torn = -self._file.seek(0, os.SEEK_END) % self._record.itemsize
        written = b"\0" * torn + records.tobytes()
        if self._file.write(written) != len(written):
            raise OSError("the disk is full")
        self._records = self._mapped(len(self._records))

    def _mapped(self, known: int) -> NDArray[np.void]:
        """Return all records in the file, and note the passages of those from `known` on."""
        size = self._file.seek(0, os.SEEK_END) // self._record.itemsize
        if not size:
            return np.zeros(0, dtype=self._record)
        records = np.memmap(self._file, dtype=self._record, mode="r", shape=(size,))
        positions = np.asarray(records["position"][known:])
        ours = np.flatnonzero((positions >= 0) & (positions < len(self._row_of)))
        self._row_of[positions[ours]] = known + ours
        return records
