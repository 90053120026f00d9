"""A queue of verifications with one worker: a model answers one question at a time, so cases wait their turn."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from core.errors import BadInput, Cancelled, StoreError, VerideskError
from core.interfaces import Stop
from core.storage.store import State, Store
from core.verification.receipt import Json, request_to_json
from core.verification.runner import OnProgress, Progress, Request

log = logging.getLogger(__name__)

BEAT_SECONDS = 4.0
DETAIL_SECONDS = 0.5
"""Details of a long stage are stored no more often than this."""


@dataclass(frozen=True)
class Result:
    """What a verification came to: everything to keep, and what the history lists."""

    receipt: Json
    label: str
    cannot_tell: bool


Work = Callable[[Request, OnProgress, Stop], Result]
"""Does one verification. Raises VerideskError with a sentence for the user, Cancelled if it was stopped."""


@dataclass(frozen=True)
class Job:
    """A case that waits or runs."""

    id: str
    owner: str
    request: Request
    stopped: threading.Event = field(default_factory=threading.Event)


class Jobs:
    """Runs cases one after the other in a thread of its own and keeps the store up to date.

    At most `longest` cases wait, of one owner `own_longest`. `prepare` runs once before the first case, such
    as loading the models; if it fails, the cases say why.
    """

    def __init__(
        self,
        store: Store,
        work: Work,
        *,
        prepare: Callable[[], None] | None = None,
        longest: int = 40,
        own_longest: int = 8,
    ) -> None:
        self.store, self.work, self.prepare = store, work, prepare
        self.longest, self.own_longest = longest, own_longest
        self.waiting: deque[Job] = deque()
        self.running: Job | None = None
        self.changed = threading.Condition()
        self.closed = threading.Event()
        self.threads = [
            threading.Thread(target=target, name=f"veridesk-{target.__name__}", daemon=True)
            for target in (self.run_all, self.beat)
        ]
        for thread in self.threads:
            thread.start()

    def submit(self, owner: str, request: Request) -> str:
        """Store a case, put it in the queue and return its id.

        Raises BadInput if too many cases wait, StoreError if the case cannot be stored.
        """
        with self.changed:
            self.check_room(owner)
            claim = request.claim
            case_id = self.store.create(
                owner,
                request_to_json(request),
                claim=claim.text,
                recipe=request.recipe,
                model=request.model,
                about=f"{claim.speaker}\n{claim.source}\n{claim.place}",
            )
            self.waiting.append(Job(case_id, owner, request))
            self.changed.notify_all()
        return case_id

    def check_room(self, owner: str) -> None:
        if len(self.waiting) >= self.longest:
            raise BadInput(f"{len(self.waiting)} claims are waiting already: try again in a few minutes.")
        if sum(job.owner == owner for job in self.waiting) >= self.own_longest:
            raise BadInput(f"{self.own_longest} of your claims are waiting already: let one of them finish first.")

    def ahead(self, case_id: str) -> int:
        """Return how many cases come before a waiting one; 0 if it runs or is not in the queue."""
        with self.changed:
            position = next((place for place, job in enumerate(self.waiting) if job.id == case_id), None)
            return 0 if position is None else position + (self.running is not None)

    def uses(self, model: str) -> bool:
        """Whether a case that runs or waits works with this model, named as in its request."""
        with self.changed:
            return any(job.request.model == model for job in (self.running, *self.waiting) if job)

    def cancel(self, case_id: str, owner: str) -> bool:
        """Stop the owner's case, at once if it waits, else at the next token; return whether there was one."""
        with self.changed:
            job = next((job for job in self.waiting if (job.id, job.owner) == (case_id, owner)), None)
            if job:
                self.waiting.remove(job)
            elif self.running and (self.running.id, self.running.owner) == (case_id, owner):
                self.running.stopped.set()
                return True
        if job is None:
            return False
        self.store.end(case_id, State.CANCELLED, "You cancelled this before it began.", seconds=None)
        return True

    def close(self) -> None:
        """Stop the running case and the threads. Cases that wait stay in the store, as interrupted."""
        self.closed.set()
        with self.changed:
            if self.running:
                self.running.stopped.set()
            self.changed.notify_all()
        for thread in self.threads:
            thread.join()

    def run_all(self) -> None:
        if self.prepare:
            try:
                self.prepare()
            except Exception:
                # The case that needs what failed here meets the same error and tells its owner.
                log.exception("Preparing the models failed.")
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.waiting or self.closed.is_set())
                if self.closed.is_set():
                    return
                self.running = self.waiting.popleft()
            self.run(self.running)
            with self.changed:
                self.running = None

    def run(self, job: Job) -> None:
        began = time.monotonic()
        try:
            self.store.start(job.id)
            result = self.work(job.request, Journal(self.store, job.id), job.stopped.is_set)
        except Cancelled:
            self.end(job, State.CANCELLED, "You cancelled this.", began)
        except VerideskError as error:
            self.end(job, State.FAILED, str(error), began)
        except Exception:
            log.exception("Case %s failed.", job.id)
            self.end(job, State.FAILED, unforeseen(job.id), began)
        else:
            self.finish(job, result, began)

    def finish(self, job: Job, result: Result, began: float) -> None:
        seconds = time.monotonic() - began
        try:
            self.store.finish(
                job.id, result.receipt, label=result.label, cannot_tell=result.cannot_tell, seconds=seconds
            )
        except StoreError as error:
            self.end(job, State.FAILED, f"The result could not be kept. {error}", began)

    def end(self, job: Job, state: State, sentence: str, began: float) -> None:
        try:
            self.store.end(job.id, state, sentence, seconds=time.monotonic() - began)
        except StoreError as error:
            # Nothing can be written, so the owner sees the case as interrupted and can run it again.
            log.error("Case %s ended (%s), which could not be stored: %s", job.id, sentence, error)

    def beat(self) -> None:
        while not self.closed.wait(BEAT_SECONDS):
            with self.changed:
                alive = [job.id for job in (self.running, *self.waiting) if job]
            try:
                if alive:
                    self.store.still_alive(alive)
            except StoreError as error:
                log.warning("The store could not be told that %d cases are alive: %s", len(alive), error)


def unforeseen(case_id: str) -> str:
    return (
        f"Something failed that Veridesk did not foresee. Try again; if it stays so, tell whoever runs the app "
        f"to look for {case_id} in the server's log."
    )


class Journal:
    """Writes the progress of one case into the store, in the words that the page shows."""

    def __init__(self, store: Store, case_id: str) -> None:
        self.store, self.case_id = store, case_id
        self.done: list[Json] = []
        self.written = 0.0

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if progress.found:
            self.done.append({"stage": progress.stage, "found": progress.found, "seconds": progress.seconds})
        elif progress.detail and now - self.written < DETAIL_SECONDS:
            return
        self.written = now
        stages = {"done": self.done, "stage": progress.stage, "detail": progress.detail}
        try:
            self.store.advance(self.case_id, {**stages, "position": progress.position, "stages": progress.stages})
        except StoreError as error:
            # The work goes on: only its result must be kept, and that is tried again at the end.
            log.warning("The progress of case %s could not be stored: %s", self.case_id, error)
