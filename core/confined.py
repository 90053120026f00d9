"""Read strangers' files in separate processes with limits of memory and time.

If a reader uses too much memory, hangs or crashes, the user gets an error message. Other pages and the server continue.
Processes start at first use, are reused, and are killed at a limit.
"""

from __future__ import annotations

import atexit
import logging
import os
import queue
import resource
import signal
import subprocess
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from core.errors import BadInput, Cancelled, VerideskError, unforeseen
from core.files import ROOT
from core.workers import Pulse, end_process, exit_code, start_piped

T = TypeVar("T")

MAX_SECONDS = 60.0
"""Seconds of the processor for one file. A reader may also use no processor for as long."""

MAX_WAIT_SECONDS = 120.0
"""For its turn."""

MAX_MEMORY = 2 * 1024**3
"""Bytes of address space for a reader, the program itself included (some 300 MB with all its libraries)."""

LARGE = 512 * 1024**2
"""Bytes after a file above which a process is not reused."""

say: Callable[[str], None] = logging.getLogger(__name__).info
"""Called once for each file that takes longer than LONG_SECONDS; the command line prints the message."""

LONG_SECONDS = 5.0
WORKERS = min(4, os.cpu_count() or 1)

_POLL_SECONDS = 0.05


def confined(
    reader: Callable[..., T],
    name: str,
    *arguments: Any,
    stop: Callable[[], bool] = lambda: False,
    seconds: float = MAX_SECONDS,
) -> T:
    """Return `reader(name, *arguments)`, computed in another process. `reader` is a function of a module.

    Raises any VerideskError of `reader`, and Cancelled if `stop` is true. Raises BadInput, beginning with `name`, if
    the reader crashes, or exceeds MAX_MEMORY or `seconds`. The clock does not count: readers give way to pages.
    """
    if _inside:
        return reader(name, *arguments)
    with _workers.one(name, stop) as worker:
        return worker.ask((reader, name, arguments), name, stop, seconds)  # type: ignore[no-any-return]


class _Worker:
    """One process, used by one thread at a time."""

    def __init__(self) -> None:
        # One thread per library, because libraries reserve address space for every possible thread.
        alone = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
        quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        # in its own session, so that Ctrl-C reaches only us
        self._process, self._connection = start_piped(
            __name__, environment=alone, cwd=ROOT, start_new_session=True, **quiet
        )
        self.usable = True

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, task: tuple[Any, ...], name: str, stop: Callable[[], bool], seconds: float) -> Any:
        if stop():
            raise Cancelled("Stopped.")
        self.usable = False  # unless it answers
        begun, told, pulse = time.monotonic(), False, Pulse(self._process.pid)
        try:
            self._connection.send((*task, seconds))
            while not self._connection.poll(_POLL_SECONDS):
                if stop():
                    raise Cancelled("Stopped.")
                passed = time.monotonic() - begun
                if max(pulse.busy_for(), pulse.still_for()) > seconds:
                    raise _too_slow(name, seconds)
                if passed > LONG_SECONDS and not told:
                    told = True
                    say(f"{name}: this takes a while, and {seconds:g} seconds at most.")
            kind, answer, self.usable = self._connection.recv()
        except (EOFError, OSError) as error:
            raise self._death(name, seconds) from error
        if kind == "unforeseen":
            raise BadInput(f"{name}: {unforeseen('reading this file', answer)}")
        if kind == "error":
            raise answer
        return answer

    def end(self) -> None:
        self._connection.close()
        end_process(self._process)

    def _death(self, name: str, seconds: float) -> BadInput:
        code = exit_code(self._process)
        if code in (-signal.SIGXCPU, -signal.SIGKILL):  # SIGKILL: the system is short of memory
            return _too_slow(name, seconds) if code == -signal.SIGXCPU else _too_large(name)
        how = signal.Signals(-code).name if code < 0 else f"status {code}"
        return BadInput(f"{name}: this file crashed its reader ({how}). Save it in another form.")


class _Workers:
    """The processes, at most WORKERS, each for one reader at a time."""

    def __init__(self) -> None:
        self._turns = threading.BoundedSemaphore(WORKERS)
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        atexit.register(self.end)

    @contextmanager
    def one(self, name: str, stop: Callable[[], bool]) -> Iterator[_Worker]:
        self._wait(name, stop)
        try:
            worker = self._started()
            try:
                yield worker
            finally:
                if worker.usable:
                    self._idle.put(worker)
                else:
                    worker.end()
        finally:
            self._turns.release()

    def end(self) -> None:
        """End unused processes."""
        with suppress(queue.Empty):
            while True:
                self._idle.get_nowait().end()

    def _wait(self, name: str, stop: Callable[[], bool]) -> None:
        deadline = time.monotonic() + MAX_WAIT_SECONDS
        while not self._turns.acquire(timeout=_POLL_SECONDS):
            if stop():
                raise Cancelled("Stopped before its turn came.")
            if time.monotonic() > deadline:
                raise BadInput(f"{name}: too many files are being read at the moment; try again in some minutes.")

    def _started(self) -> _Worker:
        with suppress(queue.Empty):
            while True:
                worker = self._idle.get_nowait()
                if worker.alive:
                    return worker
                worker.end()
        return _Worker()


_inside = False
_workers = _Workers()


def _too_slow(name: str, seconds: float) -> BadInput:
    return BadInput(f"{name}: reading this file takes more than {seconds:g} seconds; split it, or save it more simply.")


def _too_large(name: str) -> BadInput:
    return BadInput(f"{name}: reading this file takes more than {MAX_MEMORY / 2**30:g} GB of memory; split it.")


def serve(connection: Connection) -> None:
    """Serve readers to the process at the other end of a connection until it closes; runs in a separate process."""
    global _inside
    _inside = True
    os.nice(10)  # pages have priority over files
    for limit, most in ((resource.RLIMIT_AS, MAX_MEMORY), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):
        with suppress(ValueError, OSError):  # macOS has no limit of address space; the deadline works there too
            resource.setrlimit(limit, (most, most))
    with suppress(EOFError, OSError):
        while True:
            reader, name, arguments, seconds = connection.recv()
            _allow(seconds)
            kind, answer = _attempt(reader, name, arguments)
            del reader, arguments
            kept = _held() < LARGE
            _send(connection, kind, answer, name, kept)
            del answer
            if not kept:
                return


def _held() -> int:
    """Return the bytes of memory that this process holds; 0 if the system does not report them."""
    # Not getrusage: after a start from a large process it reports that process's memory.
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return 0


def _allow(seconds: float) -> None:
    """Let the kernel end this process after `seconds` of work, in case its parent has died."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime + seconds) + 5
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))


def _attempt(reader: Callable[..., Any], name: str, arguments: tuple[Any, ...]) -> tuple[str, Any]:
    try:
        return "value", reader(name, *arguments)
    except VerideskError as error:
        return "error", error.with_traceback(None)
    except MemoryError:
        return "error", _too_large(name)
    except Exception:
        return "unforeseen", traceback.format_exc()


def _send(connection: Connection, kind: str, answer: Any, name: str, kept: bool) -> None:
    try:
        connection.send((kind, answer, kept))
    except MemoryError:  # room for the answer twice, as an object and as bytes
        connection.send(("error", _too_large(name), False))
    except Exception:  # an answer that cannot be sent, such as a thousand nested lists
        connection.send(("unforeseen", traceback.format_exc(), kept))
