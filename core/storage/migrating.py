"""Update the database's tables at program start: by Alembic, under a lock, after a backup."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, MetaData, func, inspect, select

from core.errors import StoreError
from core.settings import settings
from core.storage.archive import write_archive

FOLDER = Path(__file__).with_name("migrations")
"""A file of `versions` for each revision; their numbers have four digits."""

MIGRATION_LOCK = 1_986_359_913
"""Number of our advisory lock in PostgreSQL, unlikely to be used by other programs."""


@cache
def scripts(folder: Path) -> ScriptDirectory:
    """Return the revisions in a folder."""
    return ScriptDirectory(str(folder))


def newest() -> str:
    """Return the revision that this program works with."""
    return str(scripts(FOLDER).get_current_head())


def migrate(connection: Connection, *, at: float) -> None:
    """Apply missing revisions, after a backup if the database has contents.

    The connection is in a transaction that writes, and `at` is seconds since 1970. If several servers start at once,
    one applies them and the others wait. Raises StoreError for a database that a newer program wrote.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(MIGRATION_LOCK)))
    found = MigrationContext.configure(connection).get_current_revision()
    if found == newest():
        return
    _check(connection, found)
    if found is not None:
        _back_up(connection, found, at)
    _upgrade(connection)


def _check(connection: Connection, found: str | None) -> None:
    if found is not None and found > newest():
        raise StoreError(
            f"The database was written by a newer Veridesk (tables {found}, here {newest()}): "  # nosec B608: a sentence, no SQL
            "update this program, or set VERIDESK_DATABASE to another."
        )
    known = {script.revision for script in scripts(FOLDER).walk_revisions()}
    if found not in known if found else inspect(connection).has_table("campaigns"):
        raise StoreError("The database is of a Veridesk before its first release: move it away, and a new one is made.")


def _back_up(connection: Connection, found: str, at: float) -> None:
    """Copy the database as it is: an SQLite file beside itself, PostgreSQL into an archive in Veridesk's home."""
    name = f"before-{newest()}-{at:.0f}"
    if connection.dialect.name == "sqlite":
        path = Path(str(connection.engine.url.database))
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(f"{path}.{name}")) as copy:
            source.backup(copy)
        return
    tables = MetaData()
    tables.reflect(connection)
    tables.remove(tables.tables["alembic_version"])
    settings().home.mkdir(parents=True, exist_ok=True)
    path = settings().home / f"veridesk-{name}.zip"
    with connection.engine.begin() as reading:  # a separate transaction, for a consistent read of all tables
        write_archive(reading, path, tables.sorted_tables, schema=int(found), at=at)


def _upgrade(connection: Connection) -> None:
    directory = scripts(FOLDER)

    def steps(revision: Any, _: MigrationContext) -> Any:
        return directory._upgrade_revs("head", revision)

    with EnvironmentContext(Config(), directory, fn=steps) as environment:
        environment.configure(connection=connection)
        environment.run_migrations()
