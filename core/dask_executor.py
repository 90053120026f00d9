"""Process many items on the machines of a Dask cluster (https://distributed.dask.org)."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from core.errors import BadInput, Cancelled, ServerError, VerideskError
from core.executor import Closable, GiveUp, Item, Result
from core.interfaces import Stop, never
from core.optional_packages import DISTRIBUTED

try:
    from distributed import Client, KilledWorker, WorkerPlugin, as_completed, get_worker
except ImportError as error:
    raise VerideskError(f"A Dask cluster needs the package distributed: {DISTRIBUTED.command}") from error

CONNECT_SECONDS = 15
LOOK_SECONDS = 0.05
"""Seconds between looks for answers of the cluster and for a stop."""


class OncePerWorker(WorkerPlugin):  # type: ignore[misc]  # distributed is optional, and Any to mypy
    """Opens something on a worker at its first item; closes it when the worker or the client leaves."""

    def __init__(self, open_once: Callable[[], Closable]) -> None:
        self.open_once = open_once
        self.kept: Closable | None = None
        self.lock: Any = None

    def setup(self, worker: object) -> None:
        self.lock = threading.Lock()

    def opened(self) -> Closable:
        with self.lock:
            if self.kept is None:
                self.kept = self.open_once()
            return self.kept

    def teardown(self, worker: object) -> None:
        if self.kept is not None:
            self.kept.close()


def work_there(name: str, work: Callable[[Any, Any], Any], item: Any) -> Any:
    """Process one item on the current worker."""
    return work(get_worker().plugins[name].opened(), item)


class DaskExecutor:
    """The workers of the scheduler at `address`, such as tcp://host:8786. Any thread may use it.

    It connects at first use, and again after a lost connection.
    """

    def __init__(self, open_once: Callable[[], Closable], address: str) -> None:
        self.open_once, self.address = open_once, address
        self.name = f"veridesk-{secrets.token_hex(8)}"
        self.client: Any = None
        self.lock = threading.Lock()

    def workers(self) -> dict[str, int]:
        """Return the present workers by address, with their threads. Raises BadInput as `map`."""
        return dict(self._connected().nthreads())

    def map(
        self,
        work: Callable[[Any, Item], Result],
        items: Sequence[Item],
        *,
        give_up: GiveUp[Item, Result],
        stop: Stop = never,
    ) -> Iterator[Result]:
        """Yield the results as `Executor.map`; a worker finishes its present item even after `stop`.

        Dask gives the items of a lost worker to another. After several lost workers an item fails
        (`distributed.scheduler.allowed-failures`). Raises BadInput if no scheduler answers, ServerError if it
        disappears, and the VerideskError of a worker.
        """
        if not items:
            return
        client = self._connected()
        futures = {client.submit(work_there, self.name, work, item, pure=False): item for item in items}
        done = as_completed(list(futures), loop=client.loop)
        try:
            while not done.is_empty():
                for future in done.next_batch(block=False):
                    yield self._result(future, futures.pop(future), give_up)
                    future.release()
                if stop():
                    raise Cancelled("Stopped.")
                time.sleep(LOOK_SECONDS)
        finally:
            for future in futures:
                future.release()

    def close(self) -> None:
        """Leave the cluster; its workers close their models."""
        if self.client is not None:
            with suppress(OSError, TimeoutError):  # the scheduler is gone, and its workers with it
                self.client.unregister_worker_plugin(self.name)
            self.client.close()

    def _connected(self) -> Any:
        with self.lock:
            if self.client is None or self.client.status != "running":
                self.client = self._connect()
                self.client.register_plugin(OncePerWorker(self.open_once), name=self.name)
            return self.client

    def _connect(self) -> Client:
        try:
            return Client(self.address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise BadInput(
                f"No Dask scheduler answers at {self.address} ({error}): start one with `dask scheduler`, "
                "which prints its address."
            ) from error

    def _result(self, future: Any, item: Item, give_up: GiveUp[Item, Result]) -> Result:
        if future.status == "finished":
            result: Result = future.result()
            return result
        if future.status != "error":
            raise ServerError(
                f"The scheduler at {self.address} went away: the same command goes on where this one stopped."
            )
        error = future.exception()
        if isinstance(error, KilledWorker):
            return give_up(item, "Every worker that was given this claim was lost; a worker's log may say why.")
        if isinstance(error, VerideskError):
            raise error
        said = f"A worker of {self.address} failed ({type(error).__name__}: {error}); its log says more."
        raise ServerError(said) from error
