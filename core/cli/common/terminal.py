"""Output of commands while they work: progress, questions, and nothing that could steer the terminal."""

from __future__ import annotations

import io
import os
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from typing import TextIO

from core.errors import BadInput, Cancelled
from core.wording import HIDDEN, time_words

_STEERING = re.compile(f"[{re.escape(''.join(HIDDEN - {chr(13)}))}\ud800-\udfff]|\r(?!\n)")


class Cleaned(io.TextIOBase):
    """A stream on which what steers terminals or turns text around comes out as its escape: ``\\u001b``.

    In JSON, where such characters can stand within strings only, the escape means the same character.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(_STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()


class CleanedRemarks(Cleaned):
    """A cleaned stream for progress and remarks: where nothing can be written to it, the work goes on."""

    def write(self, text: str) -> int:
        with suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            super().flush()


@contextmanager
def cleaned_output() -> Iterator[None]:
    """Clean all output until the block ends. Characters that the terminal does not know come out as escapes."""
    with ExitStack() as stack:
        if sys.stdin is None:  # closed: its contents would be empty, and no opened file takes its number
            sys.stdin = stack.enter_context(open(os.devnull))
            stack.callback(setattr, sys, "stdin", None)
        for stream, redirect, cleaned in (
            (sys.stdout, redirect_stdout, Cleaned),
            (sys.stderr, redirect_stderr, CleanedRemarks),
        ):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
            if stream is None:  # closed by the program that started this
                stream = stack.enter_context(open(os.devnull, "w"))
            stack.enter_context(redirect(cleaned(stream)))
        yield


_ending = threading.Event()


def asked_to_end() -> bool:
    """Say whether Ctrl-C or the system asked this command to end: threads that are waited for must hear of it."""
    return _ending.is_set()


def ask_to_end(status: int) -> None:
    """Have threads end, and end the process with `status` if they, or a library, take longer than END_SECONDS.

    That is as safe as a kill: files are replaced whole, journals and the database line by line.
    """
    _ending.set()
    forced = threading.Timer(END_SECONDS, os._exit, (status,))
    forced.daemon = True
    forced.start()


def tell(words: str) -> None:
    """Print a line on standard error."""
    print(words, file=sys.stderr, flush=True)


END_SECONDS = 2.0

LINE_SECONDS = 10.0
"""How often a line is written where standard error is a file or a pipe."""


@dataclass
class ProgressLine:
    """Progress on standard error. `what` names the work, `unit` the counted things; `before` were done earlier."""

    what: str
    unit: str = ""
    before: int = 0
    begun: float = field(default_factory=lambda: time.monotonic())
    written: float = field(default_factory=lambda: time.monotonic())
    wrote: bool = False

    def show(self, done: int, total: int) -> None:
        """Report `done` of `total`; off a terminal only after some seconds, or to end a report."""
        of = f" of {total}" if total else ""  # an unknown total is 0
        words = f"{self.what}: {done}{of}{f' {self.unit}' if self.unit else ''}"
        passed = time.monotonic() - self.begun
        if self.before < done < total and passed >= LINE_SECONDS:
            words += f", {time_words(passed / (done - self.before) * (total - done))} left"
        terminal = sys.__stderr__
        if terminal is not None and terminal.isatty():
            # Wipe out the rest of a longer line before.
            print(f"\r{_STEERING.sub('', words)}\033[K", end="\n" if done == total else "", file=terminal, flush=True)
        elif time.monotonic() - self.written >= LINE_SECONDS or (self.wrote and done == total):
            print(words, file=sys.stderr, flush=True)
            self.written, self.wrote = time.monotonic(), True


def ask(question: str, *, yes: bool = False) -> None:
    """Return once a person has said yes. Raises Cancelled for a no, BadInput where no terminal can ask."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise BadInput(f"{question} No terminal can ask you here: say --yes.")
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Cancelled("Nothing was sent.")
