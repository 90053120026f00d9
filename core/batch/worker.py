"""A worker's place: its own language model and encoder, its own cache of stores, and what it knows of its speed."""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.batch.memory import peak_bytes
from core.batch.stores import StoreCache
from core.batch.time_limit import Speeds, TimeBudget
from core.batch.types import Done, Plan, cost_of, prediction_of
from core.errors import Cancelled, VerideskError
from core.interfaces import Stop, never
from core.types import Claim, Failure, Outcome
from core.verification.runner import Progress, Request, Workbench, investigate

log = logging.getLogger(__name__)

FINDING = "Find the store"


@dataclass
class Worker:
    """Works on one claim after the other by a plan. `close` lets the language model go."""

    plan: Plan
    bench: Workbench
    stores: StoreCache = field(default_factory=StoreCache)
    speeds: Speeds = field(default_factory=Speeds)

    def work(self, claim: Claim, *, stop: Stop = never) -> Done:
        """Return what one claim came to; bad input fails this claim and no other. Raises Cancelled by `stop` alone."""
        started = time.perf_counter()
        pace = TimeBudget(self.plan.within, self.speeds, stop)
        outcome = self._outcome(claim, pace)
        return done_with(claim, outcome, time.perf_counter() - started, left_out=pace.left_out)

    def _outcome(self, claim: Claim, pace: TimeBudget) -> Outcome:
        stage = FINDING

        def follow(progress: Progress) -> None:
            nonlocal stage
            stage = progress.stage

        try:
            request = self.request_for(claim)
            return investigate(request, self.bench, on_progress=follow, stop=pace.stop, take=pace.take)
        except Cancelled:
            if pace.stopped():
                raise
            return Failure(claim.id, stage, pace.too_late())
        except Exception as error:
            return failure_of(claim, stage, error)

    def request_for(self, claim: Claim) -> Request:
        """Return the request for a claim, with the documents of its stores. Raises BadInput if they cannot be read."""
        request = self.plan.request_for(claim)
        documents = tuple(document for path in request.stores for document in self.stores.documents(path))
        return replace(request, stores=(), documents=documents)

    def close(self) -> None:
        close = getattr(self.bench.llm, "close", None)
        if close:
            close()


def failure_of(claim: Claim, stage: str, error: Exception) -> Failure:
    """Return what is said of a claim that could not be done; a fault of ours goes to the log as well, in full."""
    if isinstance(error, VerideskError):
        return Failure(claim.id, stage, str(error))
    log.error("claim %s", claim.id, exc_info=error)
    return Failure(claim.id, stage, f"An unforeseen error ({type(error).__name__}: {error}); the log has more.")


def done_with(claim: Claim, outcome: Outcome, seconds: float, *, left_out: Sequence[str] = ()) -> Done:
    """Return what the journal says of a claim that came to its end in this process, after so many seconds of work."""
    done = Done(
        claim.id,
        None,
        seconds=round(seconds, 3),
        left_out=tuple(left_out),
        worker=f"{socket.gethostname()}:{os.getpid()}",
        peak_bytes=peak_bytes(),
        ended=round(time.time(), 3),
    )
    if isinstance(outcome, Failure):
        return replace(done, error=f"{outcome.step}: {outcome.error}")
    return replace(done, prediction=prediction_of(outcome), cost=cost_of(outcome.completions))


def open_worker(plan: Plan) -> Worker:
    """Load the models that a plan names. Raises ModelError if they cannot be loaded."""
    from core.verification.workbench import (
        open_workbench,  # torch and llama.cpp, which a parent of workers does not need
    )

    return Worker(plan, open_workbench(plan.request.model, training=plan.request.training))
