"""The engine for several servers: vectors in PostgreSQL by pgvector, and a copy of each segment's words here.

The words are searched by bm25s in both engines, so their answers are the same. Each machine fetches the files of a
segment once.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine, delete, func, select, text

from core.archive.embedded import BUSY
from core.archive.reading import Generation
from core.archive.segments import Key, Mask, on_disk
from core.archive.tables import segment_files, transaction
from core.archive.types import Filters
from core.errors import BadInput
from core.interfaces import Stop
from core.retrieval.neighbours import EF_CONSTRUCTION, EF_SEARCH, M

PART = 16_000_000
"""Bytes of a file in one row."""
FETCHING = ".fetching-"


class SharedEngine:
    """Keeps vectors in a table of the archive's own, with an index of pgvector."""

    needs_vectors_to_merge = False

    def __init__(self, engine: Engine, archive: str, folder: Path) -> None:
        self.engine, self.archive, self.folder = engine, archive, folder
        # The name of a table cannot be a parameter: it is made of a hash.
        digest = sha256(archive.encode()).hexdigest()[:24]
        self.table = f"archive_vectors_{digest}"
        self.lock_number = int(digest[:15], 16)

    @contextmanager
    def writer(self) -> Iterator[Connection]:
        """Be the one writer of all machines: an advisory lock, for as long as the connection lives."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.engine.connect() as connection:
            with connection.begin():
                free = connection.scalar(select(func.pg_try_advisory_lock(self.lock_number)))
            if not free:
                raise BadInput(BUSY)
            try:
                yield connection
            finally:
                with suppress(Exception):  # a broken connection has given the lock back
                    connection.rollback()
                    connection.execute(select(func.pg_advisory_unlock(self.lock_number)))

    def write(self, folder: Path, vectors: NDArray[np.float32], *, stop: Stop) -> None:
        """Wait for the disk: the vectors are written when the segment is published."""
        on_disk(folder)

    def publish(self, connection: Connection, folder: Path, keys: Sequence[Key], vectors: NDArray[np.float32]) -> None:
        """Write the files and vectors of a segment, in the transaction that publishes it."""
        rows = [
            {"segment": folder.name, "name": str(file.relative_to(folder)), "part": part, "content": content}
            for file in sorted(folder.rglob("*"))
            if file.is_file()
            for part, content in enumerate(_parts(file.read_bytes()))
        ]
        connection.execute(segment_files.insert(), rows)
        if keys:
            self._prepare(connection, vectors.shape[1])
            raw: Any = connection.connection.cursor()
            with raw.copy(f'COPY {self.table} (number, "start", "end", vector) FROM STDIN') as copy:
                for key, vector in zip(keys, vectors, strict=True):
                    copy.write_row((*key, f"[{','.join(map('{:.6g}'.format, vector.tolist()))}]"))

    def retire(self, connection: Connection, segments: Sequence[str]) -> None:
        """Delete the files of merged segments; vectors belong to versions and stay."""
        connection.execute(delete(segment_files).where(segment_files.c.segment.in_(segments)))

    def forget(self, connection: Connection, numbers: Sequence[int]) -> None:
        """Delete the vectors of removed versions."""
        if numbers and self._is_there(connection):
            connection.execute(
                text(f"DELETE FROM {self.table} WHERE number = ANY(:numbers)"),  # nosec B608
                {"numbers": list(numbers)},
            )

    def drop(self, connection: Connection) -> None:
        """Delete the table of vectors."""
        connection.execute(text(f"DROP TABLE IF EXISTS {self.table}"))

    def fetch(self, segment: str) -> None:
        """Copy a segment's files from the database. Raises BadInput if they are gone or cannot be written."""
        wanted = select(segment_files).where(segment_files.c.segment == segment)
        self.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=FETCHING, dir=self.folder) as name:
            new = Path(name) / segment
            with transaction(self.engine) as connection:
                for row in connection.execute(wanted.order_by(segment_files.c.name, segment_files.c.part)):
                    file = new / row.name
                    file.parent.mkdir(parents=True, exist_ok=True)
                    with file.open("ab") as target:
                        target.write(row.content)
            if not new.exists():
                raise FileNotFoundError(segment)
            try:
                new.rename(self.folder / segment)
            except OSError:  # another thread has just fetched it
                shutil.rmtree(new, ignore_errors=True)

    def nearest(
        self,
        vector: NDArray[np.float32],
        opened: Generation,
        masks: Sequence[Mask | None],
        filters: Filters,
        *,
        k: int,
    ) -> list[Key]:
        """Return the `k` passages with the nearest vectors that the filters leave, nearest first."""
        day = filters.before.toordinal() if filters.before else None
        current = "v.until IS NULL" if day is None else "v.since <= :day AND (v.until IS NULL OR v.until > :day)"
        chosen = " AND lower(v.site) = ANY(:sites)" if filters.sources else ""
        chosen += " AND lower(v.kind) = ANY(:kinds)" if filters.kinds else ""
        wanted = f"""
            SELECT p.number, p."start", p."end" FROM {self.table} p
            JOIN archive_versions v ON v.archive = :archive AND v.number = p.number
            WHERE {current}{chosen} ORDER BY p.vector <#> CAST(:vector AS vector) LIMIT :k
        """  # nosec B608
        given = {
            "archive": self.archive, "day": day, "sites": [name.lower() for name in filters.sources],
            "kinds": [name.lower() for name in filters.kinds], "k": k,
            "vector": f"[{','.join(map(str, vector.tolist()))}]",
        }  # fmt: skip
        with transaction(self.engine) as connection:
            if not self._is_there(connection):
                return []
            connection.execute(text(f"SET LOCAL hnsw.ef_search = {max(EF_SEARCH, k)}"))
            connection.execute(text("SET LOCAL hnsw.iterative_scan = strict_order"))
            return [(row[0], row[1], row[2]) for row in connection.execute(text(wanted), given)]

    def _prepare(self, connection: Connection, dimensions: int) -> None:
        """Make the table of vectors and its index, where they are missing."""
        if self._is_there(connection):
            return
        connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public"))
        connection.execute(
            text(
                f'CREATE TABLE {self.table} (number bigint, "start" integer, "end" integer,'
                f' vector vector({dimensions}), PRIMARY KEY (number, "start", "end"))'
            )
        )
        options = f"m = {M}, ef_construction = {EF_CONSTRUCTION}"
        connection.execute(text(f"CREATE INDEX ON {self.table} USING hnsw (vector vector_ip_ops) WITH ({options})"))

    def _is_there(self, connection: Connection) -> bool:
        return connection.scalar(select(func.to_regclass(self.table))) is not None


def _parts(content: bytes) -> Iterator[bytes]:
    for start in range(0, max(len(content), 1), PART):
        yield content[start : start + PART]
