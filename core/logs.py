"""Write a command's log to a file, created at the first message, so that no stack trace reaches a terminal."""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path

from core.errors import BadInput
from core.settings import settings

VARIABLE = "VERIDESK_LOG"
"""Environment variable with the log file, for the processes that a command starts."""


class LateFile(logging.FileHandler):
    """Writes to a file that is created with the first line; `written` says whether a line was written."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, delay=True, encoding="utf-8")
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        self.written = False

    def _open(self) -> TextIOWrapper:
        Path(self.baseFilename).parent.mkdir(parents=True, exist_ok=True)
        self.written = True
        return super()._open()


@contextmanager
def logged(*, debug: bool = False) -> Iterator[LateFile | None]:
    """Send log messages to a file until the block ends; with `debug`, to standard error."""
    path = os.environ.get(VARIABLE) or str(_path())
    handler: logging.Handler = logging.StreamHandler() if debug else LateFile(Path(path))
    handler.setLevel(logging.WARNING)
    shown, logging.raiseExceptions = logging.raiseExceptions, False  # a full disk must not print a trace either
    if not debug:
        os.environ[VARIABLE] = path
    logging.getLogger().addHandler(handler)
    unraisable, sys.unraisablehook = sys.unraisablehook, sys.unraisablehook if debug else _log_unraisable
    try:
        yield handler if isinstance(handler, LateFile) else None
    finally:
        sys.unraisablehook = unraisable
        logging.getLogger().removeHandler(handler)
        with suppress(OSError):  # a full disk must not print a trace here either
            handler.close()
        os.environ.pop(VARIABLE, None)
        logging.raiseExceptions = shown


def _log_unraisable(failure: sys.UnraisableHookArgs) -> None:
    """Log an error that no code can catch, such as one from the deletion of a library's object."""
    logging.getLogger(__name__).warning("%s: %s", failure.err_msg or "Ignored", failure.exc_value)


def _path() -> Path:
    try:
        folder = settings().home / "logs"
    except BadInput:  # no home; commands that need one report it
        folder = Path(tempfile.gettempdir())
    return folder / f"veridesk-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"
