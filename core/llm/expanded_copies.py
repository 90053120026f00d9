"""Convert weights that llama.cpp computes slowly to Q8_0, once, and keep the copy in Veridesk's home.

Only the worker process (llama_worker.py) imports this. A copy's name ends with the SHA-256 of its content, which later
runs check. A finished copy gets its name in one step.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path

import llama_cpp.llama_cpp as c
from filelock import FileLock, Timeout

from core.errors import ModelError
from core.llm.llama_log import last_said
from core.models.file_names import expanded_folder, unfinished_copy

LOCK_SECONDS = 20.0  # another process needs some 2 s for the same copy
UNUSED_SECONDS = 30 * 24 * 3600.0  # an unused copy of another model or version is deleted after this time


@contextmanager
def expanded_copy(path: Path, *, digest: str, threads: int) -> Iterator[Path]:
    """Yield the path of a Q8_0 copy of the weights at `path`, usable inside the block; `digest` names the weights.

    If the home cannot hold a copy, the copy is a temporary file of this process. Raises ModelError if that fails too.
    """
    try:
        copy = _kept_copy(path, digest, threads)
    except (OSError, Timeout, ModelError):  # no right to write there, a full disk, another process that hangs
        with tempfile.TemporaryFile(prefix="veridesk-") as file:
            copy = Path(f"/dev/fd/{file.fileno()}")
            _expand(path, copy, threads, place=tempfile.gettempdir())
            yield copy
    else:
        yield copy


def _kept_copy(path: Path, digest: str, threads: int) -> Path:
    """Return the kept copy; make it first if it is missing or incomplete. Raises OSError, Timeout, ModelError."""
    folder = expanded_folder()
    name = f"{digest[:16]}-{version('llama-cpp-python')}-"
    if copy := _whole_copy(folder, name):
        with suppress(OSError):  # a read-only home
            os.utime(copy)
        return copy
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".lock", timeout=LOCK_SECONDS):
        if copy := _whole_copy(folder, name):  # another process made it meanwhile
            return copy
        _clear(folder, name)
        return _made_copy(path, folder, name, threads)


def _whole_copy(folder: Path, name: str) -> Path | None:
    return next((copy for copy in folder.glob(f"{name}*.gguf") if copy.stem == name + _sha256(copy)), None)


def _made_copy(path: Path, folder: Path, name: str, threads: int) -> Path:
    new = unfinished_copy(os.getpid())
    try:
        _expand(path, new, threads, place=str(folder))
        with new.open("rb") as file:
            os.fsync(file.fileno())
        return new.rename(folder / f"{name}{_sha256(new)}.gguf")
    finally:
        new.unlink(missing_ok=True)


def _clear(folder: Path, name: str) -> None:
    """Delete damaged copies, long unused copies and the files of dead processes. The caller holds the lock."""
    for file in [*folder.glob(".*.new"), *folder.glob(f"{name}*.gguf")]:
        file.unlink(missing_ok=True)
    for file in folder.glob("*.gguf"):
        if time.time() - file.stat().st_mtime > UNUSED_SECONDS:
            file.unlink(missing_ok=True)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _expand(path: Path, copy: Path, threads: int, *, place: str) -> None:
    """Write the weights as Q8_0. Raises ModelError, which names the `place`."""
    parameters = c.llama_model_quantize_default_params()
    parameters.ftype, parameters.allow_requantize, parameters.nthread = c.LLAMA_FTYPE_MOSTLY_Q8_0, True, threads
    if c.llama_model_quantize(str(path).encode(), str(copy).encode(), ctypes.byref(parameters)) != 0:
        raise ModelError(
            f"{path} could not be unpacked into {place} ({last_said()}). "
            "Is there room on that disk, and is the file complete?"
        )
