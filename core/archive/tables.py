"""The database of all archives, in SQLite or PostgreSQL. Days are ordinals: 0 is unknown, and None is open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Double,
    Engine,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    inspect,
)
from sqlalchemy.exc import SQLAlchemyError

from core.errors import StoreError
from core.storage.database import connect, sentence

metadata = MetaData()

# `generation` counts published changes, `numbers` the version numbers given. `link` is the hash of a team's link.
archives = Table(
    "archives",
    metadata,
    Column("id", String(43), primary_key=True),
    Column("owner", String(64), nullable=False),
    Column("name", Text, nullable=False),
    Column("readers", String(12), nullable=False),
    Column("created", Double, nullable=False),
    Column("generation", Integer, nullable=False, default=0),
    Column("numbers", BigInteger, nullable=False, default=0),
    Column("link", String(64), nullable=False, default=""),
)

archive_readers = Table(
    "archive_readers",
    metadata,
    Column("archive", String(43), primary_key=True),
    Column("reader", String(64), primary_key=True),
)

# Folders and feeds that `sync` reads again.
archive_places = Table(
    "archive_places",
    metadata,
    Column("archive", String(43), primary_key=True),
    Column("place", String(2000), primary_key=True),
    Column("kind", String(40), nullable=False, default=""),
)

# One text of an address. `seen` orders the versions of an address. `since` is the first day of its text, `until` that
# of the next one. A removed version has `until` 0 and no text. `revised` says that the segment may have other days.
# The text is last: SQLite reads a row from its beginning. The figures are counted in their index alone.
versions = Table(
    "archive_versions",
    metadata,
    Column("archive", String(43), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("address", String(64), nullable=False),
    Column("url", Text, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("title", Text, nullable=False),
    Column("site", Text, nullable=False),
    Column("kind", String(40), nullable=False),
    Column("date_source", Text, nullable=False),
    Column("published", Integer, nullable=False),
    Column("seen", Integer, nullable=False),
    Column("since", Integer, nullable=False),
    Column("until", Integer),
    Column("revised", Boolean, nullable=False),
    Column("looked", Double, nullable=False),
    Column("segment", String(43), nullable=False),
    Column("pages", Text, nullable=False),
    Column("text", Text, nullable=False),
    Index("archive_versions_by_address", "archive", "address"),
    Index("archive_versions_by_segment", "segment"),
    Index("archive_versions_revised", "archive", "revised"),
    Index("archive_versions_figures", "archive", "until", "kind", "site", "published"),
)

# `words` is the number of words of all passages of a segment.
segments = Table(
    "archive_segments",
    metadata,
    Column("id", String(43), primary_key=True),
    Column("archive", String(43), nullable=False),
    Column("passages", Integer, nullable=False),
    Column("words", BigInteger, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("born", Integer, nullable=False),
    Index("archive_segments_by_archive", "archive", "born"),
)

# The files of segments, in parts, where several machines share the database.
segment_files = Table(
    "archive_segment_files",
    metadata,
    Column("segment", String(43), primary_key=True),
    Column("name", String(200), primary_key=True),
    Column("part", Integer, primary_key=True),
    Column("content", LargeBinary, nullable=False),
)


@cache
def database(url: str) -> Engine:
    """Return the engine of the archives' database, with its tables. Raises StoreError."""
    with refusals():
        engine = connect(url)
        metadata.create_all(engine)
        there = {column["name"] for column in inspect(engine).get_columns(versions.name)}
    if not there.issuperset(versions.columns.keys()):
        raise StoreError("The archives were made by an older version: move their database away, and add the documents.")
    return engine


@contextmanager
def refusals() -> Iterator[None]:
    """Turn an error of the database into StoreError with a sentence."""
    try:
        yield
    except SQLAlchemyError as error:
        raise StoreError(sentence(error).replace("VERIDESK_DATABASE", "VERIDESK_ARCHIVE")) from error


@contextmanager
def transaction(engine: Engine, *, writing: bool = False) -> Iterator[Connection]:
    """Open a transaction; use `writing` if it reads first and then writes. Raises StoreError."""
    with refusals(), engine.connect().execution_options(writing=writing) as connection, connection.begin():
        yield connection
