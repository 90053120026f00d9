"""Workers on this machine: processes, each with its own models, that are handed claims one by one."""

from __future__ import annotations

import os
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait

from core.batch.types import BatchPlan, Done
from core.batch.worker import Worker, open_worker
from core.errors import BadInput, ModelError, VerideskError
from core.logs import VARIABLE, logged
from core.types import Claim
from core.wording import ending_words
from core.workers import end_process, exit_code, start_piped

ATTEMPTS = 2
"""How often a claim is worked on whose worker dies."""

SHUTDOWN_TIMEOUT = 5.0
READY = "ready"
OpenWorker = Callable[[BatchPlan], Worker]


@dataclass
class WorkerProcess:
    """One worker process. `claim` is what it works on, None while it loads its models or waits."""

    process: subprocess.Popen[bytes]
    connection: Connection
    ready: bool = False
    claim: Claim | None = None

    def give(self, claim: Claim) -> None:
        self.claim = claim
        with suppress(OSError):  # it has just died, which `wait` will tell
            self.connection.send(claim)

    def end(self) -> None:
        """End the process: a worker that waits goes by itself, one at work is killed. Leaves no zombie."""
        self.connection.close()
        end_process(self.process, patience=0.0 if self.claim else SHUTDOWN_TIMEOUT)

    def exit_reason(self) -> str:
        return ending_words(exit_code(self.process))


def run_pool(
    claims: Sequence[Claim], plan: BatchPlan, *, workers: int, open_worker: OpenWorker = open_worker
) -> Iterator[Done]:
    """Work on the claims with `workers` processes and yield each claim when it is done.

    A claim whose worker dies is given to a new one, once; then it is yielded as failed. Raises ModelError if a
    worker cannot load its models.
    """
    pool = WorkerPool(plan, open_worker, min(workers, len(claims)))
    try:
        yield from pool.run(claims)
    finally:
        for process in pool.processes:
            process.end()


class WorkerPool:
    """The processes at work on one batch."""

    def __init__(self, plan: BatchPlan, open_worker: OpenWorker, workers: int) -> None:
        self.plan, self.open_worker = plan, open_worker
        self.shares = shares_of_cores(workers)
        self.processes: list[WorkerProcess] = [self._spawn(cores) for cores in self.shares]
        self.waiting: deque[Claim] = deque()
        self.attempts: dict[str, int] = {}

    def run(self, claims: Sequence[Claim]) -> Iterator[Done]:
        self.waiting.extend(claims)
        left = len(claims)
        while left:
            by_connection = {process.connection: process for process in self.processes}
            for connection in wait(list(by_connection)):
                done = self._heard(by_connection[connection])  # type: ignore[index]
                if done is not None:
                    left -= 1
                    yield done

    def _heard(self, process: WorkerProcess) -> Done | None:
        """Take what a worker says, give it the next claim, and return the one it has done."""
        try:
            said = process.connection.recv()
        except (EOFError, OSError):
            return self._replaced(process)
        if isinstance(said, VerideskError):
            raise said
        process.ready = True
        process.claim = None
        if self.waiting:
            process.give(self.waiting.popleft())
        return said if isinstance(said, Done) else None

    def _replaced(self, process: WorkerProcess) -> Done | None:
        """Put a new worker in the place of one that died; return its claim if that is given up."""
        how = process.exit_reason()
        if not process.ready:
            raise ModelError(
                f"A worker ended while it loaded its models ({how}). Is there memory for {len(self.processes)} of "
                "them? Try fewer workers or a smaller model."
            )
        place = self.processes.index(process)
        process.end()
        self.processes[place] = self._spawn(self.shares[place])
        claim = process.claim
        if claim is None:
            return None
        self.attempts[claim.id] = self.attempts.get(claim.id, 0) + 1
        if self.attempts[claim.id] < ATTEMPTS:
            self.waiting.appendleft(claim)
            return None
        return Done(claim.id, None, f"The worker process ended {ATTEMPTS} times while it worked on this claim ({how}).")

    def _spawn(self, cores: frozenset[int]) -> WorkerProcess:
        process, ours = start_piped(__name__)
        with suppress(OSError):  # it has just died, which `wait` will tell
            ours.send((self.plan, self.open_worker, cores))
        return WorkerProcess(process, ours)


def shares_of_cores(workers: int) -> list[frozenset[int]]:
    """Return the cores of each worker: a part of them each, or one where there are more workers than cores.

    Empty where the system does not say which cores there are. What a model writes does not depend on them.
    """
    if workers < 1:
        raise BadInput(f"A batch needs at least one worker, not {workers}.")
    if not hasattr(os, "sched_getaffinity"):
        return [frozenset()] * workers
    cores = sorted(os.sched_getaffinity(0))
    if workers > len(cores):
        return [frozenset({cores[number % len(cores)]}) for number in range(workers)]
    return [frozenset(cores[number::workers]) for number in range(workers)]


def serve(connection: Connection) -> None:
    """Be a worker behind an open pipe: load the models, then work on what comes until the other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends its workers
    plan, open_worker, cores = connection.recv()
    with logged() if VARIABLE in os.environ else nullcontext():
        _serve(connection, plan, open_worker, cores)


def _serve(connection: Connection, plan: BatchPlan, open_worker: OpenWorker, cores: frozenset[int]) -> None:
    if cores:
        os.sched_setaffinity(0, cores)  # llama.cpp and the encoder count the cores that they may use
    try:
        worker = open_worker(plan)
    except VerideskError as error:
        connection.send(error)
        return
    try:
        connection.send(READY)
        while True:
            connection.send(worker.work(connection.recv()))
    except (EOFError, OSError):  # the parent is gone, and with it whoever wanted the answer
        return
    finally:
        worker.close()
