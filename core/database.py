"""The database: how it is opened, its tables, and the numbered steps that bring an older one up to date."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Double,
    Engine,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    event,
    select,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from core.errors import StoreError

metadata = MetaData()

migrations = Table(
    "migrations",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("name", String(80), nullable=False),
)

cases = Table(
    "cases",
    metadata,
    Column("id", String(43), primary_key=True),
    Column("owner", String(64), nullable=False),
    Column("created", Double, nullable=False),
    Column("state", String(12), nullable=False),
    Column("claim", Text, nullable=False),
    Column("folded", Text, nullable=False),
    Column("recipe", String(80), nullable=False),
    Column("model", Text, nullable=False),
    Column("request", Text, nullable=False),
    Column("progress", Text),
    Column("result", Text),
    Column("label", String(40), nullable=False, default=""),
    Column("cannot_tell", Boolean, nullable=False, default=False),
    Column("error", Text, nullable=False, default=""),
    Column("started", Double),
    Column("seconds", Double),
    Column("seen", Double, nullable=False),
    Index("cases_by_owner", "owner", "created"),
)

drafts = Table(
    "drafts",
    metadata,
    Column("owner", String(64), primary_key=True),
    Column("form", String(40), primary_key=True),
    Column("content", Text, nullable=False),
    Column("saved", Double, nullable=False),
)


def create_cases_and_drafts(connection: Connection) -> None:
    metadata.create_all(connection, tables=[cases, drafts])


STEPS: tuple[tuple[int, str, Callable[[Connection], None]], ...] = (
    (1, "create cases and drafts", create_cases_and_drafts),
)


def migrate(connection: Connection) -> None:
    """Apply the steps that the database has not seen, in order, and record each."""
    metadata.create_all(connection, tables=[migrations])
    seen = set(connection.scalars(select(migrations.c.number)))
    for number, name, apply in STEPS:
        if number not in seen:
            apply(connection)
            connection.execute(migrations.insert().values(number=number, name=name))


def connect(url: str) -> Engine:
    """Return the engine of a database, with the folder of an SQLite file. Raises StoreError for a bad URL."""
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() != "sqlite":
            return create_engine(parsed, pool_pre_ping=True)
        if parsed.database and parsed.database != ":memory:":
            Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(parsed)
    except (ArgumentError, ImportError) as error:
        raise StoreError(f"The database address cannot be used ({error}): set VERIDESK_DATABASE.") from error
    except OSError as error:
        raise StoreError(f"The database's folder cannot be made ({error}): set VERIDESK_HOME.") from error
    event.listen(engine, "connect", prepare_sqlite)
    return engine


def prepare_sqlite(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    # WAL lets pages read while the worker writes; a writer waits for another for up to ten seconds.
    for pragma in ("busy_timeout = 10000", "journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def sentence(error: SQLAlchemyError) -> str:
    """Return what a database error means for the user, and what to do."""
    cause = str(getattr(error, "orig", None) or error).splitlines()[0]
    if "full" in cause:
        return "The disk is full, so nothing could be saved: free some space and try again."
    if "locked" in cause:
        return "Another program is using the database: close it, or wait a moment and try again."
    if "readonly" in cause or "read-only" in cause:
        return "The database cannot be written: give the user who runs the app the right to write it."
    if "unable to open" in cause:
        return "The database cannot be opened: check that its folder exists and can be written."
    if "malformed" in cause or "not a database" in cause:
        return "The database file is damaged: move it away (a new one is made), or restore a copy."
    return f"The database refused ({cause}): try again, and tell whoever runs the app if it stays so."
