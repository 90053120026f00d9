"""Scoring runs that outlive a page: one at a time, with progress and cancel, kept in memory for their owner.

What a judge said is kept on disk (`core.llm.caching`), so a run that was stopped goes on where it was.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections import OrderedDict, deque
from dataclasses import dataclass, field

from core.errors import BadInput, Cancelled, VerideskError
from core.scoring.jobs import Job, Result, Scored
from core.scoring.report import SystemReport
from core.scoring.watch import Watch

log = logging.getLogger(__name__)

MAX_KEPT = 12
"""How many runs are remembered, the oldest finished ones forgotten first."""


@dataclass
class Run:
    """One scoring run. `state` is waiting, running, done, failed or cancelled; `message` says why it failed.

    `doing` is the system or metric at work, `done` and `total` count its claims. `result` is there when it is done.
    """

    id: str
    owner: str
    job: Job
    state: str = "waiting"
    doing: str = ""
    done: int = 0
    total: int = 0
    message: str = ""
    result: Result | None = None
    stopped: threading.Event = field(default_factory=threading.Event)

    @property
    def ended(self) -> bool:
        return self.state in ("done", "failed", "cancelled")

    @property
    def reports(self) -> tuple[SystemReport, ...]:
        """The systems' reports; none if the run has not scored any."""
        return self.result.reports if isinstance(self.result, Scored) else ()

    def begin(self, part: str) -> None:
        """Note which part of the job comes now."""
        self.doing, self.done, self.total = part, 0, 0

    def advance(self, done: int, total: int) -> None:
        """Note how far the part at work came."""
        self.done, self.total = done, total


class Runs:
    """Works through runs in a thread of its own. Every look-up names its owner."""

    def __init__(self) -> None:
        self.known: OrderedDict[str, Run] = OrderedDict()
        self.waiting: deque[Run] = deque()
        self.changed = threading.Condition()
        self.closed = False
        self.thread = threading.Thread(target=self._work, name="veridesk-scoring", daemon=True)
        self.thread.start()

    def start(self, owner: str, job: Job) -> str:
        """Put a run in the queue and return its id. Raises BadInput if the owner has one that has not ended."""
        with self.changed:
            if any(run.owner == owner and not run.ended for run in self.known.values()):
                raise BadInput("One of your scoring runs has not ended: wait for it or cancel it.")
            run = Run(secrets.token_urlsafe(16), owner, job)
            self.known[run.id] = run
            self._forget_old()
            self.waiting.append(run)
            self.changed.notify_all()
        return run.id

    def find(self, run_id: str, owner: str) -> Run | None:
        """Return the owner's run, None if there is none of this id."""
        run = self.known.get(run_id)
        return run if run and run.owner == owner else None

    def of(self, owner: str) -> tuple[Run, ...]:
        """Return the owner's runs that are remembered, the oldest first."""
        with self.changed:
            return tuple(run for run in self.known.values() if run.owner == owner)

    def cancel(self, run_id: str, owner: str) -> None:
        """Stop a run before its next claim or judgement; a run that has ended stays as it is."""
        with self.changed:
            run = self.find(run_id, owner)
            if run and not run.ended:
                run.stopped.set()
                if run in self.waiting:
                    self.waiting.remove(run)
                    run.state = "cancelled"

    def close(self) -> None:
        """Stop the work and the thread."""
        with self.changed:
            self.closed = True
            for run in self.known.values():
                run.stopped.set()
            self.changed.notify_all()
        self.thread.join()

    def _forget_old(self) -> None:
        ended = [run.id for run in self.known.values() if run.ended]
        for run_id in ended[: max(0, len(self.known) - MAX_KEPT)]:
            del self.known[run_id]

    def _work(self) -> None:
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.waiting or self.closed)
                if self.closed:
                    return
                run = self.waiting.popleft()
                run.state = "running"
            self._do(run)

    def _do(self, run: Run) -> None:
        try:
            run.result = run.job.work(run.begin, Watch(run.advance, run.stopped.is_set))
            run.state = "done"
        except Cancelled:
            run.state = "cancelled"
        except VerideskError as error:
            run.message, run.state = str(error), "failed"
        except Exception:
            log.exception("Scoring run %s failed.", run.id)
            run.message = f"Something failed that Veridesk did not foresee: the server's log has it under {run.id}."
            run.state = "failed"
        finally:
            run.job.opening.close()
