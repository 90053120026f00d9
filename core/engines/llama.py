"""Language models in GGUF files, written with by llama.cpp in a process of their own.

llama.cpp is not safe for threads, and a bad file or a fault in the library ends its process. So the weights live in
one worker process (llama_worker.py) that is asked over pipes: its end costs the request in flight and nothing
else, and ending it frees all its memory. This module imports nothing heavy.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from core.engines.gguf import BUNDLED_NAME, BUNDLED_SHA256, bundled_gguf, checked_digest
from core.engines.grammar import gbnf, opening
from core.errors import Cancelled, ModelError
from core.ports import ModelIdentity, Schema, Stop, never
from core.types import Completion, Prompt

ROOT = Path(__file__).resolve().parents[2]
POLL_SECONDS = 0.02
KILL_SECONDS = 2.0  # how long a worker may take to stop before it is killed


class LlamaWriter:
    """A `core.ports.Writer` on a GGUF file. Safe to call from several threads: they are served in turn."""

    def __init__(
        self, path: Path, *, context_tokens: int = 4096, threads: int | None = None, gpu_layers: int | None = None,
        expected_digest: str | None = None, name: str | None = None,
    ) -> None:
        """Check the file, start the process and load the weights.

        The context is at most what the model was trained for. `threads` is by default one per core; `gpu_layers`
        all (-1) where llama-cpp-python was built for a GPU, else 0. Raises ModelError if the file is missing, is
        no GGUF file, has another SHA-256 than `expected_digest` or cannot be loaded.
        """
        path = path.expanduser().resolve()
        digest = checked_digest(path, expected_digest)
        self._name = name or path.stem
        self._load = {"path": str(path), "context_tokens": context_tokens, "threads": threads or _threads(),
                      "gpu_layers": gpu_layers}
        self._turns = _Turns()
        self._worker: _Worker | None = None
        self._closed = False
        with self._turns.take(never):
            loaded = self._start(never)
        self._identity = ModelIdentity(self._name, digest, int(loaded["context_tokens"]))

    @property
    def identity(self) -> ModelIdentity:
        return self._identity

    @property
    def waiting(self) -> int:
        """How many callers wait behind the one that is served now."""
        return self._turns.waiting

    @property
    def process_id(self) -> int | None:
        """The worker process, or None while there is none."""
        return self._worker.process.pid if self._worker else None

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of `text` on its own."""
        return int(self._ask("count", never, text=text))

    def write(
        self, prompt: Prompt, *, schema: Schema | None = None, max_tokens: int, temperature: float = 0.0,
        seed: int = 0, stop: Stop = never,
    ) -> Completion:
        """See `core.ports.Writer`. The same arguments give the same text, whatever was written before.

        The keywords that a schema may have are those of `core.engines.grammar.gbnf`. Tokens of the answer that the
        schema leaves no choice about are counted in `completion_tokens`.
        """
        written = self._ask(
            "write", stop, turns=[(message.role, message.text) for message in prompt],
            grammar=gbnf(schema) if schema is not None else None,
            opening=opening(schema) if schema is not None else "",
            max_tokens=max_tokens, temperature=temperature, seed=seed,
        )
        completion = Completion(prompt=prompt, seed=seed, **written)
        if schema is not None and completion.finish == "length":
            raise ModelError(
                f"{self._name} did not finish its answer in {max_tokens} tokens; it ends: "
                f"“…{completion.text[-60:]}”. Allow more tokens or choose another model."
            )
        return completion

    def log_likelihoods(
        self, prompt: Prompt, choices: Sequence[str], *, stop: Stop = never
    ) -> tuple[NDArray[np.float64], Completion]:
        """See `core.ports.Writer`. The prompt is evaluated once. Raises ValueError if a choice is empty."""
        if not choices or not all(choices):
            raise ValueError("log_likelihoods needs at least one choice, and none may be empty.")
        scored = self._ask(
            "score", stop, turns=[(message.role, message.text) for message in prompt], choices=list(choices)
        )
        likelihoods = np.array(scored.pop("likelihoods"), dtype=np.float64)
        text = choices[int(likelihoods.argmax())]
        return likelihoods, Completion(prompt=prompt, text=text, seed=0, **scored)

    def close(self) -> None:
        """End the process, and with it free the model's memory. A request in flight fails."""
        self._closed = True
        if self._worker:
            self._worker.end()

    def _ask(self, method: str, stop: Stop, **arguments: Any) -> Any:
        with self._turns.take(stop):
            self._start(stop)
            return self._request(method, stop, **arguments)

    def _start(self, stop: Stop) -> Any:
        if self._closed:
            raise ModelError(f"{self._name} was unloaded; choose it again on the Models page.")
        if self._worker and self._worker.process.poll() is None:
            return None
        self._worker = _Worker()
        if self._closed:  # in this very moment, by another thread
            self._worker.end()
        try:
            return self._request("load", stop, **self._load)
        except BaseException:
            self._worker.end()
            raise

    def _request(self, method: str, stop: Stop, **arguments: Any) -> Any:
        worker = self._worker
        assert worker is not None
        try:
            answer = worker.ask(method, arguments, stop)
        except _Ended:
            raise ModelError(self._obituary(worker, method)) from None
        match answer.get("kind"):
            case None:
                return answer["result"]
            case "stopped":
                raise Cancelled(f"{self._name} was stopped.")
            case _:
                raise ModelError(answer["error"])

    def _obituary(self, worker: _Worker, method: str) -> str:
        if self._closed:
            return f"{self._name} was unloaded while it was at work; choose it again on the Models page."
        doing = {"load": "loading its file", "count": "counting tokens"}.get(method, "writing")
        return (
            f"The process of {self._name} ended while it was {doing} ({worker.cause()}). Only this run is lost: start "
            "it again; if it ends again, choose a smaller model or context, or download the file again."
        )


