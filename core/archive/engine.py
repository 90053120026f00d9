"""An archive on its engine: additions are published whole, and searches see one published generation."""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace as replaced
from datetime import date
from functools import cached_property
from hashlib import sha256
from itertools import accumulate, islice
from math import log
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine, Row, Select, bindparam, delete, func, select, update

from core.archive.chains import Chain, ChainVersion
from core.archive.reading import Generation
from core.archive.segments import Key, Mask, Segment, SegmentSize, bytes_in, write_segment
from core.archive.segments import PassageRow as Indexed
from core.archive.tables import archives, refusals, segments, transaction, versions
from core.archive.types import EVERYTHING, Added, Filters, Found, NewDocument, Report, Stats, Version, silent
from core.errors import BadInput, Cancelled
from core.interfaces import Stop, ignore, never
from core.retrieval.corpus import corpus_of
from core.retrieval.index import OpenStatic, distilled
from core.retrieval.ranking import reciprocal_rank_fusion
from core.retrieval.static import StaticEncoder
from core.retrieval.tokens import tokens_of_corpus
from core.storage.ids import new_id
from core.types import Document

BATCH_CHARACTERS, BATCH_DOCUMENTS, BATCH_SECONDS = 12_000_000, 20_000, 30.0
"""The most of one batch, which is published at once."""
FAN, SMALLEST, MOST = 8, 1_000, 150_000
"""FAN segments of like size are merged. Sizes count from SMALLEST passages, and no merged one has over MOST.

A segment of MOST / 4 passages stays as it is.
"""
GRACE_SECONDS = 600.0
"""The age at which files of a segment that was merged are deleted: a search may just be opening them."""
TRIES = 3
DISTILLING = "The static vectors of words are made, once on this machine. This takes about a minute."
GONE = "There is no such archive: it was deleted meanwhile."
AT_ONCE = 500
FACTS = tuple(column for column in versions.c if column.name not in ("text", "pages"))
"""The columns of a version without its text, which may have megabytes."""
POOL, LARGE_POOL = 100, 600


class VectorEngine(Protocol):
    """Where the vectors of an archive are, and who may write. `EmbeddedEngine` says more of each method."""

    needs_vectors_to_merge: bool

    def writer(self) -> Any: ...
    def write(self, folder: Path, vectors: NDArray[np.float32], *, stop: Stop) -> None: ...
    def publish(
        self, connection: Connection, folder: Path, keys: Sequence[Key], vectors: NDArray[np.float32]
    ) -> None: ...
    def retire(self, connection: Connection, segments: Sequence[str]) -> None: ...
    def forget(self, connection: Connection, numbers: Sequence[int]) -> None: ...
    def link(self, connection: Connection, *, stop: Stop, tell: Callable[[str], None]) -> None: ...
    def drop(self, connection: Connection) -> None: ...
    def fetch(self, segment: str) -> None: ...
    def nearest(
        self, vector: NDArray[np.float32], opened: Generation, masks: Sequence[Mask | None], filters: Filters, *, k: int
    ) -> list[Key]: ...


