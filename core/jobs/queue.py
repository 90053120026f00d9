"""Run the background queue: its registered kinds of jobs, and the thread that starts jobs."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.errors import Cancelled, StoreError, VerideskError, unforeseen
from core.jobs.kinds import JobContext, JobKind
from core.jobs.store import JobStore
from core.jobs.types import Job, JobResult, Json, State

log = logging.getLogger(__name__)

POLL_SECONDS = 1.0
"""Seconds between looks for jobs that other servers stored or abandoned."""
BEAT_SECONDS = 4.0
DETAIL_SECONDS = 0.5
"""Minimum seconds between two stored reports of minor progress."""
KEEP_SECONDS = 3600.0
"""Seconds to retry storing a result while the database is unreachable; the job counts as running."""


@dataclass(frozen=True)
class Running:
    """A job at work in this process."""

    kind: str
    slot: str
    thread: threading.Thread
    stopped: threading.Event


class JobQueue:
    """Starts jobs, oldest first, within the limits of their kinds, each in its own thread.

    `place` names the machine and home that local jobs belong to. With the id of an `only` job it starts no other.
    """

    def __init__(self, store: JobStore, *, place: str = "", only: str = "") -> None:
        self.store, self.place, self.only = store, place, only
        self.server = secrets.token_urlsafe(12)
        self.kinds: dict[str, JobKind[Any, Any]] = {}
        self.running: dict[str, Running] = {}
        self.news, self.closed = threading.Event(), threading.Event()
        self.beaten = -BEAT_SECONDS
        self.dispatcher = threading.Thread(target=self._dispatch, name="veridesk-queue", daemon=True)
        self.dispatcher.start()

    def register(self, kind: JobKind[Any, Any]) -> None:
        """Start taking jobs of this kind."""
        self.kinds = {**self.kinds, kind.name: kind}
        self.news.set()

    def cancel(self, job_id: str, owner: str) -> State | None:
        """Stop the owner's job, at once if it waits, else soon; return its previous state, or None."""
        state = self.store.cancel(job_id, owner)
        running = self.running.get(job_id)
        if state is State.RUNNING and running:
            running.stopped.set()
        return state

    def close(self) -> None:
        """Stop all jobs and threads. Running jobs are interrupted; waiting jobs wait for the next server."""
        self.closed.set()
        self.news.set()
        self.dispatcher.join()
        for running in list(self.running.values()):
            running.stopped.set()
            running.thread.join()

    def _dispatch(self) -> None:
        while not self.closed.is_set():
            self.news.clear()
            try:
                self._beat()
                while not self.closed.is_set() and (job := self._claim()):
                    self._begin(job)
            except StoreError as error:
                log.warning("The queue could not be read or written: %s", error)
            self.news.wait(POLL_SECONDS)

    def _beat(self) -> None:
        """Report that this server is alive before taking jobs; stop jobs that others cancelled or took over."""
        if time.monotonic() - self.beaten < BEAT_SECONDS:
            return
        known = list(self.running.items())
        ours = self.store.beat(self.server) if known else {}
        for job_id, running in known:
            if ours.get(job_id, True):
                running.stopped.set()
        self.beaten = time.monotonic()

    def _claim(self) -> Job | None:
        at_work = [(running.kind, running.slot) for running in list(self.running.values())]
        full: dict[str, list[str]] = {kind: [] for kind in self.kinds}
        for kind, slot in set(at_work):
            if at_work.count((kind, slot)) >= self.kinds[kind].limits.running(slot):
                full[kind].append(slot)
        return self.store.claim(full, server=self.server, place=self.place, only=self.only)

    def _begin(self, job: Job) -> None:
        stopped = threading.Event()
        thread = threading.Thread(target=self._run, args=(job, stopped), name=f"veridesk-{job.kind}", daemon=True)
        self.running[job.id] = Running(job.kind, job.slot, thread, stopped)
        thread.start()

    def _run(self, job: Job, stopped: threading.Event) -> None:
        began = time.monotonic()
        kind = self.kinds[job.kind]
        context = JobContext(job, kind.folder(job.id), self._report(job.id), stopped.is_set, self.closed.is_set)
        try:
            result = kind.handler(kind.request_of(job), context)
        except Cancelled:
            self._end(job, State.CANCELLED, began, "You cancelled this.")
        except VerideskError as error:
            self._end(job, State.FAILED, began, str(error))
        except Exception:
            self._end(job, State.FAILED, began, unforeseen(f"“{job.title}”" if job.title else "This"))
        else:
            self._end(job, State.DONE, began, result=result)
        finally:
            now = self.running.get(job.id)
            if now and now.stopped is stopped:  # no owner has restarted it after seeing it interrupted
                del self.running[job.id]
            self.news.set()

    def _report(self, job_id: str) -> Callable[..., None]:
        written = 0.0

        def report(progress: Json, *, minor: bool = False) -> None:
            nonlocal written
            now = time.monotonic()
            if minor and now - written < DETAIL_SECONDS:
                return
            written = now
            try:
                self.store.advance(job_id, self.server, progress)
            except StoreError as error:
                # The job continues: only its result must be stored, with retries at the end.
                log.warning("The progress of job %s could not be stored: %s", job_id, error)

        return report

    def _end(self, job: Job, state: State, began: float, error: str = "", result: JobResult | None = None) -> None:
        """Store the end of a job; retry while the database is unreachable, so that no result is lost."""
        ended = time.monotonic()
        while True:
            tried = time.monotonic()
            try:
                self._keep(job, state, ended - began, error, result or JobResult({}))
                return
            except StoreError as refused:
                log.warning("Job %s ended (%s), which could not be stored: %s", job.id, error or state, refused)
                if state is State.DONE and ended < self.beaten < tried:  # the database is reachable but refuses this
                    state, error, result = State.FAILED, f"The result could not be kept. {refused}", None
            # Finally the owner sees the job as interrupted and can restart it.
            if tried > ended + KEEP_SECONDS or self.closed.wait(POLL_SECONDS):
                return

    def _keep(self, job: Job, state: State, seconds: float, error: str, result: JobResult) -> None:
        if state is State.CANCELLED and self.closed.is_set():
            self.store.release(job.id, self.server)
        elif not self.store.end(job.id, self.server, state, seconds, error=error, result=result):
            log.warning("Job %s ended (%s) after another server had taken it over.", job.id, state)
