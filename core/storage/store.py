"""Past cases and unfinished forms in a database. Every read and write names the owner whose case it is."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import Column, Connection, Row, and_, delete, func, select, update
from sqlalchemy.exc import SQLAlchemyError

from core.errors import StoreError
from core.storage.database import connect, migrate, sentence, upsert
from core.storage.tables import cases, drafts

Json = dict[str, Any]

STALE_SECONDS = 20.0
"""A live case whose server has not said so for this long was interrupted: the server went away."""
CANNOT_TELL = "Cannot tell"


class State(StrEnum):
    """Where a case is. INTERRUPTED is never stored: it follows from a server that fell silent."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"

    @property
    def live(self) -> bool:
        return self in (State.WAITING, State.RUNNING)


@dataclass(frozen=True)
class Entry:
    """One line of the history. `created` is in seconds since 1970; `label` is empty unless it is done."""

    id: str
    created: float
    state: State
    claim: str
    label: str
    cannot_tell: bool
    error: str
    recipe: str
    model: str
    seconds: float | None


@dataclass(frozen=True)
class Status(Entry):
    """How far a case came: when it began, in seconds since 1970, and what `core.jobs.Journal` wrote."""

    started: float | None
    progress: Json | None


@dataclass(frozen=True)
class StoredCase(Status):
    """A case with what was asked for and what it came to."""

    request: Json
    result: Json | None


@dataclass(frozen=True)
class Listing:
    """One page of the history, newest first, and how many cases match in all."""

    entries: tuple[Entry, ...]
    total: int


SUMMARY = tuple(
    cases.c[name]
    for name in (
        "id",
        "created",
        "state",
        "claim",
        "label",
        "cannot_tell",
        "error",
        "recipe",
        "model",
        "seconds",
        "seen",
    )
)


