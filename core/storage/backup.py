"""Back up the whole database to an archive (core.storage.archive), and restore it."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Integer, Table, delete, func, select
from sqlalchemy.exc import OperationalError, StatementError

from core.errors import BadInput
from core.files import check_regular, json_of
from core.storage.archive import FORMAT, MANIFEST, ROWS_AT_ONCE, Backup, write_archive
from core.storage.migrating import newest
from core.storage.store import Store
from core.storage.tables import metadata

SCHEMA = int(newest())
"""The number of the newest revision of the tables: see core.storage.migrating."""
MAX_MANIFEST = 1_000_000
MAX_LINE = 128 * 2**20
"""The most bytes of one row; a case with all its documents has some megabytes."""


def back_up(store: Store, path: Path) -> Backup:
    """Write a consistent copy of the database to a new file that only its owner can read.

    The server may keep running. Raises BadInput if the file exists or cannot be written.
    """
    with store.transaction() as connection:
        return write_archive(connection, path, _tables(), schema=SCHEMA, at=store.clock())


def restore(store: Store, path: Path, *, replace: bool = False) -> Backup:
    """Fill the database from a backup, all of it or nothing; return a summary.

    A non-empty database is refused unless `replace` allows deleting its contents. Stop the server first, because open
    pages would keep the old contents. Raises BadInput for an incomplete backup, or one of a newer version.
    """
    check_regular(path)
    try:
        with zipfile.ZipFile(path) as archive:
            backup = _read_manifest(path, archive)
            with store.transaction(writing=True) as connection:
                _make_empty(connection, replace=replace)
                for table in _tables():
                    _read_table(connection, archive, table, backup, path)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from error
    except (zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError, RuntimeError, NotImplementedError) as error:
        raise BadInput(f"{path} is no whole backup ({error}): take another copy.") from error
    return backup


def _tables() -> list[Table]:
    """Return all tables, referenced ones first."""
    return list(metadata.sorted_tables)


def _read_manifest(path: Path, archive: zipfile.ZipFile) -> Backup:
    try:
        with archive.open(MANIFEST) as file:
            manifest = json_of(file.read(MAX_MANIFEST))
        version, schema = int(manifest["veridesk_backup"]), int(manifest["schema"])
        backup = Backup(str(manifest["created"]), {str(name): int(n) for name, n in manifest["rows"].items()})
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError) as error:
        raise BadInput(f"{path} is no backup of Veridesk: its {MANIFEST} is missing or cannot be read.") from error
    if version > FORMAT or schema > SCHEMA:
        raise BadInput(f"{path} was made by a newer Veridesk (tables {schema}, here {SCHEMA}): update this one first.")
    return backup


def _make_empty(connection: Connection, *, replace: bool) -> None:
    if not replace:
        filled = [t.name for t in _tables() if connection.execute(select(1).select_from(t).limit(1)).first()]
        if filled:
            raise BadInput(
                f"The database is not empty (it has {', '.join(filled)}). Back it up, then restore with --replace, "
                f"which deletes all of its contents; or set VERIDESK_DATABASE to a new one."
            )
    for table in reversed(_tables()):
        connection.execute(delete(table))


def _read_table(connection: Connection, archive: zipfile.ZipFile, table: Table, backup: Backup, path: Path) -> None:
    if table.name not in backup.rows:
        return  # A backup from before this table existed.
    count = 0
    try:
        with archive.open(f"{table.name}.jsonl") as file:
            for rows in _batches(file):
                connection.execute(table.insert(), rows)
                count += len(rows)
    except OperationalError:
        raise  # an error of the database, not of the file
    except (KeyError, ValueError, TypeError, StatementError) as error:
        why = getattr(error, "orig", None) or error
        raise BadInput(f"{path} is no whole backup: {table.name} cannot be read ({why}).") from error
    if count != backup.rows[table.name]:
        raise BadInput(f"{path} is no whole backup: {count} of {backup.rows[table.name]} {table.name} are there.")
    _set_counter(connection, table)


def _batches(lines: Any) -> Iterator[list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    while line := lines.readline(MAX_LINE + 1):
        if len(line) > MAX_LINE:
            raise ValueError(f"a row is longer than {MAX_LINE >> 20} MiB")
        row = json_of(line)
        if not isinstance(row, dict):
            raise ValueError("a line is no JSON object")
        rows.append(row)
        if len(rows) == ROWS_AT_ONCE:
            yield rows
            rows = []
    if rows:
        yield rows


def _set_counter(connection: Connection, table: Table) -> None:
    """Let PostgreSQL number new rows after the restored ones; SQLite does so by itself."""
    if connection.dialect.name != "postgresql":
        return
    for column in table.primary_key.columns:
        if isinstance(column.type, Integer) and column.autoincrement is True:
            sequence = func.pg_get_serial_sequence(table.name, column.name)
            newest = select(func.coalesce(func.max(column), 0) + 1).scalar_subquery()
            connection.execute(select(func.setval(sequence, newest, False)))
