"""Choose settings for starting llama.cpp: fast ones, and plainer ones for processors where the fast ones crash.

A signal ends the process if the build has instructions that the processor lacks, or wrongly compiled code. So each
loaded model is tried. Working settings are kept until the build or the processor changes.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core import compiled_packages
from core.compiled_packages import PackageBuild, rebuild_command
from core.errors import BadInput
from core.files import json_of, write_whole
from core.settings import settings

CRASHES = frozenset({signal.SIGILL, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE})
"""Signals by which a processor, or wrong code, ends a process; plainer settings may avoid both."""

_WRITING = threading.Lock()


@dataclass(frozen=True)
class Attempt:
    """Settings that replace requested ones in the worker's "load", and a description of them."""

    name: str
    changes: dict[str, Any]
    words: str = ""


ATTEMPTS = (
    Attempt("fast", {}),
    Attempt("plain", {"extra_buffers": False}, "the plain one is used"),
    Attempt(
        "plainest",
        {"extra_buffers": False, "map_file": False, "expand": False, "threads": 1, "gpu": False},
        "the plainest one is used, on one core and without a GPU",
    ),
)


def attempts(model: str) -> tuple[Attempt, ...]:
    """Return the attempts for the model with these weights, beginning with the last one that worked."""
    kept = kept_attempt(model)
    return ATTEMPTS[ATTEMPTS.index(kept) :] if kept else ATTEMPTS


def kept_attempt(model: str) -> Attempt | None:
    """Return the plainer attempt recorded for this model, build and machine; None without a record."""
    build = installed_build()
    record = _records().get(_key(build, model))
    if not isinstance(record, dict) or record.get("build") != [build.version, build.digest]:
        return None
    return next((attempt for attempt in ATTEMPTS[1:] if attempt.name == record.get("settings")), None)


def keep_attempt(model: str, attempt: Attempt) -> None:
    """Record that a plainer attempt works, and report it if the record is new."""
    if attempt == ATTEMPTS[0] or attempt == kept_attempt(model):
        return
    build = installed_build()
    record = {"build": [build.version, build.digest], "settings": attempt.name}
    with _WRITING, suppress(BadInput):  # a home without space or rights: the next start tries again
        write_whole(_file(), json.dumps(_records() | {_key(build, model): record}, indent=2) + "\n", parents=True)
    say(attempt_words(attempt))


def say(words: str) -> None:
    """Write a line to standard error."""
    with suppress(OSError):  # a full disk behind it
        print(words, file=sys.stderr, flush=True)


def attempt_words(attempt: Attempt) -> str:
    """Return the notice that a plainer attempt is used, with the command that restores the fast one."""
    return (
        f"This build of llama.cpp cannot run its fast code on this processor; {attempt.words}. "
        f"To restore the fast code: {REBUILD}"
    )


def _key(build: PackageBuild, model: str) -> str:
    return f"{build.processor} | {build.features} | {model}"


def _file() -> Path:
    return settings().home / "llama-settings.json"


def _records() -> dict[str, Any]:
    try:
        record = json_of(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):  # unreadable records are made again
        return {}
    return record if isinstance(record, dict) else {}


PACKAGE = "llama-cpp-python"
REBUILD = rebuild_command(PACKAGE)


def installed_build() -> PackageBuild:
    """Return the installed build of llama.cpp. Raises ModelError if none is installed."""
    return compiled_packages.installed_build(PACKAGE, "llama_cpp")
