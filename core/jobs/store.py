"""Store jobs of every kind in the database. Every look-up takes the owner's id."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, false, func, or_, select, update

from core.jobs.types import STALE_SECONDS, Job, JobResult, Json, Listed, State, Status
from core.storage.ids import new_id
from core.storage.store import Store
from core.storage.tables import job_requests, jobs, reviews, shares
from core.wording import searchable

FOLDER = "folder"
"""Key of the fact that holds a job's folder."""
SUMMARY = [column for column in jobs.c if column.name != "result"]


@dataclass(frozen=True)
class JobListing:
    """One page of a list of jobs, newest first, and the total number of matches."""

    entries: tuple[Status, ...]
    total: int


class JobStore:
    """The jobs of all kinds and owners, in one table. Every method raises StoreError as `Store` does.

    A server can change a running job only while it owns the job.
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    def add(
        self,
        kind: str,
        owner: str,
        listed: Listed,
        request: Json,
        *,
        place: str = "",
        tries: int,
        job_id: str = "",
        connection: Connection | None = None,
    ) -> str:
        """Store a waiting job and return its unguessable id; `job_id` is from `new_id`.

        With the `connection` of a caller's transaction, the job is kept exactly if that transaction is.
        """
        row = self._row(kind, owner, listed) | {"place": place, "tries": tries, "state": State.WAITING}
        return self._insert(row, request, job_id, connection)

    def add_done(
        self, kind: str, owner: str, listed: Listed, request: Json, result: JobResult, *, seconds: float
    ) -> str:
        """Store a job done elsewhere, with its result, and return its id."""
        came = {"label": result.label, "share": result.share, "result": json.dumps(result.content)}
        ended = {"place": "", "tries": 0, "state": State.DONE, "seconds": seconds}
        return self._insert(self._row(kind, owner, listed) | ended | came, request)

    def _row(self, kind: str, owner: str, listed: Listed) -> Json:
        now = self.store.clock()
        return {
            "kind": kind,
            "slot": listed.slot,
            "owner": owner,
            "created": now,
            "seen": now,
            "title": listed.title,
            "folded": searchable(f"{listed.title}\n{listed.about}"),
            "facts": json.dumps(listed.facts),
            "uses": listed.uses,
        }

    def _insert(self, row: Json, request: Json, job_id: str = "", connection: Connection | None = None) -> str:
        job_id = job_id or new_id()
        with nullcontext(connection) if connection else self.store.transaction() as begun:
            begun.execute(jobs.insert().values(row | {"id": job_id}))
            begun.execute(job_requests.insert().values({"job": job_id, "request": json.dumps(request)}))
        return job_id

    def waiting(self, kind: str, owner: str = "") -> int:
        """Return the number of waiting jobs of a kind, of one owner or of all."""
        wanted = [jobs.c.kind == kind, self._waits(), *([jobs.c.owner == owner] if owner else [])]
        return self._count(*wanted)

    def claim(self, full: Mapping[str, Collection[str]], *, server: str, place: str, only: str = "") -> Job | None:
        """Take the oldest waiting job of these kinds outside full slots, or the `only` one; None without one.

        One statement finds and marks it, so two servers never take the same job. A server never takes its own running
        job, even if the clock jumps.
        """
        kinds = [and_(jobs.c.kind == kind, jobs.c.slot.not_in(slots)) for kind, slots in full.items()]
        others = or_(jobs.c.state == State.WAITING, jobs.c.server != server)
        due = and_(self._waits(), others, jobs.c.place.in_(("", place)), or_(false(), *kinds))
        if only:
            due = and_(due, jobs.c.id == only)
        oldest = select(jobs.c.id).where(due).order_by(jobs.c.created, jobs.c.id).limit(1)
        now = self.store.clock()
        begun = {"state": State.RUNNING, "server": server, "started": now, "seen": now, "tries": jobs.c.tries - 1}
        with self.store.transaction() as connection:
            if connection.execute(oldest).first() is None:
                return None
        first = oldest.with_for_update(skip_locked=True).scalar_subquery()
        taken = update(jobs).where(jobs.c.id == first, self._waits()).values(begun).returning(*jobs.c)
        with self.store.transaction() as connection:
            row = connection.execute(taken).one_or_none()
            if row is None:
                return None
            request = connection.scalars(select(job_requests.c.request).where(job_requests.c.job == row.id)).one()
        return self._job(row, request)

    def beat(self, server: str) -> dict[str, bool]:
        """Record that a server is alive; return its jobs, each with its stop request."""
        with self.store.transaction() as connection:
            alive = update(jobs).where(*_of(server)).values(seen=self.store.clock())
            return {row.id: row.stop for row in connection.execute(alive.returning(jobs.c.id, jobs.c.stop))}

    def advance(self, job_id: str, server: str, progress: Json) -> None:
        self._change(jobs.c.id == job_id, *_of(server), progress=json.dumps(progress))

    def end(self, job_id: str, server: str, state: State, seconds: float, *, error: str, result: JobResult) -> bool:
        """Store a job's result; return False if the server no longer owns the job."""
        content = json.dumps(result.content) if state is State.DONE else None
        ended = {"state": state, "seconds": seconds, "error": error, "label": result.label, "share": result.share}
        return self._change(jobs.c.id == job_id, *_of(server), **ended, result=content)

    def release(self, job_id: str, server: str) -> None:
        """Release a job to another server, or as interrupted if none may restart it."""
        self._change(jobs.c.id == job_id, *_of(server), seen=0.0)

    def cancel(self, job_id: str, owner: str) -> State | None:
        """Cancel the owner's job if it waits, else ask its server to stop it; return its previous state."""
        mine = (jobs.c.id == job_id, jobs.c.owner == owner)
        said = "You cancelled this before it started."
        if self._change(*mine, self._waits(), state=State.CANCELLED, error=said):
            return State.WAITING
        at_work = (jobs.c.state == State.RUNNING, ~self._silent())
        return State.RUNNING if self._change(*mine, *at_work, stop=True) else None

    def resume(self, job_id: str, owner: str, *, tries: int, request: Json | None) -> bool:
        """Queue an ended or interrupted job again; return whether the job exists."""
        anew = {"state": State.WAITING, "created": self.store.clock(), "tries": tries, "stop": False}
        nothing = {"error": "", "label": "", "progress": None, "result": None, "started": None, "seconds": None}
        mine = (jobs.c.id == job_id, jobs.c.owner == owner)
        ended = or_(jobs.c.state.not_in((State.WAITING, State.RUNNING)), self._silent())
        with self.store.transaction() as connection:
            found = connection.execute(update(jobs).where(*mine, ended).values(anew | nothing)).rowcount > 0
            if found and request is not None:
                asked = update(job_requests).where(job_requests.c.job == job_id)
                connection.execute(asked.values(request=json.dumps(request)))
        return found

    def ahead(self, job: Status) -> int:
        """Return how many jobs of its kind and slot run or wait before a waiting job."""
        if job.state is not State.WAITING:
            return 0
        at_work = and_(jobs.c.state == State.RUNNING, ~self._silent())
        earlier = and_(self._waits(), jobs.c.created < job.created)
        return self._count(jobs.c.kind == job.kind, jobs.c.slot == job.slot, or_(at_work, earlier))

    def using(self, model: str) -> str:
        """Return the kind of an unfinished job that needs a language model; empty without one."""
        live = or_(self._waits(), and_(jobs.c.state == State.RUNNING, ~self._silent()))
        with self.store.transaction() as connection:
            return connection.scalar(select(jobs.c.kind).where(jobs.c.uses == model, live).limit(1)) or ""

    def load(self, job_id: str, owner: str) -> Job | None:
        """Return the owner's job; None for a missing job and for another owner's."""
        asked = job_requests.c.job == jobs.c.id
        mine = (jobs.c.id == job_id, jobs.c.owner == owner)
        wanted = select(jobs, job_requests.c.request).join(job_requests, asked).where(*mine)
        with self.store.transaction() as connection:
            row = connection.execute(wanted).one_or_none()
        return self._job(row, row.request) if row else None

    def result_of(self, job_id: str) -> Json | None:
        """Return any owner's job result, for the command line, where users can read the database anyway."""
        with self.store.transaction() as connection:
            result = connection.scalar(select(jobs.c.result).where(jobs.c.id == job_id))
        return dict(json.loads(result)) if result else None

    def status(self, job_id: str, owner: str) -> Status | None:
        """Return the progress of the owner's job, without its long fields; None as in `load`."""
        wanted = select(*SUMMARY).where(jobs.c.id == job_id, jobs.c.owner == owner)
        with self.store.transaction() as connection:
            row = connection.execute(wanted).one_or_none()
        return Status(**self._summary(row)) if row else None

    def search(
        self,
        owner: str,
        kind: str,
        text: str = "",
        *,
        label: str = "",
        slot: str = "",
        folder: str = "",
        limit: int = 50,
        offset: int = 0,
    ) -> JobListing:
        """Return the owner's jobs with `text` in the title or the subject, in any spelling.

        `label` keeps finished jobs with that result, `slot` those that share its workers, `folder` those in it.
        """
        matching = [jobs.c.owner == owner, jobs.c.kind == kind]
        if text.strip():
            matching.append(jobs.c.folded.contains(searchable(text.strip()), autoescape=True))
        if slot:
            matching.append(jobs.c.slot == slot)
        if label:
            matching += [jobs.c.state == State.DONE, jobs.c.label == label]
        if folder:
            matching.append(jobs.c.facts.contains(json.dumps({FOLDER: folder})[1:-1], autoescape=True))
        newest_first = select(*SUMMARY).where(*matching).order_by(jobs.c.created.desc(), jobs.c.id)
        with self.store.transaction() as connection:
            rows = connection.execute(newest_first.limit(limit).offset(offset)).all()
        return JobListing(tuple(Status(**self._summary(row)) for row in rows), self._count(*matching))

    def folders(self, owner: str, kind: str) -> list[str]:
        """Return the names of the owner's folders in alphabetical order."""
        inside = jobs.c.facts.contains(f'"{FOLDER}": ', autoescape=True)
        wanted = select(jobs.c.facts).where(jobs.c.owner == owner, jobs.c.kind == kind, inside)
        with self.store.transaction() as connection:
            found = {json.loads(row.facts).get(FOLDER, "") for row in connection.execute(wanted)}
        return sorted(found - {""}, key=str.casefold)

    def results_holding(self, words: str) -> list[str]:
        """Return the results, as JSON, that contain these words, of any owner."""
        holding = select(jobs.c.result).where(jobs.c.result.contains(words, autoescape=True))
        with self.store.transaction() as connection:
            return [str(row.result) for row in connection.execute(holding)]

    def rename(self, job_id: str, owner: str, title: str, facts: Json) -> bool:
        """Replace the title and facts of the owner's job; return whether the job exists."""
        return self._change(jobs.c.id == job_id, jobs.c.owner == owner, title=title, facts=json.dumps(facts))

    def delete(self, job_id: str, owner: str) -> bool:
        """Delete the owner's job, its results and the links to it; return whether the job existed."""
        with self.store.transaction() as connection:
            gone = connection.execute(delete(jobs).where(jobs.c.id == job_id, jobs.c.owner == owner)).rowcount > 0
            for table in (job_requests, reviews, shares) if gone else ():
                connection.execute(delete(table).where(table.c.job == job_id))
        return gone

    def _waits(self) -> ColumnElement[bool]:
        """Waiting, or running on a silent server while another may restart it."""
        return or_(jobs.c.state == State.WAITING, and_(self._silent(), jobs.c.tries > 0))

    def _silent(self) -> ColumnElement[bool]:
        away = func.abs(
            jobs.c.seen - self.store.clock()
        )  # after the clock is set back, the last sign lies in the future
        return and_(jobs.c.state == State.RUNNING, away > STALE_SECONDS)

    def _change(self, *where: ColumnElement[bool], **columns: Any) -> bool:
        with self.store.transaction() as connection:
            return connection.execute(update(jobs).where(*where).values(columns)).rowcount > 0

    def _count(self, *where: ColumnElement[bool]) -> int:
        with self.store.transaction() as connection:
            return connection.scalar(select(func.count()).select_from(jobs).where(*where)) or 0

    def _job(self, row: Row[Any], request: str) -> Job:
        result = json.loads(row.result) if row.result else None
        return Job(**self._summary(row), request=json.loads(request), result=result)

    def _summary(self, row: Row[Any]) -> Json:
        names = "id kind slot owner created title uses label share error started seconds stop".split()
        progress = json.loads(row.progress) if row.progress else None
        told = {"facts": json.loads(row.facts), "progress": progress, "state": self._state(row)}
        return {name: getattr(row, name) for name in names} | told

    def _state(self, row: Row[Any]) -> State:
        if row.state == State.RUNNING and abs(row.seen - self.store.clock()) > STALE_SECONDS:
            return State.WAITING if row.tries else State.INTERRUPTED
        return State(row.state)


def _of(server: str) -> tuple[ColumnElement[bool], ...]:
    return jobs.c.server == server, jobs.c.state == State.RUNNING
