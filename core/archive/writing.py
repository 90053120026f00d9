"""Write an archive: a batch becomes a segment, one transaction publishes it, small segments are merged."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import replace as replaced
from datetime import date
from itertools import accumulate
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, func, select, update

from core.archive.chains import Chain, ChainVersion
from core.archive.rows import address_of, document_of, parts, rows_with
from core.archive.segments import Key, SegmentSize, bytes_in, source_of, write_segment
from core.archive.segments import PassageRow as Indexed
from core.archive.tables import archives, segments, versions
from core.archive.types import Added, NewDocument
from core.archive.vectors import VectorEngine
from core.interfaces import Stop
from core.retrieval.corpus import corpus_of
from core.retrieval.static import StaticEncoder
from core.retrieval.tokens import tokens_of_corpus
from core.storage.ids import new_id

FAN, SMALLEST, MOST = 8, 1_000, 150_000
"""FAN segments of like size are merged. Sizes count from SMALLEST passages, and no merged one has over MOST.

A segment of MOST / 4 passages stays as it is.
"""
GRACE_SECONDS = 600.0
"""The age at which files of a segment that was merged are deleted: a search may just be opening them."""


@dataclass(frozen=True)
class Writer:
    """The one writer of an archive, while its engine lets it write. `static` opens the static encoder."""

    connection: Connection
    archive: str
    folder: Path
    vectors: VectorEngine
    static: Callable[[], StaticEncoder]
    clock: Callable[[], float]
    stop: Stop

    def publish(self, batch: Sequence[NewDocument], *, replace: bool) -> Added:
        """Write a batch's new texts as one segment and publish it; return the counts."""
        problems = tuple(f"{one.document.url}: it holds no text." for one in batch if not one.document.text.strip())
        batch = [one for one in batch if one.document.text.strip()]
        with self.connection.begin():
            chains = self._chains({address_of(one.document.url) for one in batch})
            number = int(self.connection.scalar(select(archives.c.numbers).where(archives.c.id == self.archive)) or 0)
        today = date.fromtimestamp(self.clock())
        taken = changed = 0
        seen_again: list[str] = []
        for new in batch:
            chain = chains[address_of(new.document.url)]
            known = bool(chain.standing)
            if chain.take(new, number + 1, today=today, replace=replace):
                number, taken, changed = number + 1, taken + 1, changed + known
            elif new.seen == today:
                seen_again.append(address_of(new.document.url))
        fresh = [(chain, one) for chain in chains.values() for one in chain.standing if one.new]
        placed = sorted(fresh, key=lambda pair: pair[1].number)
        if placed or any(chain.changed or chain.gone for chain in chains.values()):
            self._commit(placed, chains.values(), number)
        with self.connection.begin():
            for some in parts(seen_again):
                mine = versions.c.archive == self.archive, versions.c.address.in_(some)
                self.connection.execute(update(versions).where(*mine).values(looked=self.clock()))
        return Added(taken - changed, changed, len(batch) - taken, problems)

    def remove(self, urls: Collection[str]) -> int:
        """Empty all versions of addresses and return their number."""
        with self.connection.begin():
            addresses = [address_of(url) for url in urls]
            found = rows_with(self.connection, self.archive, versions.c.address, addresses, versions.c.number)
            self._forget([row.number for row in found])
            if found:
                self.connection.execute(self._next_generation())
        return len(found)

    def end(self, urls: Collection[str]) -> int:
        """End the open versions of addresses today and return their number. Searches for earlier days find them."""
        today, ended = date.fromtimestamp(self.clock()).toordinal(), 0
        with self.connection.begin():
            for some in parts([address_of(url) for url in urls]):
                wanted = versions.c.archive == self.archive, versions.c.address.in_(some), versions.c.until.is_(None)
                ended += self.connection.execute(
                    update(versions).where(*wanted).values(until=today, revised=True)
                ).rowcount
            if ended:
                self.connection.execute(self._next_generation())
        return ended

    def tidy(self) -> None:
        """Delete the files of segments that nobody needs, and build missing ones again."""
        with self.connection.begin():
            named = set(self.connection.scalars(select(segments.c.id).where(segments.c.archive == self.archive)))
        for folder in self.folder.iterdir() if self.folder.exists() else ():
            old = folder.stat().st_mtime < self.clock() - GRACE_SECONDS
            if folder.is_dir() and folder.name not in named and old:
                shutil.rmtree(folder, ignore_errors=True)
        for name in named:
            if not (self.folder / name).exists() and self.vectors.needs_vectors_to_merge:
                self._rebuild([name])

    def merge(self, tell: Callable[[str], None]) -> None:
        """Merge segments while a merge is due."""
        while group := self._due():
            tell("Small parts of the index are merged. All documents are found meanwhile.")
            self._rebuild(group)

    def _commit(self, placed: Sequence[tuple[Chain, ChainVersion]], chains: Iterable[Chain], numbers: int) -> None:
        rows = [Indexed(one.number, one.new.document, one.since, one.new.kind) for _, one in placed if one.new]
        written = self._written(rows)
        with self.connection.begin():
            if written:
                name, *_ = written
                lines = [self._line(one, name, revised=len(chain.standing) > 1) for chain, one in placed]
                self.connection.execute(versions.insert(), lines)
                self._register(*written)
            for chain in chains:
                self._forget(chain.gone)
                for one in chain.changed.values():
                    days = {"seen": one.seen, "since": one.since, "until": one.until, "revised": True}
                    self.connection.execute(update(versions).where(*self._is(one.number)).values(days))
            self.connection.execute(self._next_generation().values(numbers=numbers))

    def _written(
        self, rows: Sequence[Indexed], *, instead: Sequence[str] = ()
    ) -> tuple[str, SegmentSize, list[Key], NDArray[np.float32]] | None:
        """Write a segment's files; return its name, size, passages and vectors; None for no rows."""
        if not rows:
            return None
        name, corpus = new_id(), corpus_of([row.document for row in rows])
        tokens = tokens_of_corpus(corpus, stop=self.stop)
        merged = bool(instead) and not self.vectors.needs_vectors_to_merge
        vectors = np.empty((0, 0), np.float32) if merged else self.static().vectors(tokens)
        with self.connection.begin():
            others = self.connection.execute(
                select(
                    func.coalesce(func.sum(segments.c.passages), 0), func.coalesce(func.sum(segments.c.words), 0)
                ).where(segments.c.archive == self.archive, segments.c.id.not_in(instead))
            ).one()
        size = write_segment(self.folder / name, rows, corpus, tokens, others=(int(others[0]), int(others[1])))
        self.vectors.write(self.folder / name, vectors, stop=self.stop)
        size = replaced(size, size=bytes_in(self.folder / name))
        keys = [(rows[place].number, start, end) for place, start, end in corpus.spans.tolist()]
        return name, size, keys if not merged else [], vectors

    def _register(self, name: str, size: SegmentSize, keys: list[Key], vectors: NDArray[np.float32]) -> None:
        born = select(archives.c.generation + 1).where(archives.c.id == self.archive).scalar_subquery()
        row = {"id": name, "archive": self.archive, "passages": size.passages, "words": size.words, "size": size.size}
        self.connection.execute(segments.insert().values(**row, born=born))
        self.vectors.publish(self.connection, self.folder / name, keys, vectors)

    def _line(self, one: ChainVersion, segment: str, *, revised: bool) -> dict[str, Any]:
        assert one.new
        document = one.new.document
        return {
            "archive": self.archive, "number": one.number, "address": address_of(document.url), "url": document.url,
            "digest": document.digest, "title": document.title, "text": document.text,
            "pages": json.dumps(document.pages), "site": source_of(document), "kind": one.new.kind,
            "date_source": document.date_source, "published": one.published, "seen": one.seen, "since": one.since,
            "until": one.until, "revised": revised, "looked": self.clock(), "segment": segment,
        }  # fmt: skip

    def _forget(self, numbers: Sequence[int]) -> None:
        """Empty versions, so that no search finds them and their texts are gone."""
        blank = {"text": "", "title": "", "pages": "[]", "until": 0, "revised": True}
        for some in parts(numbers):
            wanted = versions.c.archive == self.archive, versions.c.number.in_(some)
            self.connection.execute(update(versions).where(*wanted).values(blank))
            self.vectors.forget(self.connection, some)

    def _chains(self, addresses: Collection[str]) -> dict[str, Chain]:
        """Return the chain of each address; an unknown address has an empty one."""
        chains = {address: Chain() for address in addresses}
        names = ("address", "number", "digest", "published", "seen", "since", "until")
        columns = (versions.c[name] for name in names)
        rows = rows_with(self.connection, self.archive, versions.c.address, list(addresses), *columns)
        for row in sorted(rows, key=lambda row: (row.seen, row.number)):
            chains[row.address].standing.append(
                ChainVersion(row.number, row.digest, row.published, row.seen, row.since, row.until)
            )
        return chains

    def _due(self) -> list[str]:
        """Return the segments to merge next, of like size, oldest first; none if no merge is due."""
        with self.connection.begin():
            rows = self.connection.execute(
                select(segments.c.id, segments.c.passages)
                .where(segments.c.archive == self.archive, segments.c.passages <= MOST // 4)
                .order_by(segments.c.born)
            ).all()
        levels: dict[int, list[Any]] = {}
        for row in rows:
            levels.setdefault(int(log(max(row.passages, SMALLEST) / SMALLEST, FAN)), []).append(row)
        for same in levels.values():
            if len(same) >= FAN:
                reached = accumulate(row.passages for row in same[:FAN])
                return [row.id for row, passages in zip(same, reached, strict=False) if passages <= MOST]
        return []

    def _rebuild(self, group: Sequence[str]) -> None:
        """Publish one segment in place of several, without removed versions."""
        inside = versions.c.archive == self.archive, versions.c.segment.in_(group)
        with self.connection.begin():
            found = self.connection.execute(select(versions).where(*inside).order_by(versions.c.number)).all()
        kept = [row for row in found if row.until != 0]
        rows = [Indexed(row.number, document_of(row), row.since, row.kind) for row in kept]
        written = self._written(rows, instead=group)
        for name in group:
            with suppress(FileNotFoundError):
                os.utime(self.folder / name)  # GRACE_SECONDS begin
        with self.connection.begin():
            self.connection.execute(delete(versions).where(*inside, versions.c.until == 0))
            self.connection.execute(delete(segments).where(segments.c.id.in_(group)))
            self.vectors.retire(self.connection, group)
            if written:
                self.connection.execute(update(versions).where(*inside).values(segment=written[0]))
                self._register(*written)
            self.connection.execute(self._next_generation())

    def _next_generation(self) -> Any:
        return update(archives).where(archives.c.id == self.archive).values(generation=archives.c.generation + 1)

    def _is(self, number: int) -> tuple[Any, ...]:
        return versions.c.archive == self.archive, versions.c.number == number
