"""Single claims, as people send them from the pages, verified by the workers of a Dask cluster."""

from __future__ import annotations

import secrets
import threading
from typing import Any

from core.cluster import OncePerWorker, connected, result_of, work_there
from core.errors import Cancelled, ServerError
from core.interfaces import Stop, ignore, never
from core.jobs.types import Json
from core.settings import settings
from core.verification.model_pool import ModelPool
from core.verification.progress import OnProgress
from core.verification.request import Request

LOOK_SECONDS = 0.2
"""How soon a cancelled claim is given up."""


class ClusterPool:
    """Stands where `ModelPool` does: each worker of the scheduler at `address` opens models of its own."""

    def __init__(self, address: str) -> None:
        self.address, self.name = address, f"veridesk-{secrets.token_hex(8)}"
        self.client: Any = None
        self.size = 1
        self.lock = threading.Lock()

    def slot(self, model: str) -> str:
        """All claims share the workers, whatever their model."""
        return ""

    def workers(self, slot: str) -> int:
        """Return how many claims may be sent at once: VERIDESK_PARALLEL, or as many as the cluster has workers."""
        return settings().parallel or self.size

    def verify(self, request: Request, on_progress: OnProgress, stop: Stop) -> Json:
        """Have a worker do one verification and return its receipt; what it does is not told meanwhile.

        Raises BadInput if no scheduler answers, ServerError if it goes away, Cancelled if `stop` says so, and what
        VerideskError the worker raises.
        """
        client = self._connected()
        future = client.submit(work_there, self.name, verify_there, request, pure=False)
        while not future.done():
            if stop():
                future.cancel()
                raise Cancelled("Stopped.")
            threading.Event().wait(LOOK_SECONDS)
        return result_of(future, request, _lost, self.address)

    def close(self) -> None:
        """Leave the cluster; its workers let their models go."""
        if self.client is not None:
            self.client.unregister_worker_plugin(self.name)
            self.client.close()

    def _connected(self) -> Any:
        with self.lock:
            if self.client is None or self.client.status != "running":
                self.client = connected(self.address)
                self.client.register_plugin(OncePerWorker(ModelPool), name=self.name)
            self.size = max(1, len(self.client.nthreads()))
            return self.client


def verify_there(pool: ModelPool, request: Request) -> Json:
    """Do one verification on the worker that this runs on."""
    return pool.verify(request, ignore, never)


def _lost(request: Request, why: str) -> Json:
    raise ServerError(why)
