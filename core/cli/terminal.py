"""What the terminal shows: progress while a command works, and nothing that could steer the terminal."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from typing import TextIO, TypeVar

from core.wording import HIDDEN

Item = TypeVar("Item")

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


@contextmanager
def cleaned_output() -> Iterator[None]:
    """Clean what is printed until the block ends. Characters that the terminal does not know come out as escapes."""
    with ExitStack() as stack:
        for stream, redirect in ((sys.stdout, redirect_stdout), (sys.stderr, redirect_stderr)):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
            if stream is None:  # closed by whoever started this
                stream = stack.enter_context(open(os.devnull, "w"))
            stack.enter_context(redirect(Cleaned(stream)))
        yield


def watched(items: Sequence[Item], what: str) -> Iterator[Item]:
    """Yield the items; on a terminal, keep a line on standard error that says how many have been worked on."""
    for number, item in enumerate(items, start=1):
        yield item
        show_count(f"{what}: {number}/{len(items)}", last=number == len(items))


def show_count(words: str, *, last: bool) -> None:
    """Write over the line of standard error that was shown before, if it is a terminal."""
    if sys.__stderr__ is not None and sys.__stderr__.isatty():
        print(f"\r{_STEERING.sub('', words)}", end="\n" if last else "", file=sys.__stderr__, flush=True)
