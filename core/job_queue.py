"""The one background queue: lanes of so many workers each, whose jobs a ledger keeps and other servers share."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from core.errors import BadInput, Cancelled, StoreError, VerideskError, unforeseen
from core.interfaces import Stop
from core.jobs import Job, Json, Ledger, Order, Result, State, Status

log = logging.getLogger(__name__)

POLL_SECONDS = 1.0
"""How soon a job is seen that another server stored, or left behind."""
BEAT_SECONDS = 4.0
DETAIL_SECONDS = 0.5
"""Minor progress is stored no more often than this."""
KEEP_SECONDS = 3600.0
"""How long what a job came to waits for a database that is away; until then the job counts as at work."""


class Report:
    """Stores how far a job is. What is `minor` is left out where something was stored a moment ago."""

    def __init__(self, ledger: Ledger, job_id: str, server: str) -> None:
        self.ledger, self.job_id, self.server = ledger, job_id, server
        self.written = 0.0

    def __call__(self, progress: Json, *, minor: bool = False) -> None:
        now = time.monotonic()
        if minor and now - self.written < DETAIL_SECONDS:
            return
        self.written = now
        try:
            self.ledger.advance(self.job_id, self.server, progress)
        except StoreError as error:
            # The work goes on: only its result must be kept, and that is tried again at the end.
            log.warning("The progress of job %s could not be stored: %s", self.job_id, error)


Run = Callable[[Job, Report, Stop], Result]
"""Does one job. Raises VerideskError with a sentence for the user, Cancelled if it was stopped."""


def one_at_a_time(slot: str) -> int:
    """The number of workers where a machine does one thing after the other."""
    return 1


@dataclass(frozen=True)
class Lane:
    """One kind of job: who does it, and how many of one slot at once in this process.

    `one` and `many` name its jobs in sentences. At most `longest` wait, of one owner `own_longest`. A job may begin
    `tries` times: more than once only where another server can simply begin it anew. A `local` job is done where it
    was asked for, since its files are there.
    """

    name: str
    run: Run
    one: str
    many: str
    workers: Callable[[str], int] = one_at_a_time
    longest: int = 40
    own_longest: int = 8
    tries: int = 1
    local: bool = False


@dataclass(frozen=True)
class Running:
    """A job at work in this process."""

    lane: str
    slot: str
    thread: threading.Thread
    stopped: threading.Event


class JobQueue:
    """Takes jobs from the ledger as its lanes have room, oldest first, and does each in a thread of its own.

    `place` names the machine and home that local jobs belong to.
    """

    def __init__(self, ledger: Ledger, *, place: str = "") -> None:
        self.ledger, self.place = ledger, place
        self.server = secrets.token_urlsafe(12)
        self.lanes: dict[str, Lane] = {}
        self.running: dict[str, Running] = {}
        self.news, self.closed = threading.Event(), threading.Event()
        self.beaten = -BEAT_SECONDS
        self.dispatcher = threading.Thread(target=self._dispatch, name="veridesk-queue", daemon=True)
        self.dispatcher.start()

    def open_lane(self, lane: Lane) -> None:
        """Begin to take jobs of this kind."""
        self.lanes = {**self.lanes, lane.name: lane}
        self.news.set()

    def submit(self, lane: str, order: Order) -> str:
        """Store a job and return its id, which cannot be guessed.

        Raises BadInput if too many wait, StoreError if it cannot be stored.
        """
        kind = self.lanes[lane]
        self._check_room(kind, order.owner)
        job_id = self.ledger.add(lane, order, place=self.place if kind.local else "", tries=kind.tries)
        self.news.set()
        return job_id

    def resume(self, job: Status, *, request: Json | None = None) -> None:
        """Put a job that has ended into the queue once more, under its id; `request` replaces what was asked for.

        Raises BadInput if too many wait.
        """
        kind = self.lanes[job.lane]
        self._check_room(kind, job.owner)
        self.ledger.resume(job.id, job.owner, tries=kind.tries, request=request)
        self.news.set()

    def cancel(self, job_id: str, owner: str) -> State | None:
        """Stop the owner's job, at once if it waits, else at its next look; return in which state it was, if any."""
        state = self.ledger.cancel(job_id, owner)
        running = self.running.get(job_id)
        if state is State.RUNNING and running:
            running.stopped.set()
        return state

    def close(self) -> None:
        """Stop the work and the threads. What ran is interrupted; what waits does so until a server comes."""
        self.closed.set()
        self.news.set()
        self.dispatcher.join()
        for running in list(self.running.values()):
            running.stopped.set()
            running.thread.join()

    def _check_room(self, lane: Lane, owner: str) -> None:
        waiting = self.ledger.waiting(lane.name)
        if waiting >= lane.longest:
            raise BadInput(f"{waiting} {lane.many} are waiting already: try again in a few minutes.")
        if self.ledger.waiting(lane.name, owner) >= lane.own_longest:
            raise BadInput(f"{lane.own_longest} of your {lane.many} are waiting already: let one of them finish first.")

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
        """Say that this server is alive, before it takes anything; stop what others cancelled or took over."""
        if time.monotonic() - self.beaten < BEAT_SECONDS:
            return
        known = list(self.running.items())
        ours = self.ledger.beat(self.server) if known else {}
        for job_id, running in known:
            if ours.get(job_id, True):
                running.stopped.set()
        self.beaten = time.monotonic()

    def _claim(self) -> Job | None:
        at_work = [(running.lane, running.slot) for running in list(self.running.values())]
        full: dict[str, list[str]] = {lane: [] for lane in self.lanes}
        for lane, slot in set(at_work):
            if at_work.count((lane, slot)) >= self.lanes[lane].workers(slot):
                full[lane].append(slot)
        return self.ledger.claim(full, server=self.server, place=self.place)

    def _begin(self, job: Job) -> None:
        stopped = threading.Event()
        thread = threading.Thread(target=self._run, args=(job, stopped), name=f"veridesk-{job.lane}", daemon=True)
        self.running[job.id] = Running(job.lane, job.slot, thread, stopped)
        thread.start()

    def _run(self, job: Job, stopped: threading.Event) -> None:
        began = time.monotonic()
        try:
            result = self.lanes[job.lane].run(job, Report(self.ledger, job.id, self.server), stopped.is_set)
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
            if now and now.stopped is stopped:  # it was not begun anew by an owner who saw it as interrupted
                del self.running[job.id]
            self.news.set()

    def _end(self, job: Job, state: State, began: float, error: str = "", result: Result | None = None) -> None:
        """Store how a job ended. Where the database is away that is tried again: what was done is not lost."""
        ended = time.monotonic()
        while True:
            tried = time.monotonic()
            try:
                self._keep(job, state, ended - began, error, result or Result({}))
                return
            except StoreError as refused:
                log.warning("Job %s ended (%s), which could not be stored: %s", job.id, error or state, refused)
                if state is State.DONE and ended < self.beaten < tried:  # the database is there, and refuses this
                    state, error, result = State.FAILED, f"The result could not be kept. {refused}", None
            # At last the owner sees the job as interrupted and can begin it again.
            if tried > ended + KEEP_SECONDS or self.closed.wait(POLL_SECONDS):
                return

    def _keep(self, job: Job, state: State, seconds: float, error: str, result: Result) -> None:
        if state is State.CANCELLED and self.closed.is_set():
            self.ledger.release(job.id, self.server)
        elif not self.ledger.end(job.id, self.server, state, seconds, error=error, result=result):
            log.warning("Job %s ended (%s) after another server had taken it over.", job.id, state)
