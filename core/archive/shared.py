"""The engine for several servers: vectors in PostgreSQL by pgvector, and a copy of each segment's words here.

The words are searched by bm25s in both engines, so their answers are the same. Each machine fetches the files of a
segment once.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine, delete, func, select, text
from sqlalchemy.exc import DBAPIError

from core.archive.embedded import BUSY
from core.archive.reading import Generation
from core.archive.segments import Key, Mask, on_disk
from core.archive.tables import segment_files, transaction
from core.archive.types import Filters
from core.errors import BadInput, Cancelled
from core.interfaces import Stop

PART = 16_000_000
"""Bytes of a file in one row."""
FETCHING = ".fetching-"
SECONDS_BETWEEN_STOPS = 0.5
COPY_HEAD, COPY_END = b"PGCOPY\n\xff\r\n\x00" + bytes(8), b"\xff\xff"
GROUPED_FROM = 20_000
"""The vectors from which pgvector groups them; fewer are compared one by one."""
A_GROUP, LEAST_READ, PART_READ = 1_000, 50, 8
"""Vectors of a group, up to a million. A search reads the nearest LEAST_READ groups, or a PART_READth of all."""
GROUPING_MEMORY = "1GB"
"""Memory of PostgreSQL while it groups vectors: a million need 300 MB."""


class SharedEngine:
    """Keeps vectors in a table of the archive's own, in groups by pgvector once there are many."""

    needs_vectors_to_merge = False

    def __init__(self, engine: Engine, archive: str, folder: Path) -> None:
        self.engine, self.archive, self.folder = engine, archive, folder
        # The name of a table cannot be a parameter: it is made of a hash.
        digest = sha256(archive.encode()).hexdigest()[:24]
        self.table, self.index = f"archive_vectors_{digest}", f"archive_groups_{digest}"
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
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        connection.execute(segment_files.insert(), rows)
        if keys:
            self._prepare(connection, vectors.shape[1])
            with self._raw(connection) as cursor, cursor.copy(f"COPY {self.table} FROM STDIN (FORMAT BINARY)") as copy:
                copy.write(binary(keys, vectors))

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

    def link(self, connection: Connection, *, stop: Stop, tell: Callable[[str], None]) -> None:
        """Have pgvector group all vectors once there are many, and again once they are twice as many.

        Its index IVFFlat takes new vectors many times as fast as HNSW. Raises Cancelled after a stop.
        """
        with connection.begin():
            if not self._is_there(connection):
                return
            former = self._groups(connection)
            vectors = int(connection.scalar(select(func.count()).select_from(text(self.table))) or 0)
            groups = min(vectors // A_GROUP, isqrt(vectors))
            if vectors < GROUPED_FROM or groups < 2 * former:
                return
            tell(f"PostgreSQL groups {vectors:,} vectors. All documents are found meanwhile.")
            for name, value in {"statement_timeout": "0", "maintenance_work_mem": GROUPING_MEMORY}.items():
                connection.execute(text(f"SET LOCAL {name} = '{value}'"))
            new = f"{self.index}_{groups}"
            making = f"CREATE INDEX {new} ON {self.table} USING ivfflat (vector vector_ip_ops) WITH (lists = {groups})"
            with self._raw(connection) as cursor, cancelled_by(stop, cursor.connection):
                cursor.execute(making)
            if former:
                connection.execute(text(f"DROP INDEX {self.index}_{former}"))
            connection.execute(text(f"ANALYZE {self.table}, archive_versions"))

    def drop(self, connection: Connection) -> None:
        """Delete the table of vectors."""
        connection.execute(text(f"DROP TABLE IF EXISTS {self.table}"))

    def fetch(self, segment: str) -> None:
        """Copy a segment's files from the database. Raises FileNotFoundError for none, BadInput if the disk is full."""
        try:
            self._fetch(segment)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise BadInput(
                f"A part of the archive's index cannot be kept in {self.folder} ({error.strerror or error}): free some"
                " space there."
            ) from error

    def _fetch(self, segment: str) -> None:
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
            WITH near AS MATERIALIZED (
                SELECT p.number, p."start", p."end", p.vector <#> CAST(:vector AS vector) AS distance
                FROM {self.table} p JOIN archive_versions v ON v.archive = :archive AND v.number = p.number
                WHERE {current}{chosen} ORDER BY distance LIMIT :k
            ) SELECT * FROM near ORDER BY distance
        """  # nosec B608
        given = {
            "archive": self.archive, "day": day, "sites": [name.lower() for name in filters.sources],
            "kinds": [name.lower() for name in filters.kinds], "k": k,
            "vector": f"[{','.join(map(str, vector.tolist()))}]",
        }  # fmt: skip
        with transaction(self.engine) as connection:
            if not self._is_there(connection):
                return []
            read = max(LEAST_READ, self._groups(connection) // PART_READ)
            connection.execute(text(f"SET LOCAL ivfflat.probes = {read}"))
            connection.execute(text("SET LOCAL ivfflat.iterative_scan = relaxed_order"))
            return [(row[0], row[1], row[2]) for row in connection.execute(text(wanted), given)]

    def _prepare(self, connection: Connection, dimensions: int) -> None:
        """Make the table of vectors where it is missing."""
        if not self._is_there(connection):
            connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public"))
            connection.execute(
                text(
                    f'CREATE TABLE {self.table} (number bigint, "start" integer, "end" integer,'
                    f' vector vector({dimensions}), PRIMARY KEY (number, "start", "end"))'
                )
            )

    def _is_there(self, connection: Connection) -> bool:
        return connection.scalar(select(func.to_regclass(self.table))) is not None

    def _groups(self, connection: Connection) -> int:
        """Return the number of groups of the index, 0 without one."""
        names = text("SELECT indexname FROM pg_indexes WHERE indexname LIKE :start AND schemaname = current_schema()")
        found = connection.scalars(names, {"start": f"{self.index}_%"}).first()
        return int(found.rpartition("_")[2]) if found else 0

    @contextmanager
    def _raw(self, connection: Connection) -> Iterator[Any]:
        """Give the driver's own cursor; its errors become SQLAlchemy's."""
        driver = connection.dialect.loaded_dbapi
        try:
            yield connection.connection.cursor()
        except driver.Error as error:
            raise DBAPIError("", None, error) from error


@contextmanager
def cancelled_by(stop: Stop, driver: Any) -> Iterator[None]:
    """Ask a statement of the block to end, once `stop` says so. Raises Cancelled then."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(SECONDS_BETWEEN_STOPS):
            if stop():
                driver.cancel_safe()
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    except Exception as error:
        if stop():
            raise Cancelled("Stopped while PostgreSQL grouped the vectors; the next addition does it.") from error
        raise
    finally:
        done.set()
        watcher.join()


def binary(keys: Sequence[Key], vectors: NDArray[np.float32]) -> bytes:
    """Return the rows of a table of vectors in PostgreSQL's binary format of COPY, each field after its length.

    pgvector's field is its dimensions and 0, each in two bytes, then the numbers.
    """
    count, dimensions = vectors.shape
    fields = [
        ("fields", ">i2"), ("length0", ">i4"), ("number", ">i8"), ("length1", ">i4"), ("start", ">i4"),
        ("length2", ">i4"), ("end", ">i4"), ("length3", ">i4"), ("dimensions", ">i2"), ("unused", ">i2"),
        ("vector", ">f4", dimensions),
    ]  # fmt: skip
    rows = np.zeros(count, np.dtype(fields))
    lengths = {"fields": 4, "length0": 8, "length1": 4, "length2": 4, "length3": 4 + 4 * dimensions}
    for name, value in {**lengths, "dimensions": dimensions}.items():
        rows[name] = value
    rows["number"], rows["start"], rows["end"] = np.array(keys, dtype=np.int64).T
    rows["vector"] = vectors
    return COPY_HEAD + rows.tobytes() + COPY_END


def _parts(content: bytes) -> Iterator[bytes]:
    for start in range(0, max(len(content), 1), PART):
        yield content[start : start + PART]
