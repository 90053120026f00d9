"""Processes of our own for work that may hang or crash: how they start, end and say why they ended."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from core.files import ROOT

END_SECONDS = 5.0
"""A pipe can end a moment before its process does."""


def start_piped(
    module: str, *, environment: Mapping[str, str] | None = None, **options: Any
) -> tuple[subprocess.Popen[bytes], Connection]:
    """Start a process that runs a module's `serve` with one end of a pipe. Return it and the other end.

    Not by multiprocessing, because its processes first run the caller's main module.
    """
    ours, theirs = Pipe()
    searched = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    start = f"from multiprocessing.connection import Connection; from {module} import serve"
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-c", f"{start}; serve(Connection({theirs.fileno()}))"],
            env={**os.environ, "PYTHONPATH": searched, **(environment or {})},
            pass_fds=[theirs.fileno()],
            **options,
        )
    return process, ours


def end_process(process: subprocess.Popen[bytes], *, patience: float = 0.0) -> None:
    """End a process, after `patience` seconds in which it may end itself. Leaves no zombie."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(patience)
    process.kill()
    process.wait()
    if process.stdin:
        with suppress(OSError):  # an unsent request is lost with the process
            process.stdin.close()


def exit_code(process: subprocess.Popen[bytes]) -> int:
    """Return the exit code of a process that closed its pipe: below 0 for a signal. End one that goes on."""
    end_process(process, patience=END_SECONDS)
    return process.returncode


class Pulse:
    """Watch whether a process works: a stopped (SIGSTOP) or hanging process uses no processor time."""

    def __init__(self, pid: int) -> None:
        self._stat = Path(f"/proc/{pid}/stat")
        self._began = self._since = time.monotonic()
        self._first = self._used = self._ticks()

    def still_for(self) -> float:
        """Return the observed seconds without processor use; 0 if the system does not report them."""
        used = self._ticks()
        if used != self._used:
            self._used, self._since = used, time.monotonic()
        return 0.0 if used is None else time.monotonic() - self._since

    def busy_for(self) -> float:
        """Return the seconds of processor use since the watch began, or of the clock if the system reports none."""
        used = self._ticks()
        if used is None or self._first is None:
            return time.monotonic() - self._began
        return (used - self._first) / os.sysconf("SC_CLK_TCK")

    def _ticks(self) -> int | None:
        """Return the processor's ticks as user and as system; None on no Linux, or after the end of the process."""
        try:
            return sum(map(int, self._stat.read_bytes().rsplit(b")", 1)[1].split()[11:13]))
        except OSError:
            return None
