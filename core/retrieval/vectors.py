"""Append the vectors of passages to a file that stays readable after a crash."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

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
