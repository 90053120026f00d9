"""Versions as rows of the database: found by address or number, and read into the archive's vocabulary."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import date
from hashlib import sha256
from itertools import islice
from typing import Any

from sqlalchemy import Column, Connection, Row, bindparam, select

from core.archive.tables import versions
from core.archive.types import Version
from core.types import Document

AT_ONCE = 500
FACTS = tuple(column for column in versions.c if column.name not in ("text", "pages"))
"""The columns of a version without its text, which may have megabytes."""


def rows_with(
    connection: Connection, archive: str, column: Column[Any], values: Sequence[Any], *wanted: Any
) -> list[Row[Any]]:
    """Return columns of the versions with one of these values; removed versions are left out."""
    mine = select(*wanted).where(versions.c.archive == archive, versions.c.until.is_distinct_from(0))
    chosen = mine.where(column.in_(bindparam("values", expanding=True)))
    return [row for some in parts(values) for row in connection.execute(chosen, {"values": some})]


def parts(values: Sequence[Any]) -> Iterator[list[Any]]:
    """Yield values in lists that a database takes as parameters."""
    waiting = iter(values)
    while some := list(islice(waiting, AT_ONCE)):
        yield some


def address_of(url: str) -> str:
    """Return the hash by which the database finds an address."""
    return sha256(url.encode("utf-8", "replace")).hexdigest()


def day_of(ordinal: int | None) -> date | None:
    return date.fromordinal(ordinal) if ordinal else None


def version_of(row: Any) -> Version:
    days = day_of(row.published), day_of(row.since), day_of(row.until)
    return Version(row.number, row.url, row.title, row.digest, *days, row.site, row.kind, row.looked)


def document_of(row: Any) -> Document:
    return Document(
        row.url, row.text, row.title, day_of(row.published), row.digest, tuple(json.loads(row.pages)), row.date_source
    )
