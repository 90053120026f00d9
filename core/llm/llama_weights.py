"""Check, load and try the weights of a GGUF file in a worker process; restart a process that has ended."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

from core.errors import BadInput, BuildFault, Cancelled, ModelError, unforeseen
from core.files import check_regular
from core.interfaces import Stop, never
from core.llm.llama_attempts import CRASHES, Attempt, attempts, installed_build, keep_attempt
from core.llm.llama_process import ModelProcess, Turns, WorkerEnded
from core.models.digests import weights_digest

DOING = {"load": "loading its file", "try": "trying a few tokens", "count": "counting tokens"}
LOADING = ("load", "try")
DOCTOR = "python -m core doctor"


class Crashed(Exception):
    """A signal of CRASHES ended the process while it was loaded; the text names the signal and the work."""


class Weights:
    """The weights of a GGUF file in a worker process, restarted whenever it has ended."""

    def __init__(self, path: Path, name: str, digest: str, *, check: bool, settings: dict[str, Any]) -> None:
        """`settings` go to the worker's "load"; with `check`, each loading reads the file and compares its `digest`."""
        self.path, self.name, self.digest, self.check = path, name, digest, check
        self.settings = {"path": str(path), "name": name, **settings}
        self.turns = Turns()
        self.worker: ModelProcess | None = None
        self.closed = False

    def load(self, stop: Stop) -> dict[str, Any]:
        """Start the process for the first time and return its description of the model."""
        with self.turns.take(stop):
            loaded: dict[str, Any] = self._start(stop)
            return loaded

    def ask(self, method: str, stop: Stop, **arguments: Any) -> Any:
        """Return the answer to a request, after earlier requests. Raises ModelError, Cancelled."""
        with self.turns.take(stop):
            self._start(stop)
            return self._request(method, stop, **arguments)

    def close(self) -> None:
        self.closed = True
        if self.worker:
            self.worker.end()

    def _start(self, stop: Stop) -> Any:
        if self.closed:
            raise ModelError(f"{self.name} was unloaded; choose it again on the Models page.")
        if self.worker and self.worker.process.poll() is None:
            return None
        crash = Crashed()
        for attempt in attempts(self.digest):
            try:
                return self._attempt(attempt, stop)
            except Crashed as error:
                crash = error
        raise BuildFault(self._no_attempt_works(crash))

    def _attempt(self, attempt: Attempt, stop: Stop) -> Any:
        """Start a process, load the weights and compute a few tokens. Raises Crashed if a signal of CRASHES ends it."""
        worker = self.worker = ModelProcess()
        try:
            if self.check:  # while the process starts
                checked_digest(self.path, self.digest, stop=stop)
            if self.closed:  # just now, by another thread
                worker.end()
            loaded = self._request("load", stop, **self.settings | attempt.changes)
            self._request("try", stop)
        except BaseException:
            worker.end()
            raise
        keep_attempt(self.digest, attempt)
        return loaded

    def _request(self, method: str, stop: Stop, **arguments: Any) -> Any:
        worker = self.worker
        assert worker is not None
        try:
            answer = worker.ask(method, arguments, stop)
        except WorkerEnded:
            if method in LOADING and worker.ended_by() in CRASHES:
                raise Crashed(f"{DOING[method]} ({worker.cause()})") from None
            raise ModelError(self._exit_reason(worker, method)) from None
        match answer.get("kind"):
            case None:
                return answer["result"]
            case "stopped":
                raise Cancelled(f"{self.name} was stopped.")
            case "unforeseen":
                raise ModelError(unforeseen(f"The process of {self.name}", answer["error"]))
            case _:
                raise ModelError(answer["error"])

    def _exit_reason(self, worker: ModelProcess, method: str) -> str:
        if self.closed:
            return f"{self.name} was unloaded while it was at work; choose it again on the Models page."
        ended = f"The process of {self.name} ended while it was {DOING.get(method, 'writing')} ({worker.cause()})."
        if worker.ended_by() == signal.SIGKILL:
            return (
                f"{ended} The system ends processes so when memory is short: close other programs, or choose a smaller "
                "model or context. Then start this run again; nothing else is lost."
            )
        if method in LOADING and worker.ended_by() == signal.SIGABRT:  # llama.cpp aborts if its own checks fail
            return f"{ended} The file may be damaged or too new: get it again or choose another model."
        return f"{ended} Only this run is lost: start it again. If it ends again, run: {DOCTOR}"

    def _no_attempt_works(self, crash: Crashed) -> str:
        return (
            f"The process of {self.name} ended while it was {crash}, with the plainest settings too. If this model ran "
            f"here before, its file may be damaged: get it again. Else this build of llama.cpp "
            f"({installed_build().name}) does not run on this processor. To see which, run: {DOCTOR}"
        )


def checked_digest(path: Path, expected: str | None = None, *, stop: Stop = never) -> str:
    """Return the SHA-256 of a GGUF file's weights in hex, after checking the file and the digest.

    With `expected` the file itself is read; otherwise a remembered digest is enough. Raises ModelError if the
    file cannot be read, is no GGUF file or has another digest.
    """
    try:
        check_regular(path)
        with path.open("rb") as file:
            magic = file.read(4)
        if magic != b"GGUF":
            raise ModelError(f"{path} is not a GGUF file: it does not begin with 'GGUF'. Choose a *.gguf file.")
        digest = weights_digest(path, reread=expected is not None, stop=stop)
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}. Check the path.") from error
    except BadInput as error:
        raise ModelError(str(error)) from error
    if expected is not None and digest != expected.lower():
        raise ModelError(
            f"{path} is not the file it should be: its SHA-256 is {digest}, expected {expected}. "
            "Delete it and get it again."
        )
    return digest
