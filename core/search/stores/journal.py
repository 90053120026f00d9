"""The journal of a store's answers and pages: on disk at once, so that a killed build can continue."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock, Timeout

from core.dataclass_json import from_json, to_json
from core.errors import BadInput
from core.search.crawl import Candidate, Reading, ReadPage
from core.search.types import LocalSource, SearchFailure, Versioned, lane_of
from core.search_report import PASSING, Reason

NAME = "journal.db"

Section = Literal["queries", "asked", "sent", "page", "claim"]


@contextmanager
def opened(folder: Path) -> Iterator[Journal]:
    """Open the journal in a folder for one build. Raises BadInput if another build works there, or for no journal."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock", timeout=0)
        with lock:
            journal = Journal(folder / NAME)
            try:
                yield journal
            finally:
                journal.connection.close()
    except Timeout as error:
        raise BadInput(f"{folder}: another build is at work here; wait until it has ended.") from error
    except sqlite3.DatabaseError as error:
        raise BadInput(f"{folder / NAME}: this is no journal, or the disk refused it ({error}).") from error


class Journal:
    """Entries by section and key; written through at once, and used by many threads."""

    def __init__(self, path: Path) -> None:
        self.connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute(
            "CREATE TABLE IF NOT EXISTS entries (section TEXT, key TEXT, value TEXT, PRIMARY KEY (section, key))"
        )
        self.lock = threading.Lock()
        self.at_work: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self.fresh: set[tuple[str, str]] = set()
        counted = self.connection.execute("SELECT section, count(*) FROM entries GROUP BY section")
        self.counts: Counter[str] = Counter(dict(counted.fetchall()))

    def get(self, section: Section, *key: str | int) -> Any:
        """Return an entry, None if there is none."""
        with self.lock:
            row = self.connection.execute(
                "SELECT value FROM entries WHERE section = ? AND key = ?", (section, json.dumps(key))
            ).fetchone()
        return json.loads(row[0]) if row else None

    def put(self, section: Section, *key: str | int, value: Any) -> None:
        """Write an entry, in place of an earlier one."""
        entry = (section, json.dumps(key))
        with self.lock:
            known = self.connection.execute("SELECT 1 FROM entries WHERE section = ? AND key = ?", entry).fetchone()
            self.connection.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", (*entry, json.dumps(value)))
            self.fresh.add(entry)
            self.counts[section] += not known

    def once(
        self,
        section: Section,
        *key: str | int,
        work: Callable[[], Any],
        passing: Callable[[Any], bool],
        keep: Callable[[Any], bool] = lambda value: True,
    ) -> Any:
        """Return an entry, worked out where there is none; `passing` says which of an earlier build are not to last.

        Only entries that `keep` allows are written.

        Two threads that want the same entry at the same time do not both work it out.
        """
        name = f"{section} {json.dumps(key)}"
        with self.lock:
            turn = self.at_work[name]
        with turn:
            value = self.get(section, *key)
            if value is None or (passing(value) and (section, json.dumps(key)) not in self.fresh):
                value = work()
                if keep(value):
                    self.put(section, *key, value=value)
            return value

    def reading(self, candidate: Candidate, before: str, read: Callable[[], Reading], *, dated: bool) -> Reading:
        """Return the content of an address, read once for all claims.

        A source's version is read once for each day. So is each page if `dated` copies may replace it. A page that
        gives a claim away is no entry: it may serve another claim.
        """
        by_source = isinstance(candidate.source, Versioned | LocalSource)
        day, place = before if by_source or dated else "", lane_of(candidate.source) if by_source else ""

        def work() -> Any:
            return _as_json(read())

        value = self.once(
            "page",
            place,
            candidate.result.url,
            day,
            work=work,
            passing=_may_pass,
            keep=lambda one: not _gives_away(one),
        )
        return _from_json(value)

    def count(self, section: Section) -> int:
        """Return how many entries a section has."""
        return self.counts[section]


def _as_json(reading: Reading) -> Any:
    if isinstance(reading, SearchFailure):
        return {"failure": to_json(reading)}
    bare = replace(reading, page=replace(reading.page, body=b"", exchange=None))  # its bytes are in its snapshot
    return {"page": to_json(bare)}


def _from_json(value: Any) -> Reading:
    if "failure" in value:
        return from_json(value["failure"], SearchFailure)
    return from_json(value["page"], ReadPage)


def _may_pass(value: Any) -> bool:
    return "failure" in value and value["failure"]["reason"] in PASSING


def _gives_away(value: Any) -> bool:
    return "failure" in value and value["failure"]["reason"] == Reason.GIVES_AWAY
