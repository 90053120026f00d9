"""Process many items with workers that open their models once: the interface, and processes on this machine.

`core.dask_executor` does the same with the machines of a Dask cluster.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, Protocol, TypeVar

from core.errors import NO_MEMORY, BadInput, Cancelled, ModelError, VerideskError, lacks_memory, unforeseen
from core.interfaces import Stop, never
from core.logs import VARIABLE, logged
from core.wording import ending_words
from core.workers import end_process, exit_code, start_piped

ATTEMPTS = 2
"""Number of workers that may die on an item before it fails."""

LOOK_SECONDS = 0.1
"""Seconds between checks of `stop` in a local map."""

SHUTDOWN_TIMEOUT = 5.0


class Closable(Protocol):
    def close(self) -> None: ...


Item = TypeVar("Item")
Result = TypeVar("Result")
GiveUp = Callable[[Item, str], Result]
"""Return the result of an item on which several workers died; the sentence gives the reason."""


class Executor(Protocol):
    """Workers that open something once, such as models, and then process items in turn."""

    def map(
        self,
        work: Callable[[Any, Item], Result],
        items: Sequence[Item],
        *,
        give_up: GiveUp[Item, Result],
        stop: Stop = never,
    ) -> Iterator[Result]:
        """Yield `work(opened, item)` of each finished item, in any order. Without items, nothing is opened.

        Raises Cancelled by `stop`, the VerideskError of a worker, ModelError or ServerError if the workers are lost.
        """
        ...

    def close(self) -> None:
        """Release the workers."""
        ...


@dataclass(frozen=True)
class LocalExecutor:
    """Processes on this machine that start and end with each map. `environment` is added to their environment."""

    open_once: Callable[[], Closable]
    workers: int = 1
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)

    def map(
        self,
        work: Callable[[Any, Item], Result],
        items: Sequence[Item],
        *,
        give_up: GiveUp[Item, Result],
        stop: Stop = never,
    ) -> Iterator[Result]:
        """Yield the results as `Executor.map`. If a worker dies, a new worker gets its item."""
        if not items:
            return
        pool = WorkerPool(self, work, give_up, min(self.workers, len(items)))
        try:
            yield from pool.run(items, stop)
        finally:
            for process in pool.processes:
                process.end()

    def close(self) -> None:
        """Do nothing, because the processes ended with their map."""


@dataclass
class WorkerProcess(Generic[Item]):
    """One worker process. `item` is its present one, None while it loads its models or waits."""

    process: subprocess.Popen[bytes]
    connection: Connection
    ready: bool = False
    item: Item | None = None

    def give(self, item: Item) -> None:
        self.item = item
        with suppress(OSError):  # it has just died, as `wait` will report
            self.connection.send(item)

    def end(self) -> None:
        """End the process: wait for an idle worker, kill a busy one. Leaves no zombie."""
        self.connection.close()
        end_process(self.process, patience=SHUTDOWN_TIMEOUT if self.item is None else 0.0)

    def exit_reason(self) -> str:
        return ending_words(exit_code(self.process))


class WorkerPool(Generic[Item, Result]):
    """The processes at work on one map."""

    def __init__(
        self, executor: LocalExecutor, work: Callable[[Any, Item], Result], give_up: GiveUp[Item, Result], workers: int
    ) -> None:
        self.executor, self.work, self.give_up = executor, work, give_up
        self.shares = shares_of_cores(workers)
        self.processes: list[WorkerProcess[Item]] = []
        self.waiting: deque[Item] = deque()
        self.deaths: list[Item] = []

    def run(self, items: Sequence[Item], stop: Stop) -> Iterator[Result]:
        for cores in self.shares:
            self.processes.append(self._spawn(cores))
        self.waiting.extend(items)
        left = len(items)
        while left:
            if stop():
                raise Cancelled("Stopped.")
            by_connection = {process.connection: process for process in self.processes}
            for connection in wait(list(by_connection), LOOK_SECONDS):
                for result in self._heard(by_connection[connection]):  # type: ignore[index]
                    left -= 1
                    yield result

    def _heard(self, process: WorkerProcess[Item]) -> Iterator[Result]:
        """Take a worker's message, give it the next item, and yield the result of its last one, if any."""
        try:
            results = process.connection.recv()
        except (EOFError, OSError):
            results = self._replace(process)
        else:
            if isinstance(results, VerideskError):
                raise results
            process.ready, process.item = True, None
            if self.waiting:
                process.give(self.waiting.popleft())
        yield from results

    def _replace(self, process: WorkerProcess[Item]) -> tuple[Result, ...]:
        """Replace a dead worker. Return the result of its item if the item has failed."""
        how = process.exit_reason()
        if not process.ready:
            raise ModelError(
                f"A worker ended while it loaded its models ({how}). Is there memory for {len(self.processes)} of "
                "them? Try fewer workers or a smaller model."
            )
        place, item = self.processes.index(process), process.item
        process.end()
        self.processes[place] = self._spawn(self.shares[place])
        if item is None:
            return ()
        self.deaths.append(item)
        if self.deaths.count(item) < ATTEMPTS:
            self.waiting.appendleft(item)
            return ()
        said = f"The worker process ended {ATTEMPTS} times while it worked on this claim ({how})."
        return (self.give_up(item, said),)

    def _spawn(self, cores: frozenset[int]) -> WorkerProcess[Item]:
        process, ours = start_piped(__name__, environment=self.executor.environment)
        with suppress(OSError):  # it has just died, as `wait` will report
            ours.send((self.executor.open_once, self.work, cores))
        return WorkerProcess(process, ours)


def shares_of_cores(workers: int) -> list[frozenset[int]]:
    """Return the cores of each worker: an equal part, or one if workers outnumber cores.

    Empty if the system does not list its cores. A model's text does not depend on its cores. Raises BadInput for 0
    workers.
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
    """Run as a worker behind a pipe: open the models, then process items until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and ends its workers
    open_once, work, cores = connection.recv()
    if cores:
        os.sched_setaffinity(0, cores)  # llama.cpp and the encoder count the cores that they may use
    with logged() if VARIABLE in os.environ else nullcontext(), suppress(EOFError, OSError):  # the parent is gone
        opened = _attempt(open_once)
        if isinstance(opened, VerideskError):
            connection.send(opened)
            return
        with closing(opened[0]):
            connection.send(())
            while True:
                connection.send(_attempt(work, opened[0], connection.recv()))


def _attempt(act: Callable[..., Any], *given: Any) -> tuple[Any] | VerideskError:
    """Return the result in a tuple, or the error that ends the whole map."""
    try:
        return (act(*given),)
    except VerideskError as error:
        return error
    except Exception as error:
        return ModelError(NO_MEMORY if lacks_memory(error) else unforeseen("A worker process"))