class KeptArchive:
    """An archive in a database and a folder. Threads may share it.

    Its changes are published at once: a search sees all of one or nothing.
    """

    def __init__(
        self,
        database: Engine,
        archive: str,
        folder: Path,
        vectors: VectorEngine,
        *,
        static: OpenStatic = distilled,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.database, self.id, self.folder, self.vectors = database, archive, folder, vectors
        self._open_static, self._clock = static, clock
        self._lock = threading.Lock()
        self._generation: Generation | None = None

    @cached_property
    def static(self) -> StaticEncoder:
        return self._open_static()

    def _prepare_static(self, stop: Stop, tell: Callable[[str], None]) -> None:
        """Open the static encoder; say so if it is distilled first."""
        untold = [DISTILLING]
        if "static" not in self.__dict__:
            self.static = self._open_static(stop=stop, report=lambda _: tell(untold.pop()) if untold else None)

    def add(
        self,
        documents: Iterable[NewDocument],
        *,
        replace: bool = False,
        stop: Stop = never,
        report: Report = silent,
        tell: Callable[[str], None] = ignore,
    ) -> Added:
        """Add documents; a changed text becomes a new version of its address. With `replace`, former ones are deleted.

        Documents that are reported as done stay after a kill. Raises BadInput if another program is adding, or the disk
        is full, and Cancelled after a stop.
        """
        done, seen = Added(), 0
        with self._writing() as connection:
            self._prepare_static(stop, tell)
            self._tidy(connection, stop)
            for batch in batches(documents):
                if stop():
                    raise Cancelled(f"Stopped. {done.new + done.changed:,} documents were added before.")
                done += self._publish(connection, batch, replace=replace, stop=stop)
                seen += len(batch)
                report(seen, 0)
            while group := self._due(connection):
                tell("Small parts of the index are merged. All documents are found meanwhile.")
                self._rebuild(connection, group, stop)
            self.vectors.link(connection, stop=stop, tell=tell)
        return done

    def remove(self, urls: Collection[str]) -> int:
        """Delete all versions of addresses and return their number. Raises BadInput as `add`."""
        with self._writing() as connection, connection.begin():
            numbers = [row.number for row in self._rows(connection, map(address_of, urls), versions.c.number)]
            self._forget(connection, numbers)
            if numbers:
                connection.execute(self._next_generation())
        return len(numbers)

    def search(self, query: str, *, k: int = 10, filters: Filters = EVERYTHING) -> tuple[Found, ...]:
        """Return up to `k` passages, best first, by words and static vectors together."""
        for _ in range(TRIES):
            words, meaning = self._ranked(query, filters, max(POOL, k))
            keys = fused(words, meaning)[: 3 * k]
            texts = self._passages(keys)
            if len(texts) == len(keys):
                break  # else a document was replaced or removed meanwhile
        found: dict[str, Found] = {}
        ranks = [{key: rank for rank, key in enumerate(each, start=1)} for each in (words, meaning)]
        for key in keys:
            if key in texts:
                version, text = texts[key]
                one = Found(version, *key[1:], text, ranks[0].get(key), ranks[1].get(key))
                found.setdefault(" ".join(text.split()).casefold(), one)
        return tuple(found.values())[:k]

    def documents(self, query: str, *, k: int, filters: Filters = EVERYTHING) -> tuple[Document, ...]:
        """Return the `k` documents with the best passages, whole, best first."""
        for _ in range(TRIES):
            words, meaning = self._ranked(query, filters, max(LARGE_POOL, k))
            numbers = list(dict.fromkeys(key[0] for key in fused(words, meaning)))[:k]
            with transaction(self.database) as connection:
                rows = {row.number: row for row in self._numbered(connection, numbers, versions)}
            if len(rows) == len(numbers):
                break  # else as in `search`
        return tuple(document_of(rows[number]) for number in numbers if number in rows)

    def versions(self, url: str) -> Sequence[Version]:
        """Return the versions of an address, oldest first."""
        with transaction(self.database) as connection:
            rows = self._rows(connection, [address_of(url)], *FACTS)
            return [version_of(row) for row in sorted(rows, key=lambda row: (row.seen, row.number))]

    def stats(self) -> Stats:
        """Return the figures of the archive."""
        mine = versions.c.archive == self.id, versions.c.until.is_distinct_from(0)
        now, days = (*mine, versions.c.until.is_(None)), versions.c.published
        with transaction(self.database) as connection:
            count, first, last = connection.execute(
                select(func.count(), func.min(func.nullif(days, 0)), func.max(days)).where(*now)
            ).one()
            every = connection.scalar(select(func.count()).select_from(versions).where(*mine))
            undated = connection.scalar(select(func.count()).select_from(versions).where(*now, days == 0))
            parts = connection.execute(
                select(func.count(), func.sum(segments.c.passages), func.sum(segments.c.size)).where(
                    segments.c.archive == self.id
                )
            ).one()
            kinds, sites = (
                connection.execute(
                    select(column, func.count()).where(*now).group_by(column).order_by(func.count().desc(), column)
                ).all()
                for column in (versions.c.kind, versions.c.site)
            )
        return Stats(
            count, every or 0, int(parts[1] or 0), undated or 0, day_of(first), day_of(last), parts[0],
            int(parts[2] or 0), tuple((row[0], row[1]) for row in kinds), tuple((row[0], row[1]) for row in sites),
        )  # fmt: skip

    # Writing

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        try:
            with refusals(), self.vectors.writer() as connection:
                with connection.begin():
                    if not connection.scalar(select(archives.c.id).where(archives.c.id == self.id)):
                        raise BadInput(GONE)
                yield connection
        except OSError as error:
            raise BadInput(
                f"The archive cannot be written in {self.folder} ({error.strerror or error}): free some space, then "
                "add again. The documents that were reported as added are kept."
            ) from error

    def _publish(self, connection: Connection, batch: Sequence[NewDocument], *, replace: bool, stop: Stop) -> Added:
        """Write a batch's new texts as one segment and publish it; return the counts."""
        problems = tuple(f"{one.document.url}: it holds no text." for one in batch if not one.document.text.strip())
        batch = [one for one in batch if one.document.text.strip()]
        with connection.begin():
            chains = self._chains(connection, {address_of(one.document.url) for one in batch})
            number = int(connection.scalar(select(archives.c.numbers).where(archives.c.id == self.id)) or 0)
        today = date.fromtimestamp(self._clock())
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
            self._commit(connection, placed, chains.values(), number, stop)
        with connection.begin():
            for some in parts(seen_again):
                mine = versions.c.archive == self.id, versions.c.address.in_(some)
                connection.execute(update(versions).where(*mine).values(looked=self._clock()))
        return Added(taken - changed, changed, len(batch) - taken, problems)

    def _commit(
        self,
        connection: Connection,
        placed: Sequence[tuple[Chain, ChainVersion]],
        chains: Iterable[Chain],
        numbers: int,
        stop: Stop,
    ) -> None:
        rows = [Indexed(one.number, one.new.document, one.since, one.new.kind) for _, one in placed if one.new]
        written = self._written(connection, rows, stop)
        with connection.begin():
            if written:
                name, *_ = written
                lines = [self._line(one, name, revised=len(chain.standing) > 1) for chain, one in placed]
                connection.execute(versions.insert(), lines)
                self._register(connection, *written)
            for chain in chains:
                self._forget(connection, chain.gone)
                for one in chain.changed.values():
                    days = {"seen": one.seen, "since": one.since, "until": one.until, "revised": True}
                    connection.execute(update(versions).where(*self._is(one.number)).values(days))
            connection.execute(self._next_generation().values(numbers=numbers))

    def _written(
        self, connection: Connection, rows: Sequence[Indexed], stop: Stop, *, instead: Sequence[str] = ()
    ) -> tuple[str, SegmentSize, list[Key], NDArray[np.float32]] | None:
        """Write a segment's files; return its name, size, passages and vectors; None for no rows."""
        if not rows:
            return None
        name, corpus = new_id(), corpus_of([row.document for row in rows])
        tokens = tokens_of_corpus(corpus, stop=stop)
        merged = bool(instead) and not self.vectors.needs_vectors_to_merge
        vectors = self.static.vectors(tokens) if not merged else np.empty((0, self.static.dimensions), np.float32)
        with connection.begin():
            others = connection.execute(
                select(
                    func.coalesce(func.sum(segments.c.passages), 0), func.coalesce(func.sum(segments.c.words), 0)
                ).where(segments.c.archive == self.id, segments.c.id.not_in(instead))
            ).one()
        size = write_segment(self.folder / name, rows, corpus, tokens, others=(int(others[0]), int(others[1])))
        self.vectors.write(self.folder / name, vectors, stop=stop)
        size = replaced(size, size=bytes_in(self.folder / name))
        keys = [(rows[place].number, start, end) for place, start, end in corpus.spans.tolist()]
        return name, size, keys if not merged else [], vectors

    def _register(
        self, connection: Connection, name: str, size: SegmentSize, keys: list[Key], vectors: NDArray[np.float32]
    ) -> None:
        born = select(archives.c.generation + 1).where(archives.c.id == self.id).scalar_subquery()
        row = {"id": name, "archive": self.id, "passages": size.passages, "words": size.words, "size": size.size}
        connection.execute(segments.insert().values(**row, born=born))
        self.vectors.publish(connection, self.folder / name, keys, vectors)

    def _line(self, one: ChainVersion, segment: str, *, revised: bool) -> dict[str, Any]:
        assert one.new
        document = one.new.document
        return {
            "archive": self.id, "number": one.number, "address": address_of(document.url), "url": document.url,
            "digest": document.digest, "title": document.title, "text": document.text,
            "pages": json.dumps(document.pages), "site": document.site, "kind": one.new.kind,
            "date_source": document.date_source, "published": one.published, "seen": one.seen, "since": one.since,
            "until": one.until, "revised": revised, "looked": self._clock(), "segment": segment,
        }  # fmt: skip

    def _forget(self, connection: Connection, numbers: Sequence[int]) -> None:
        """Empty versions, so that no search finds them and their texts are gone."""
        blank = {"text": "", "title": "", "pages": "[]", "until": 0, "revised": True}
        for some in parts(numbers):
            wanted = versions.c.archive == self.id, versions.c.number.in_(some)
            connection.execute(update(versions).where(*wanted).values(blank))
            self.vectors.forget(connection, some)

    def _next_generation(self) -> Any:
        return update(archives).where(archives.c.id == self.id).values(generation=archives.c.generation + 1)

    def _is(self, number: int) -> tuple[Any, ...]:
        return versions.c.archive == self.id, versions.c.number == number

    def _chains(self, connection: Connection, addresses: Collection[str]) -> dict[str, Chain]:
        """Return the chain of each address; an unknown address has an empty one."""
        chains = {address: Chain() for address in addresses}
        names = ("address", "number", "digest", "published", "seen", "since", "until")
        rows = self._rows(connection, addresses, *(versions.c[name] for name in names))
        for row in sorted(rows, key=lambda row: (row.seen, row.number)):
            chains[row.address].standing.append(
                ChainVersion(row.number, row.digest, row.published, row.seen, row.since, row.until)
            )
        return chains

    def _tidy(self, connection: Connection, stop: Stop) -> None:
        """Delete the files of segments that nobody needs, and build missing ones again."""
        with connection.begin():
            named = set(connection.scalars(select(segments.c.id).where(segments.c.archive == self.id)))
        for folder in self.folder.iterdir() if self.folder.exists() else ():
            old = folder.stat().st_mtime < self._clock() - GRACE_SECONDS
            if folder.is_dir() and folder.name not in named and old:
                shutil.rmtree(folder, ignore_errors=True)
        for name in named:
            if not (self.folder / name).exists() and self.vectors.needs_vectors_to_merge:
                self._rebuild(connection, [name], stop)

    def _due(self, connection: Connection) -> list[str]:
        """Return the segments to merge next, of like size, oldest first; none if no merge is due."""
        with connection.begin():
            rows = connection.execute(
                select(segments.c.id, segments.c.passages)
                .where(segments.c.archive == self.id, segments.c.passages <= MOST // 4)
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

    def _rebuild(self, connection: Connection, group: Sequence[str], stop: Stop) -> None:
        """Publish one segment in place of several, without removed versions."""
        inside = versions.c.archive == self.id, versions.c.segment.in_(group)
        with connection.begin():
            found = connection.execute(select(versions).where(*inside).order_by(versions.c.number)).all()
        kept = [row for row in found if row.until != 0]
        rows = [Indexed(row.number, document_of(row), row.since, row.kind) for row in kept]
        written = self._written(connection, rows, stop, instead=group)
        for name in group:
            with suppress(FileNotFoundError):
                os.utime(self.folder / name)  # GRACE_SECONDS begin
        with connection.begin():
            connection.execute(delete(versions).where(*inside, versions.c.until == 0))
            connection.execute(delete(segments).where(segments.c.id.in_(group)))
            self.vectors.retire(connection, group)
            if written:
                connection.execute(update(versions).where(*inside).values(segment=written[0]))
                self._register(connection, *written)
            connection.execute(self._next_generation())

    # Reading

    def _ranked(self, query: str, filters: Filters, k: int) -> tuple[list[Key], list[Key]]:
        """Return the best `k` passages of the newest generation by words and by meaning."""
        opened = self._opened()
        if not opened.segments:
            return [], []
        masks = opened.masks(filters)
        vector = self.static.encode([query])[0]
        near = self.vectors.nearest(vector, opened, masks, filters, k=k) if vector.any() else []
        return opened.by_words(query, masks, k=k), near

    def _opened(self) -> Generation:
        """Return the newest generation, opened once."""
        for attempt in range(TRIES):
            with transaction(self.database) as connection:
                number = connection.scalar(select(archives.c.generation).where(archives.c.id == self.id))
                if number is None:
                    raise BadInput(GONE)
                if self._generation and self._generation.number == number:
                    return self._generation
                names = connection.scalars(
                    select(segments.c.id).where(segments.c.archive == self.id).order_by(segments.c.born)
                ).all()
                columns = versions.c.number, versions.c.since, func.coalesce(versions.c.until, -1)
                wanted = select(*columns).where(versions.c.archive == self.id, versions.c.revised)
                revised = connection.execute(wanted.order_by(versions.c.number)).all()
            days = np.array([tuple(row) for row in revised], dtype=np.int64).reshape(-1, 3)
            # A segment may have been merged and deleted since: then look for a newer generation.
            with self._lock, suppress(FileNotFoundError):
                self._generation = Generation(number, self._segments(names, last=attempt == TRIES - 1), days)
                return self._generation
        raise BadInput("The archive changes too fast to be opened: try again in a moment.")

    def _segments(self, names: Sequence[str], *, last: bool) -> tuple[Segment, ...]:
        known = {one.folder.name: one for one in self._generation.segments} if self._generation else {}
        for name in names:
            if name not in known:
                if not (self.folder / name).exists() and (last or not self.vectors.needs_vectors_to_merge):
                    self.vectors.fetch(name)
                known[name] = Segment(self.folder / name)
        return tuple(known[name] for name in names)

    def _passages(self, keys: Sequence[Key]) -> dict[Key, tuple[Version, str]]:
        """Return the version and the text of each passage that is still there."""
        found = {}
        with transaction(self.database) as connection:
            for key in keys:
                number, start, end = key
                text = func.substr(versions.c.text, start + 1, end - start).label("passage")
                row = connection.execute(select(*FACTS, text).where(*self._is(number))).one_or_none()
                if row is not None and row.passage:
                    found[key] = version_of(row), str(row.passage)
        return found

    def _rows(self, connection: Connection, addresses: Iterable[str], *columns: Any) -> list[Row[Any]]:
        """Return the versions of addresses that are not removed."""
        return self._in_parts(connection, select(*columns), versions.c.address, list(addresses))

    def _numbered(self, connection: Connection, numbers: Sequence[int], *columns: Any) -> list[Row[Any]]:
        return self._in_parts(connection, select(*columns), versions.c.number, numbers)

    def _in_parts(self, connection: Connection, wanted: Select[Any], column: Any, values: Sequence[Any]) -> list[Any]:
        mine = wanted.where(versions.c.archive == self.id, versions.c.until.is_distinct_from(0))
        chosen = mine.where(column.in_(bindparam("values", expanding=True)))
        return [row for some in parts(values) for row in connection.execute(chosen, {"values": some})]


def batches(documents: Iterable[NewDocument]) -> Iterator[list[NewDocument]]:
    """Yield documents in batches of bounded size; a batch ends after BATCH_SECONDS also with less."""
    batch: list[NewDocument] = []
    characters, begun = 0, time.monotonic()
    for one in documents:
        batch.append(one)
        characters += len(one.document.text)
        late = time.monotonic() - begun > BATCH_SECONDS
        if characters > BATCH_CHARACTERS or len(batch) >= BATCH_DOCUMENTS or late:
            yield batch
            batch, characters, begun = [], 0, time.monotonic()
    if batch:
        yield batch


def parts(values: Sequence[Any]) -> Iterator[list[Any]]:
    """Yield values in lists that a database takes as parameters."""
    waiting = iter(values)
    while some := list(islice(waiting, AT_ONCE)):
        yield some


def fused(words: Sequence[Key], meaning: Sequence[Key]) -> list[Key]:
    """Return passages of both rankings, best first, by reciprocal rank fusion."""
    keys = list(dict.fromkeys([*words, *meaning]))
    place = {key: at for at, key in enumerate(keys)}
    rankings = [[place[key] for key in each] for each in (words, meaning)]
    return [keys[at] for at in reciprocal_rank_fusion(rankings)]


def address_of(url: str) -> str:
    """Return the hash by which the database finds an address."""
    return sha256(url.encode("utf-8", "replace")).hexdigest()


def day_of(ordinal: int | None) -> date | None:
    return date.fromordinal(ordinal) if ordinal else None


def version_of(row: Any) -> Version:
    days = day_of(row.published), day_of(row.since), day_of(row.until)
    return Version(row.number, row.url, row.title, row.digest, *days, row.kind, row.looked)


def document_of(row: Any) -> Document:
    return Document(
        row.url, row.text, row.title, day_of(row.published), row.digest, tuple(json.loads(row.pages)), row.date_source
    )
