"""Work on the machines of a Dask cluster (https://distributed.dask.org), by the address of its scheduler."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from core.errors import BadInput, ServerError, VerideskError
from core.optional_packages import DISTRIBUTED

try:
    from distributed import Client, KilledWorker, WorkerPlugin, as_completed, get_worker
except ImportError as error:
    raise VerideskError(f"A Dask cluster needs the package distributed: {DISTRIBUTED.command}") from error

CONNECT_SECONDS = 15


class Closable(Protocol):
    def close(self) -> None: ...


Item = TypeVar("Item")
Result = TypeVar("Result")
Opened = TypeVar("Opened", bound=Closable)


class OncePerWorker(WorkerPlugin):  # type: ignore[misc]  # distributed is optional, and Any to mypy
    """Opens an object once a worker, at its first item, and closes it when the worker or the client leaves."""

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
    """Do one item on the worker that this runs on."""
    return work(get_worker().plugins[name].opened(), item)


def run_on_cluster(
    items: Sequence[Item],
    work: Callable[[Opened, Item], Result],
    open_once: Callable[[], Opened],
    *,
    address: str,
    given_up: Callable[[Item, str], Result],
) -> Iterator[Result]:
    """Yield `work(opened, item)` of each item when it is done; every worker calls `open_once` once.

    Dask gives the items of a lost worker to another. An item that takes several workers down is yielded as
    `given_up(item, sentence)`; Dask's setting `distributed.scheduler.allowed-failures` is 3. Raises BadInput if no
    scheduler answers, ServerError if it goes away, and any VerideskError of a worker.
    """
    name = f"veridesk-{secrets.token_hex(8)}"
    with connected(address) as client:
        client.register_plugin(OncePerWorker(open_once), name=name)
        try:
            futures = {
                client.submit(work_there, name, work, item, key=f"{name}-{number}", pure=False): item
                for number, item in enumerate(items)
            }
            for future in as_completed(list(futures), loop=client.loop):
                yield result_of(future, futures[future], given_up, address)
                future.release()
        finally:
            unregister(client, name)


def connected(address: str) -> Client:
    try:
        return Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise BadInput(
            f"No Dask scheduler answers at {address} ({error}): start one with `dask scheduler`, which says where."
        ) from error


def result_of(future: Any, item: Item, given_up: Callable[[Item, str], Result], address: str) -> Result:
    if future.status == "finished":
        result: Result = future.result()
        return result
    if future.status != "error":
        raise ServerError(f"The scheduler at {address} went away: the same command goes on where this one stopped.")
    error = future.exception()
    if isinstance(error, KilledWorker):
        return given_up(item, "Every worker that was given this claim was lost; a worker's log may say why.")
    if isinstance(error, VerideskError):
        raise error
    raise ServerError(f"A worker of {address} failed ({type(error).__name__}: {error}); its log says more.") from error


def unregister(client: Client, name: str) -> None:
    try:
        client.unregister_worker_plugin(name)
    except (OSError, TimeoutError):
        return  # the scheduler is gone, and its workers with it
