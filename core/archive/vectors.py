"""The interface of the two engines: where the vectors of an archive are, and who may write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from core.archive.reading import Generation
from core.archive.segments import Key, Mask
from core.archive.types import Filters
from core.interfaces import Stop


class VectorEngine(Protocol):
    """Where the vectors of an archive are, and who may write. `EmbeddedEngine` says more of each method."""

    needs_vectors_to_merge: bool

    def writer(self) -> Any: ...
    def write(self, folder: Path, vectors: NDArray[np.float32], *, stop: Stop) -> None: ...
    def publish(
        self, connection: Connection, folder: Path, keys: Sequence[Key], vectors: NDArray[np.float32]
    ) -> None: ...
    def retire(self, connection: Connection, segments: Sequence[str]) -> None: ...
    def forget(self, connection: Connection, numbers: Sequence[int]) -> None: ...
    def link(self, connection: Connection, *, stop: Stop, tell: Callable[[str], None]) -> None: ...
    def drop(self, connection: Connection) -> None: ...
    def fetch(self, segment: str) -> None: ...
    def nearest(
        self, vector: NDArray[np.float32], opened: Generation, masks: Sequence[Mask | None], filters: Filters, *, k: int
    ) -> list[Key]: ...