class Store:
    """The database at an SQLAlchemy URL; it is created, and brought up to date, on opening.

    Every method raises StoreError, with a sentence, where the database cannot be read or written.
    `clock` returns seconds since 1970.
    """

    def __init__(self, url: str, *, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.engine = connect(url)
        # SQLite has one writer at a time, and the others look in ever more seldom: threads of one server queue instead.
        self.queue = threading.Lock() if self.engine.dialect.name == "sqlite" else nullcontext()
        with self.transaction(writing=True) as connection:
            migrate(connection)

    @contextmanager
    def transaction(self, *, writing: bool = False) -> Iterator[Connection]:
        """Open a transaction; `writing` is for one that writes what follows from what it read."""
        try:
            with (
                self.queue if writing else nullcontext(),
                self.engine.connect().execution_options(writing=writing) as connection,
                connection.begin(),
            ):
                yield connection
        except SQLAlchemyError as error:
            raise StoreError(sentence(error)) from error

    def create(self, owner: str, request: Json, *, claim: str, recipe: str, model: str, about: str = "") -> str:
        """Store a waiting case and return its id, which cannot be guessed. `about` is searched too."""
        case_id = secrets.token_urlsafe(24)
        now = self.clock()
        row = {
            "id": case_id,
            "owner": owner,
            "created": now,
            "seen": now,
            "state": State.WAITING,
            "claim": claim,
            "folded": f"{claim}\n{about}".casefold(),
            "recipe": recipe,
            "model": model,
            "request": json.dumps(request),
        }
        with self.transaction() as connection:
            connection.execute(cases.insert().values(row))
        return case_id

    def start(self, case_id: str) -> None:
        self.change(case_id, state=State.RUNNING, started=self.clock())

    def advance(self, case_id: str, progress: Json) -> None:
        self.change(case_id, progress=json.dumps(progress))

    def finish(self, case_id: str, result: Json, *, label: str, cannot_tell: bool, seconds: float) -> None:
        self.change(
            case_id,
            state=State.DONE,
            result=json.dumps(result),
            label=label,
            cannot_tell=cannot_tell,
            seconds=seconds,
        )

    def end(self, case_id: str, state: State, error: str, *, seconds: float | None) -> None:
        """Store that a case came to no verdict, and the sentence that says why."""
        self.change(case_id, state=state, error=error, seconds=seconds)

    def change(self, case_id: str, **columns: object) -> None:
        with self.transaction() as connection:
            connection.execute(update(cases).where(cases.c.id == case_id).values(seen=self.clock(), **columns))

    def still_alive(self, case_ids: list[str]) -> None:
        """Note that the server still works on these cases; without it they count as interrupted."""
        with self.transaction() as connection:
            connection.execute(update(cases).where(cases.c.id.in_(case_ids)).values(seen=self.clock()))

    def load(self, case_id: str, owner: str) -> StoredCase | None:
        """Return the owner's case, or None: that it does not exist and that it is another's look the same."""
        row = self.row(case_id, owner, *cases.c)
        if row is None:
            return None
        result = json.loads(row.result) if row.result else None
        return StoredCase(**self.progress(row), request=json.loads(row.request), result=result)

    def status(self, case_id: str, owner: str) -> Status | None:
        """Return how far the owner's case came, without reading what may be long; None as in `load`."""
        row = self.row(case_id, owner, *SUMMARY, cases.c.started, cases.c.progress)
        return Status(**self.progress(row)) if row else None

    def row(self, case_id: str, owner: str, *columns: Column[Any]) -> Row[Any] | None:
        wanted = select(*columns).where(cases.c.id == case_id, cases.c.owner == owner)
        with self.transaction() as connection:
            return connection.execute(wanted).one_or_none()

    def search(self, owner: str, text: str = "", *, label: str = "", limit: int = 50, offset: int = 0) -> Listing:
        """Return the owner's cases whose claim, speaker, source or place contains `text`, whatever its case.

        `label` is one of the four verdicts or CANNOT_TELL; with it only cases that came to it are returned.
        """
        matching = [cases.c.owner == owner]
        if text.strip():
            matching.append(cases.c.folded.contains(text.strip().casefold(), autoescape=True))
        if label:
            doubt = label == CANNOT_TELL
            matching += [cases.c.state == State.DONE, cases.c.cannot_tell.is_(doubt)]
            matching += [] if doubt else [cases.c.label == label]
        newest_first = select(*SUMMARY).where(and_(*matching)).order_by(cases.c.created.desc(), cases.c.id)
        with self.transaction() as connection:
            rows = connection.execute(newest_first.limit(limit).offset(offset)).all()
            total = connection.scalar(select(func.count()).select_from(cases).where(and_(*matching)))
        return Listing(tuple(Entry(**self.summary(row)) for row in rows), total or 0)

    def delete(self, case_id: str, owner: str) -> bool:
        """Delete the owner's case; return whether there was one."""
        with self.transaction() as connection:
            gone = connection.execute(delete(cases).where(cases.c.id == case_id, cases.c.owner == owner))
        return gone.rowcount > 0

    def save_draft(self, owner: str, form: str, content: Json) -> None:
        """Keep what the owner has typed into a form, in place of what was kept before."""
        with self.transaction() as connection:
            row = {"owner": owner, "form": form, "content": json.dumps(content), "saved": self.clock()}
            upsert(connection, drafts, row)

    def draft(self, owner: str, form: str) -> Json:
        """Return what the owner last typed into a form; empty if nothing is kept."""
        wanted = select(drafts.c.content).where(drafts.c.owner == owner, drafts.c.form == form)
        with self.transaction() as connection:
            content = connection.scalar(wanted)
        return dict(json.loads(content)) if content else {}

    def progress(self, row: Row[Any]) -> Json:
        progress = json.loads(row.progress) if row.progress else None
        return {**self.summary(row), "started": row.started, "progress": progress}

    def summary(self, row: Row[Any]) -> Json:
        state = State(row.state)
        silent = state.live and self.clock() - row.seen > STALE_SECONDS
        names = ("id", "created", "claim", "label", "cannot_tell", "error", "recipe", "model", "seconds")
        return {name: getattr(row, name) for name in names} | {"state": State.INTERRUPTED if silent else state}
