"""An archive on its engine: additions are published whole, and searches see one published generation."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path

import numpy as np
from sqlalchemy import Engine, func, select

from core.archive.reading import Generation
from core.archive.rows import FACTS, address_of, day_of, document_of, rows_with, version_of
from core.archive.segments import Key, Segment
from core.archive.tables import archives, refusals, segments, transaction, versions
from core.archive.types import (
    EVERYTHING,
    MOST_COUNTED,
    Added,
    Filters,
    Found,
    NewDocument,
    Report,
    Stats,
    Version,
    silent,
)
from core.archive.vectors import VectorEngine
from core.archive.writing import Writer
from core.errors import BadInput, Cancelled
from core.interfaces import Stop, ignore, never
from core.retrieval.index import OpenStatic, distilled
from core.retrieval.ranking import reciprocal_rank_fusion
from core.retrieval.static import StaticEncoder
from core.types import Document

BATCH_CHARACTERS, BATCH_DOCUMENTS, BATCH_SECONDS = 12_000_000, 20_000, 30.0
"""The most of one batch, which is published at once."""
TRIES = 3
DISTILLING = "The static vectors of words are made, once on this machine. This takes about a minute."
GONE = "There is no such archive: it was deleted meanwhile."
POOL, LARGE_POOL = 100, 600


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
        with self._writing(stop) as writer:
            self._prepare_static(stop, tell)
            writer.tidy()
            for batch in batches(documents):
                if stop():
                    raise Cancelled(f"Stopped. {done.new + done.changed:,} documents were added before.")
                done += writer.publish(batch, replace=replace)
                seen += len(batch)
                report(seen, 0)
            writer.merge(tell)
            self.vectors.link(writer.connection, stop=stop, tell=tell)
        return done

    def remove(self, urls: Collection[str]) -> int:
        """Delete all versions of addresses and return their number. Raises BadInput as `add`."""
        with self._writing(never) as writer:
            return writer.remove(urls)

    def end(self, urls: Collection[str]) -> int:
        """End the documents of addresses today and return their number. Raises BadInput as `add`.

        Searches for an earlier day still find them. To add the same text opens a document again.
        """
        with self._writing(never) as writer:
            return writer.end(urls)

    def below(self, place: str) -> list[str]:
        """Return the addresses of all documents of a file, or of the files in a folder."""
        begun = versions.c.url.startswith(place, autoescape=True)  # SQLite ignores the case of letters here
        mine = versions.c.archive == self.id, versions.c.until.is_distinct_from(0), begun
        with transaction(self.database) as connection:
            found = connection.scalars(select(versions.c.url).where(*mine).distinct())
            return [url for url in found if url == place or url.startswith((f"{place}/", f"{place}#"))]

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
                found = rows_with(connection, self.id, versions.c.number, numbers, versions)
                rows = {row.number: row for row in found}
            if len(rows) == len(numbers):
                break  # else as in `search`
        return tuple(document_of(rows[number]) for number in numbers if number in rows)

    def versions(self, url: str) -> Sequence[Version]:
        """Return the versions of an address, oldest first."""
        with transaction(self.database) as connection:
            rows = rows_with(connection, self.id, versions.c.address, [address_of(url)], *FACTS)
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
                    select(column, func.count())
                    .where(*now)
                    .group_by(column)
                    .order_by(func.count().desc(), column)
                    .limit(MOST_COUNTED)
                ).all()
                for column in (versions.c.kind, versions.c.site)
            )
        return Stats(
            count, every or 0, int(parts[1] or 0), undated or 0, day_of(first), day_of(last), parts[0],
            int(parts[2] or 0), tuple((row[0], row[1]) for row in kinds), tuple((row[0], row[1]) for row in sites),
        )  # fmt: skip

    @contextmanager
    def _writing(self, stop: Stop) -> Iterator[Writer]:
        try:
            with refusals(), self.vectors.writer() as connection:
                with connection.begin():
                    if not connection.scalar(select(archives.c.id).where(archives.c.id == self.id)):
                        raise BadInput(GONE)
                yield Writer(connection, self.id, self.folder, self.vectors, lambda: self.static, self._clock, stop)
        except OSError as error:
            raise BadInput(
                f"The archive cannot be written in {self.folder} ({error.strerror or error}): free some space, then "
                "add again. The documents that were reported as added are kept."
            ) from error

    def _prepare_static(self, stop: Stop, tell: Callable[[str], None]) -> None:
        """Open the static encoder; say so if it is distilled first."""
        untold = [DISTILLING]
        if "static" not in self.__dict__:
            self.static = self._open_static(stop=stop, report=lambda _: tell(untold.pop()) if untold else None)

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
                row = connection.execute(
                    select(*FACTS, text).where(versions.c.archive == self.id, versions.c.number == number)
                ).one_or_none()
                if row is not None and row.passage:
                    found[key] = version_of(row), str(row.passage)
        return found


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


def fused(words: Sequence[Key], meaning: Sequence[Key]) -> list[Key]:
    """Return passages of both rankings, best first, by reciprocal rank fusion."""
    keys = list(dict.fromkeys([*words, *meaning]))
    place = {key: at for at, key in enumerate(keys)}
    rankings = [[place[key] for key in each] for each in (words, meaning)]
    return [keys[at] for at in reciprocal_rank_fusion(rankings)]