def bundled_writer(*, context_tokens: int = 4096) -> LlamaWriter:
    """Return a writer on the bundled SmolLM2, after checking that its file is unchanged."""
    return LlamaWriter(
        bundled_gguf(), context_tokens=context_tokens, expected_digest=BUNDLED_SHA256, name=BUNDLED_NAME
    )


class _Ended(Exception):
    """The worker process is gone."""


class _Worker:
    """One worker process, and the answers it gave that no one has taken yet."""

    def __init__(self) -> None:
        # Threads that spin at OpenMP's barriers make a busy machine ten times slower; sleeping costs little.
        environment = {"OMP_WAIT_POLICY": "passive", **os.environ}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "core.engines.llama_worker"], cwd=ROOT, env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )
        self._answers: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._last = 0
        threading.Thread(target=_collect, args=(self.process.stdout, self._answers), daemon=True).start()
        self.end = weakref.finalize(self, _end, self.process)  # runs at exit too

    def ask(self, method: str, arguments: dict[str, Any], stop: Stop) -> dict[str, Any]:
        """Return the answer to a request. Raises _Ended if the process ends, Cancelled if it had to be killed."""
        self._last += 1
        try:
            self._send({"id": self._last, "method": method, **arguments})
            return self._wait(stop)
        except _Ended:
            raise
        except BaseException:  # of the `stop` that we asked, or Ctrl-C: the worker must not go on for no one
            self._send({"stop": self._last})
            raise

    def cause(self) -> str:
        """Say how the process ended."""
        with suppress(subprocess.TimeoutExpired):  # its output can end a moment before itself
            self.process.wait(timeout=KILL_SECONDS)
        self.end()
        code = self.process.returncode
        if code >= 0:
            return f"exit status {code}"
        return f"signal {-code}, {signal.Signals(-code).name}"

    def _wait(self, stop: Stop) -> dict[str, Any]:
        deadline = None
        while True:
            answer = self._next()
            if answer is not None:
                return answer
            if deadline is None and stop():
                self._send({"stop": self._last})
                deadline = time.monotonic() + KILL_SECONDS
            if deadline is not None and time.monotonic() > deadline:
                self.process.kill()
                self.process.wait()
                raise Cancelled("The model did not stop in time, so its process was ended.")

    def _next(self) -> dict[str, Any] | None:
        """Return the answer to the last request if it comes soon; older answers have lost their caller."""
        try:
            answer = self._answers.get(timeout=POLL_SECONDS)
        except queue.Empty:
            return None
        if answer is None:
            raise _Ended
        return answer if answer["id"] == self._last else None

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            raise _Ended from None


class _Turns:
    """First come, first served; a caller may stop waiting."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._tickets: deque[object] = deque()

    @property
    def waiting(self) -> int:
        return max(len(self._tickets) - 1, 0)

    @contextmanager
    def take(self, stop: Stop) -> Iterator[None]:
        ticket = object()
        with self._changed:
            self._tickets.append(ticket)
        try:
            while not self._is_first(ticket):
                if stop():
                    raise Cancelled("Stopped before its turn came.")
            yield
        finally:
            with self._changed:
                self._tickets.remove(ticket)
                self._changed.notify_all()

    def _is_first(self, ticket: object) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: self._tickets[0] is ticket, timeout=POLL_SECONDS)


def _collect(answers: IO[bytes], into: queue.SimpleQueue[dict[str, Any] | None]) -> None:
    with answers:
        for line in answers:
            into.put(json.loads(line))
    into.put(None)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a worker, frozen or not, and leave no zombie."""
    process.kill()
    process.wait()
    if process.stdin:
        with suppress(OSError):  # an unsent request is lost with the process
            process.stdin.close()


def _threads() -> int:
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # Machines with many cores mostly count each twice, and a second thread on a core slows llama.cpp down.
    return available if available <= 4 else available // 2
