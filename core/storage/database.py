"""Open the database, and explain its errors."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, create_engine, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from core.errors import StoreError
from core.optional_packages import PSYCOPG

PATIENCE_SECONDS = 10
"""Seconds to wait for another program that is writing the same SQLite file."""

EXAMPLES = "sqlite:////folder/veridesk.db or postgresql://user:password@host/database"
WAITING = {
    "connect_timeout": "10",
    "tcp_user_timeout": "20000",
    "options": "-c statement_timeout=120s -c lock_timeout=60s -c idle_in_transaction_session_timeout=300s",
}
"""Limits for PostgreSQL: connecting (s), acknowledgement (ms), answers and locks."""


def _postgresql(url: URL) -> Engine:
    """Return the engine of a PostgreSQL database. Raises StoreError if psycopg is not installed."""
    try:
        return create_engine(_not_waiting_for_ever(_one_host(url)), pool_pre_ping=True, pool_size=20)
    except ImportError as error:
        raise StoreError(f"A database in PostgreSQL needs psycopg, which is not here: {PSYCOPG.command}") from error


def connect(url: str) -> Engine:
    """Return the engine of a database, with the folder of an SQLite file. Raises StoreError for a bad URL."""
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() == "postgresql":
            return _postgresql(parsed)
        if parsed.get_backend_name() != "sqlite":
            raise StoreError("Veridesk keeps its data in SQLite or PostgreSQL: set VERIDESK_DATABASE to one of them.")
        _file(url, parsed).parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(parsed)
    except (ArgumentError, ImportError, ValueError) as error:  # ImportError: another driver; ValueError: a wrong port
        raise StoreError(f"The database address cannot be used: write VERIDESK_DATABASE as {EXAMPLES}.") from error
    except OSError as error:
        raise StoreError(f"The database's folder cannot be made ({error}): set VERIDESK_HOME.") from error
    event.listen(engine, "connect", prepare_sqlite)
    event.listen(engine, "begin", begin_sqlite)
    return engine


def file_of(url: str) -> Path | None:
    """Return the file of an SQLite database; None for other databases and invalid addresses."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        return None
    return Path(parsed.database) if parsed.get_backend_name() == "sqlite" and parsed.database else None


def _file(written: str, url: URL) -> Path:
    """Return the file of an SQLite address. Raises StoreError for databases in memory and misleading paths."""
    name = url.database or ""
    if name in ("", ":memory:"):
        raise StoreError(f"{written} names no file, so nothing would be kept: write VERIDESK_DATABASE as {EXAMPLES}.")
    if "?" in written or url.host:
        raise StoreError(f"{written} is not the address of a file: write sqlite:///, its whole path, and %3F for ?.")
    if not Path(name).is_absolute():
        raise StoreError(f"{written} depends on the folder a program starts in: write sqlite:///, then the whole path.")
    return Path(name)


def _one_host(url: URL) -> URL:
    """Return a PostgreSQL address. Raises StoreError if part of its password was parsed as the host."""
    if "@" in (url.host or ""):
        raise StoreError("The database address cannot be used: write @ as %40 in the password of VERIDESK_DATABASE.")
    return url


def _not_waiting_for_ever(url: URL) -> URL:
    """Return a PostgreSQL address with the limits of WAITING; the address's own settings override them."""
    options = f"{WAITING['options']} {url.query.get('options', '')}".strip()  # the last setting wins
    return url.update_query_dict({**WAITING, **url.query, "options": options})


def prepare_sqlite(connection: Any, _record: object) -> None:
    # Python's driver would begin a transaction only at the first write, and never for a new table: see begin_sqlite.
    connection.isolation_level = None
    cursor = connection.cursor()
    # WAL lets pages read while the worker writes; a writer waits for another for up to ten seconds. With NORMAL, a
    # power cut may take back a commit. A confirmed rating must be on disk.
    cursor.execute(f"PRAGMA busy_timeout = {1000 * PATIENCE_SECONDS}")
    turn_on_wal(cursor)
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def turn_on_wal(cursor: sqlite3.Cursor) -> None:
    # Two programs may do so at once in a new file: SQLite refuses one without waiting, at any timeout.
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def begin_sqlite(connection: Connection) -> None:
    # A transaction that reads and then writes must hold the lock from its start: SQLite refuses at once, without
    # waiting, to let a reader write after somebody else has written.
    writing = connection.get_execution_options().get("writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def upsert(connection: Connection, table: Table, row: dict[str, Any]) -> None:
    """Insert a row or replace the row with the same primary key, in one statement."""
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    statement = insert(table).values(row)
    keys = [column.name for column in table.primary_key.columns]
    replaced = {name: statement.excluded[name] for name in row if name not in keys}
    connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=replaced))


def sentence(error: SQLAlchemyError) -> str:
    """Return a sentence on a database error, with the way out."""
    cause = str(getattr(error, "orig", None) or error).splitlines()[0].partition(" (Background on")[0]
    if "full" in cause or "No space left" in cause:
        return "The disk is full, so nothing could be saved: free some space and try again."
    if "I/O error" in cause:
        return f"The disk refuses to save more ({cause}): free some space, or have the disk checked."
    if "locked" in cause:
        return "Another program is using the database: close it, or wait a moment and try again."
    if "readonly" in cause or "read-only" in cause:
        return "The database cannot be written: give the user who runs the app the right to write it."
    if "unable to open" in cause:
        return "The database cannot be opened: check that its folder exists and can be written."
    if "malformed" in cause or "not a database" in cause:
        return "The database file is damaged: move it away (a new one is made), or restore a copy."
    if "connection" in cause:
        return f"The database server does not answer ({cause}): start it, or correct VERIDESK_DATABASE."
    return f"The database refused ({cause}). Try again; if it happens again, tell the administrator."
