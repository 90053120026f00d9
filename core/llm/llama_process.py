"""A worker process that is asked over pipes, and the queue before it."""

from __future__ import annotations

import json
import logging
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from core.errors import Cancelled
from core.files import ROOT
from core.interfaces import Stop
from core.models.file_names import unfinished_copy
from core.wording import ending_words
from core.workers import Pulse, end_process, exit_code

log = logging.getLogger(__name__)

POLL_SECONDS = 0.02
KILL_SECONDS = 2.0  # how long a worker may take to stop before it is killed
COMPLAINTS = 20  # how many lines are kept of those that a library wrote before it ended the process
COMPLAINT_BYTES = 300  # the longest of them: a hostile file may have its own words printed
FROZEN_SECONDS = 60.0  # how long a worker that is asked may do nothing at all before it is killed

_SOURCE = re.compile(r"^/\S*/(?=[^/\s]+:\d+: )")  # where the file lay that a failed check of llama.cpp is in


class WorkerEnded(Exception):
    """The worker process is gone."""


class ModelProcess:
    """One worker process, and its answers that no caller has read yet."""

    def __init__(self) -> None:
        # Number of checks of an OpenMP barrier before a thread sleeps. The figures are milliseconds a token of SmolLM2
        # as Q8_0 on 2 cores, alone and beside other work. Never: 30 and 28. 1,000 times: 14 and 43. 10,000 times: 15
        # and over 250. GNU's own setting: 13 alone and, as Q4_1, over 110.
        environment = {"GOMP_SPINCOUNT": "1000", "GGML_NO_BACKTRACE": "1", **os.environ}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "core.llm.llama_worker"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._answers: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._last = 0
        self._frozen = False
        self._complaints: deque[str] = deque(maxlen=COMPLAINTS)
        self._reader = threading.Thread(target=_listen, args=(self.process.stderr, self._complaints), daemon=True)
        self._reader.start()
        threading.Thread(target=_collect, args=(self.process.stdout, self._answers), daemon=True).start()
        self.end = weakref.finalize(self, _end, self.process)  # runs at exit too

    def ask(self, method: str, arguments: dict[str, Any], stop: Stop) -> dict[str, Any]:
        """Return the answer to a request. Raises WorkerEnded if the process ends, Cancelled if it had to be killed."""
        self._last += 1
        try:
            self._send({"id": self._last, "method": method, **arguments})
            return self._wait(stop)
        except WorkerEnded:
            raise
        except BaseException:  # raised by `stop` or by Ctrl-C: the worker must not continue without a caller
            with suppress(WorkerEnded):
                self._send({"stop": self._last})
            raise

    def ended_by(self) -> signal.Signals | None:
        """Return the signal that ended the process; None if the process ended itself, or hung and was killed here."""
        if self._frozen:
            return None
        code = exit_code(self.process)
        return signal.Signals(-code) if code < 0 else None

    def cause(self) -> str:
        """Return how the process ended, with the last lines of the library that ended it."""
        if self._frozen:
            return f"it stood still for {FROZEN_SECONDS:g} seconds"
        number = self.ended_by()
        self._reader.join(KILL_SECONDS)
        if self._complaints and number is None:  # our own process did that, and no file
            log.warning("A model's process ended. It wrote:\n%s", "\n".join(self._complaints))
        return ": ".join([ending_words(self.process.returncode), *list(self._complaints)[-1:]])

    def _wait(self, stop: Stop) -> dict[str, Any]:
        deadline = None
        pulse = Pulse(self.process.pid)
        while True:
            answer = self._next()
            if answer is not None:
                return answer
            if pulse.still_for() > FROZEN_SECONDS:
                self._frozen = True
                self.end()
                raise WorkerEnded
            if deadline is None and stop():
                self._send({"stop": self._last})
                deadline = time.monotonic() + KILL_SECONDS
            if deadline is not None and time.monotonic() > deadline:
                self.end()
                raise Cancelled("The model did not stop in time, so its process was ended.")

    def _next(self) -> dict[str, Any] | None:
        """Return the answer to the last request if it arrives soon; skip answers to earlier requests."""
        try:
            answer = self._answers.get(timeout=POLL_SECONDS)
        except queue.Empty:
            return None
        if answer is None:
            raise WorkerEnded
        return answer if answer["id"] == self._last else None

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except (OSError, ValueError):  # the pipe ended, or was closed here after a kill
            raise WorkerEnded from None


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a worker and delete its unfinished copy of the weights."""
    end_process(process)
    with suppress(OSError):
        unfinished_copy(process.pid).unlink(missing_ok=True)


class Turns:
    """Serve callers in order of arrival; a caller may stop waiting."""

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
    with answers, suppress(ValueError):  # a killed worker may leave half an answer
        for line in answers:
            into.put(json.loads(line))
    into.put(None)


def _listen(errors: IO[bytes], complaints: deque[str]) -> None:
    """Keep the last lines that libraries wrote, and print none of them."""
    with errors:
        while line := errors.readline(COMPLAINT_BYTES):
            if words := _SOURCE.sub("", line.decode(errors="replace").strip()):
                complaints.append(words)
