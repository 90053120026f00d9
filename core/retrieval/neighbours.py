"""Find the nearest vectors with hnswlib: approximate, and fast for any number of vectors.

Use it only after `hnswlib_trial` succeeds, because its code runs in this process.
"""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import Cancelled
from core.interfaces import Stop, never

M = 16
BETWEEN_STOPS = 2000
EF_CONSTRUCTION = 100  # candidates held while linking
COMPARED_EXACTLY = 5_000  # where a filter leaves so few, comparing them all is faster and exact
EF_SEARCH = 200  # and while searching: recall of the true top 10 is about .99


class NeighbourIndex:
    """Unit vectors, numbered from 0, to search by cosine. Equal vectors give an equal index."""

    def __init__(self, vectors: NDArray[np.float32], *, stop: Stop = never) -> None:
        """Index `vectors`, shape (n, dimensions), with n at least 1. Raises Cancelled if `stop` says so."""
        import hnswlib

        n, dimensions = vectors.shape
        self._index = hnswlib.Index(space="ip", dim=dimensions)
        self._index.init_index(n, M=M, ef_construction=EF_CONSTRUCTION, random_seed=0)
        for start in range(0, n, BETWEEN_STOPS):
            if stop():
                raise Cancelled("Stopped while linking the passages.")
            numbers = np.arange(start, min(start + BETWEEN_STOPS, n))
            self._index.add_items(vectors[numbers], numbers, num_threads=1)  # with more threads, links depend on timing

    def __len__(self) -> int:
        """Return the number of vectors."""
        return int(self._index.get_current_count())

    def vectors(self, numbers: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors with these numbers, shape (len(numbers), dimensions)."""
        return np.asarray(self._index.get_items(numbers), dtype=np.float32).reshape(len(numbers), self._index.dim)

    def nearest_of(
        self, vector: NDArray[np.float32], allowed: NDArray[np.bool_], *, k: int, ef: int = EF_SEARCH
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return as `nearest`, of the numbers that `allowed` names only; exact if these are few.

        allowed: shape (len(self),).
        """
        numbers = np.flatnonzero(allowed)
        if len(numbers) > max(COMPARED_EXACTLY, k, len(self) // 10):
            flags = allowed.tobytes()
            self._index.set_ef(max(ef, k))
            with suppress(RuntimeError):  # the links lead to fewer than `k` of them
                found, distances = self._index.knn_query(vector, k=k, num_threads=1, filter=lambda at: bool(flags[at]))
                return np.asarray(found[0], dtype=np.int64), 1 - distances[0]
        cosines = self.vectors(numbers) @ vector if len(numbers) else np.empty(0, np.float32)
        best = np.argsort(-cosines, kind="stable")[:k]
        return numbers[best], cosines[best]

    def nearest(
        self, vector: NDArray[np.float32], *, k: int, ef: int = EF_SEARCH
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the numbers and cosines of the min(k, len(self)) vectors nearest to `vector`, nearest first.

        `ef` candidates are held meanwhile: more of them find more of the truly nearest, and take longer.
        """
        k = min(k, len(self))
        self._index.set_ef(max(ef, k))
        numbers, distances = self._index.knn_query(vector, k=k, num_threads=1)
        return np.asarray(numbers[0], dtype=np.int64), 1 - distances[0]

    def save(self, file: Path) -> None:
        """Write the index to `file`. Raises OSError if it was not written whole."""
        self._index.save_index(str(file))
        if file.stat().st_size != self._index.index_file_size():  # hnswlib does not notice a full disk
            raise OSError(f"{file} was not written whole")

    @classmethod
    def load(cls, file: Path, *, dimensions: int) -> NeighbourIndex:
        """Return the index that `save` wrote. Check the file first, because hnswlib does not."""
        import hnswlib

        index = cls.__new__(cls)
        index._index = hnswlib.Index(space="ip", dim=dimensions)
        index._index.load_index(str(file))
        return index


def try_hnswlib() -> None:
    """Link, search, save and load a few hundred vectors. The process ends here if hnswlib does not run."""
    vectors = np.random.default_rng(0).normal(size=(300, 64)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    with tempfile.TemporaryDirectory(prefix="veridesk-") as folder:
        file = Path(folder) / "trial.hnsw"
        NeighbourIndex(vectors).save(file)
        numbers, cosines = NeighbourIndex.load(file, dimensions=64).nearest(vectors[7], k=3)
    if numbers[0] != 7 or abs(cosines[0] - 1) > 1e-3:
        raise RuntimeError(f"hnswlib finds vector {numbers[0]} in place of 7")
