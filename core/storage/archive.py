"""Write tables to an archive, for restoring into SQLite or PostgreSQL.

A ZIP archive: `manifest.json` has the version of the tables and their numbers of rows. Every table is one file of JSON
lines. The archive has names and addresses but no passwords; invitation links are hashes.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, Table, select

from core.errors import BadInput
from core.files import replacing

FORMAT = 1
MANIFEST = "manifest.json"
ROWS_AT_ONCE = 500


@dataclass(frozen=True)
class Backup:
    """The time of an archive (ISO 8601, UTC), and its number of rows per table."""

    created: str
    rows: dict[str, int]


def write_archive(connection: Connection, path: Path, tables: Sequence[Table], *, schema: int, at: float) -> Backup:
    """Write these tables, of revision `schema`, to a new file that only its owner can read. All rows are of one moment.

    The connection has just begun its transaction, and `at` is seconds since 1970. Raises BadInput if the file
    exists or cannot be written.
    """
    created = datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
    if path.exists():
        raise BadInput(f"{path} exists already: give another name, so that no backup is lost.")
    if connection.dialect.name == "postgresql":
        # Concurrent commits must not appear in one table and be missing in another. SQLite ensures this anyway.
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    with replacing(path, mode=0o600) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        rows = {table.name: _write_table(connection, archive, table) for table in tables}
        manifest = {"veridesk_backup": FORMAT, "schema": schema, "created": created, "rows": rows}
        archive.writestr(MANIFEST, json.dumps(manifest, indent=1))
    return Backup(created, rows)


def _write_table(connection: Connection, archive: zipfile.ZipFile, table: Table) -> int:
    count = 0
    with archive.open(f"{table.name}.jsonl", "w") as file:
        for row in _ordered_rows(connection, table):
            file.write(json.dumps(dict(row._mapping), allow_nan=False).encode() + b"\n")
            count += 1
    return count


def _ordered_rows(connection: Connection, table: Table) -> Iterator[Row[Any]]:
    wanted = select(table).order_by(*table.primary_key.columns)
    yield from connection.execution_options(yield_per=ROWS_AT_ONCE).execute(wanted)
