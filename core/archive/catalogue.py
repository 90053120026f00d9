"""The archives of a server, and who may read them. An archive that a person may not read is not found."""

from __future__ import annotations

import hashlib
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import delete, or_, select, update
from sqlalchemy.exc import IntegrityError

from core.archive.embedded import EmbeddedEngine
from core.archive.engine import KeptArchive
from core.archive.shared import SharedEngine
from core.archive.tables import (
    archive_places,
    archive_readers,
    archives,
    database,
    segment_files,
    segments,
    transaction,
    versions,
)
from core.archive.types import MAX_NAME, PREFIX, ArchiveEntry, Readers
from core.archive.vectors import VectorEngine
from core.errors import BadInput, Denied
from core.retrieval.index import OpenStatic, distilled
from core.settings import settings
from core.storage.ids import new_id

COMMAND_LINE = "command line"
"""The owner of archives that commands make; no browser can have it, for its owners are hashes."""


class Archives:
    """All archives of a database. `folder` holds the files of their indexes."""

    def __init__(
        self,
        url: str,
        folder: Path,
        *,
        static: OpenStatic = distilled,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open the database. Raises StoreError."""
        self.database, self.folder = database(url), folder
        self._static, self._clock = static, clock
        self._opened: dict[str, KeptArchive] = {}

    def create(self, owner: str, name: str, readers: Readers = Readers.PERSON) -> ArchiveEntry:
        """Return a new, empty archive. Raises BadInput for an invalid name, or one that the owner has already."""
        name = " ".join(name.split())
        if not 0 < len(name) <= MAX_NAME:
            raise BadInput(f"An archive's name has 1 to {MAX_NAME} characters.")
        if name.casefold() in {one.name.casefold() for one in self.of(owner) if one.owner == owner}:
            raise BadInput(f"You have an archive “{name}” already: choose another name.")
        made = ArchiveEntry(new_id(), owner, name, readers, self._clock(), 0)
        row = {"id": made.id, "owner": owner, "name": name, "readers": str(readers), "created": made.created}
        with transaction(self.database) as connection:
            connection.execute(archives.insert().values(row))
        return made

    def of(self, reader: str) -> list[ArchiveEntry]:
        """Return the archives that a person may read, by name."""
        joined = select(archive_readers.c.archive).where(archive_readers.c.reader == reader)
        team = (archives.c.readers == Readers.TEAM) & archives.c.id.in_(joined)
        return self._found(or_(archives.c.owner == reader, archives.c.readers == Readers.EVERYBODY, team))

    def every(self) -> list[ArchiveEntry]:
        """Return all archives by name, for the administrator of this machine."""
        return self._found(archives.c.id.is_not(None))

    def find(self, archive_id: str, reader: str) -> ArchiveEntry | None:
        """Return an archive that a person may read; None for any other."""
        return next((one for one in self.of(reader) if one.id == archive_id), None)

    def may_add(self, archive_id: str, person: str) -> bool:
        """Say whether a person may add to an archive: its owner, and the readers of a team's archive."""
        found = self.find(archive_id, person)
        return found is not None and (found.owner == person or found.readers is Readers.TEAM)

    def open(self, archive_id: str) -> KeptArchive:
        """Return an archive, opened once. The caller has checked who asks. Raises BadInput if there is none."""
        if not archive_id or archive_id not in {one.id for one in self.every()}:
            raise BadInput("There is no such archive, or it belongs to somebody else.")
        if archive_id not in self._opened:
            place = self.folder / archive_id
            kept = KeptArchive(
                self.database, archive_id, place, self._engine(archive_id, place), static=self._static,
                clock=self._clock,
            )  # fmt: skip
            self._opened[archive_id] = kept
        return self._opened[archive_id]

    def share(self, entry: ArchiveEntry, owner: str, readers: Readers) -> str:
        """Change who may read an archive. For a team, return the secret of its new link.

        Older links end, and so does the access of those who opened them.

        Raises Denied unless the owner asks.
        """
        self._check_owner(entry, owner)
        token = secrets.token_urlsafe(32) if readers is Readers.TEAM else ""
        with transaction(self.database, writing=True) as connection:
            values = {"readers": str(readers), "link": _hash(token) if token else ""}
            connection.execute(update(archives).where(archives.c.id == entry.id).values(values))
            connection.execute(delete(archive_readers).where(archive_readers.c.archive == entry.id))
        return token

    def join(self, token: str, reader: str) -> ArchiveEntry | None:
        """Let a person with a team's link read its archive; return it, or None for a link that leads nowhere."""
        with transaction(self.database, writing=True) as connection:
            wanted = select(archives.c.id).where(archives.c.link == _hash(token), archives.c.readers == Readers.TEAM)
            found = connection.scalar(wanted) if token else None
            row = {"archive": found, "reader": reader}
            known = select(archive_readers).where(*(archive_readers.c[name] == value for name, value in row.items()))
            if found and not connection.execute(known).first():
                connection.execute(archive_readers.insert().values(row))
        return self.find(found, reader) if found else None

    def delete(self, entry: ArchiveEntry, owner: str) -> None:
        """Delete an archive with all documents; cases keep the passages that they found. Raises Denied."""
        self._check_owner(entry, owner)
        archive = self.open(entry.id)
        with archive.vectors.writer() as connection, connection.begin():
            names = list(connection.scalars(select(segments.c.id).where(segments.c.archive == entry.id)))
            archive.vectors.drop(connection)
            connection.execute(delete(segment_files).where(segment_files.c.segment.in_(names)))
            for table in (versions, segments, archive_places, archive_readers):
                connection.execute(delete(table).where(table.c.archive == entry.id))
            connection.execute(delete(archives).where(archives.c.id == entry.id))
        shutil.rmtree(self.folder / entry.id, ignore_errors=True)
        self._opened.pop(entry.id, None)

    def places(self, entry: ArchiveEntry) -> list[tuple[str, str]]:
        """Return the folders and feeds that `sync` reads, each with the kind of its documents."""
        wanted = select(archive_places.c.place, archive_places.c.kind).where(archive_places.c.archive == entry.id)
        with transaction(self.database) as connection:
            return [(row.place, row.kind) for row in connection.execute(wanted.order_by(archive_places.c.place))]

    def remember(self, entry: ArchiveEntry, places: Sequence[str], kind: str) -> None:
        """Keep places for the next `sync`; a known one stays as it is."""
        known = {place for place, _ in self.places(entry)}
        rows = [{"archive": entry.id, "place": place, "kind": kind} for place in places if place not in known]
        try:
            with transaction(self.database) as connection:
                connection.execute(archive_places.insert(), rows) if rows else None
        except IntegrityError:  # kept by another program meanwhile
            return

    def forget(self, entry: ArchiveEntry, place: str) -> None:
        """Read a place no more; its documents stay."""
        with transaction(self.database) as connection:
            connection.execute(
                delete(archive_places).where(archive_places.c.archive == entry.id, archive_places.c.place == place)
            )

    def _engine(self, archive_id: str, place: Path) -> VectorEngine:
        kind = SharedEngine if self.database.dialect.name == "postgresql" else EmbeddedEngine
        return kind(self.database, archive_id, place)

    def _found(self, condition: Any) -> list[ArchiveEntry]:
        with transaction(self.database) as connection:
            rows = connection.execute(select(archives).where(condition)).all()
        entries = [
            ArchiveEntry(row.id, row.owner, row.name, Readers(row.readers), row.created, row.generation) for row in rows
        ]
        return sorted(entries, key=lambda one: (one.name.casefold(), one.created))

    def _check_owner(self, entry: ArchiveEntry, owner: str) -> None:
        if entry.owner != owner:
            raise Denied("Only the owner of an archive may do this.")


@cache
def _archives_at(url: str, folder: Path) -> Archives:
    return Archives(url, folder)


def own_archives() -> Archives:
    """Return the archives of the database that is set. Raises StoreError."""
    here = settings()
    return _archives_at(here.archive_url, here.archives)


def archive_named(named: str) -> ArchiveEntry:
    """Return the archive of an address, an id or a name, for commands. Raises BadInput for none and for several."""
    wanted = named.removeprefix(PREFIX)
    every = own_archives().every()
    found = [one for one in every if wanted == one.id] or [one for one in every if wanted == one.name]
    if len(found) != 1:
        several = "Several archives have the name" if found else "There is no archive"
        raise BadInput(f"{several} {wanted[:MAX_NAME]!r}. The command `archive stats` lists all, with their ids.")
    return found[0]


def check_readable(stores: Iterable[str], reader: str) -> None:
    """Raise BadInput for stores among which is an archive that a person may not read, or no more."""
    for address in stores:
        if address.startswith(PREFIX) and not own_archives().find(address.removeprefix(PREFIX), reader):
            raise BadInput("The archive of this claim is not there, or is not yours to read: choose another place.")


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
