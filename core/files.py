"""Read files within limits, write them completely or not at all, and check paths that users name."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from core.errors import BadInput

ROOT = Path(__file__).resolve().parents[1]
ASSETS = ROOT / "assets"
HALF = re.compile(r"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]")
"""JSON's escape of a lone surrogate; text after an escaped backslash may look like it."""

MAX_OPEN = 10_240  # the limit on macOS
DAY = 24 * 3600  # seconds


def allow_many_files() -> None:
    """Raise this process's limit of open files to MAX_OPEN if the system allows; the default is 1,024 or fewer.

    Streamlit keeps three descriptors (an event loop) for every session and for up to 128 ended ones.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MAX_OPEN if hard == resource.RLIM_INFINITY else min(hard, MAX_OPEN)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def expanded(path: Path) -> Path:
    """Return a user's path with "~" replaced by the home folder. Raises BadInput if there is no home folder."""
    try:
        return path.expanduser()
    except RuntimeError as error:  # "~somebody" without an account or home here
        raise BadInput(f"{path}: there is no such home folder here; write the whole path, from / on.") from error


def check_regular(path: Path) -> None:
    """Raise BadInput unless `path` is an ordinary file, because reading a pipe or device may never end."""
    if "\0" in str(path):
        raise BadInput(f"{str(path)!r} is no path: it holds a character that no path has.")
    if path.exists() and not path.is_file():
        kind = "a folder" if path.is_dir() else "no ordinary file (a pipe or a device)"
        raise BadInput(f"{path} is {kind}: name a file.")


def read_bounded(path: Path, max_bytes: int) -> bytes:
    """Return a file's content. Raises BadInput if it cannot be read, is no ordinary file or longer than `max_bytes`."""
    try:
        check_regular(path)
        with path.open("rb") as file:
            content = file.read(max_bytes + 1)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or type(error).__name__}.") from error
    if len(content) > max_bytes:
        raise BadInput(f"{path} is larger than {max_bytes / 1e6:g} MB, the most that is read; split it.")
    return content


def json_of(text: str | bytes, *, strict: bool = True) -> Any:
    """Return the value of a JSON text, with "?" for lone surrogates, which files and databases refuse.

    Raises ValueError if the text is no JSON or nests too deeply; `strict` refuses control characters in it.
    """
    words = text.decode("utf-8-sig") if isinstance(text, bytes) else text
    try:
        value = json.loads(words, strict=strict)
        if HALF.search(words):
            value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    return value


def write_whole(path: Path, content: str | bytes, *, parents: bool = False) -> None:
    """Write a file as `replacing`; a text in UTF-8. With `parents`, create missing folders above it."""
    with writing(path):
        if parents:
            path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def replacing(path: Path, *, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Open a new file beside `path`, which replaces `path` after the block, once it is on disk.

    If the block or the disk fails, the old file stays. `mode` holds the file's permissions, less the process's umask.
    Raises BadInput as `writing`.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():  # a pipe or /dev/stdout has nothing to replace
        with writing(path), target.open("wb") as file:
            yield file
        return
    new = _beside(target)
    with writing(path):
        try:
            with open(new, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            new.replace(target)
        finally:
            new.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Raise BadInput if `replacing` could not write this file. Call it before long work."""
    if "\0" in str(path):
        raise BadInput(f"{str(path)!r} is no path: it holds a character that no path has.")
    target = Path(os.path.realpath(path))
    with writing(path):
        if target.is_dir():
            raise BadInput(f"{path} is a folder: name a file.")
        if not target.parent.is_dir():
            raise BadInput(f"The folder {path.parent} does not exist: make it, or write elsewhere.")
        if target.exists() and not os.access(target, os.W_OK):
            raise BadInput(f"{path} is write-protected: write elsewhere, or allow this program to write it.")
        if target.is_file() or not target.exists():
            _try_a_file(target)


def check_writable_folder(path: Path) -> None:
    """Raise BadInput if no file can be written into a folder, which may not exist yet."""
    if "\0" in str(path):
        raise BadInput(f"{str(path)!r} is no path: it holds a character that no path has.")
    with writing(path):
        there = next(one for one in (path.absolute(), *path.absolute().parents) if os.path.lexists(one))
        if not there.is_dir():
            raise BadInput(f"{there} is no folder: name one.")
        _try_a_file(there / "veridesk")


def _try_a_file(path: Path) -> None:
    """Create and delete a file beside `path`, because rights, space and allowed names differ between disks."""
    new = _beside(path)
    new.touch()
    new.unlink()


def _beside(path: Path) -> Path:
    """Return a name for this process and thread only. If two write at once, the last complete file stays."""
    return path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.new")


def clear_leftovers(folder: Path, prefix: str) -> None:
    """Delete folders with this prefix that are older than a day: killed processes left them."""
    for left in folder.glob(f"{prefix}*"):
        with suppress(FileNotFoundError):  # another process may have deleted it
            if left.stat().st_mtime < time.time() - DAY:
                shutil.rmtree(left, ignore_errors=True)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a disk error at `path` into BadInput with the way out."""
    try:
        yield
    except OSError as error:
        raise BadInput(
            f"{path} cannot be written ({error.strerror or type(error).__name__}). "
            "Free some space on that disk, or let this program write there, and try again."
        ) from error
