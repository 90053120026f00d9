"""Compute the SHA-256 of weights files, once per version of a file: 9 GB take some 20 seconds."""

from __future__ import annotations

import hashlib
import json
import threading
from pathlib import Path

from core.errors import BadInput, Cancelled
from core.files import check_regular, json_of, write_whole
from core.interfaces import Stop, never
from core.models.file_names import part_names
from core.settings import settings

BLOCK = 4 * 1024 * 1024

_WRITING = threading.Lock()


def weights_digest(path: Path, *, reread: bool = False, stop: Stop = never) -> str:
    """Return the SHA-256 of a model's weights, in hex.

    `path` may be any part of a model in parts. Its digest is the SHA-256 of its parts' digests in order, in hex, one
    per line. With `reread` the files are read and nothing is remembered; otherwise as `file_digest`. Raises BadInput if
    a part cannot be read or its digest not written, Cancelled if `stop` is true.
    """
    digest_of = _computed if reread else file_digest
    return combined([digest_of(path.with_name(name), stop=stop) for name in part_names(path.name)])


def file_digest(path: Path, *, stop: Stop = never) -> str:
    """Return the SHA-256 of one file, in hex; compute it only if the file's size or time has changed.

    Raises as `weights_digest`.
    """
    digest = known_file_digest(path)
    if not digest:
        digest = _computed(path, stop=stop)
        remember(path, digest)
    return digest


def known_digest(path: Path) -> str:
    """Return the remembered SHA-256 as `weights_digest`, or "" without one."""
    digests = [known_file_digest(path.with_name(name)) for name in part_names(path.name)]
    return combined(digests) if all(digests) else ""


def combined(digests: list[str]) -> str:
    """Return one digest for the parts of a model; for a single part, its own."""
    if len(digests) == 1:
        return digests[0]
    return hashlib.sha256("".join(f"{digest}\n" for digest in digests).encode()).hexdigest()


def known_file_digest(path: Path) -> str:
    """Return the remembered SHA-256 of this file, or "" if the file is missing or has changed."""
    try:
        digest = _remembered().get(_key(path), "")
    except OSError:
        return ""
    return digest if isinstance(digest, str) else ""


def remember(path: Path, digest: str) -> None:
    """Remember the SHA-256 of a file's present version; forget earlier ones.

    Raises BadInput if it cannot be written.
    """
    with _WRITING:
        prefix = f"{path.absolute()}|"
        kept = {key: value for key, value in _remembered().items() if not key.startswith(prefix)}
        kept[_key(path)] = digest
        write_whole(_file(), json.dumps(kept, indent=2) + "\n", parents=True)


def _computed(path: Path, *, stop: Stop) -> str:
    sha256 = hashlib.sha256()
    check_regular(path)
    try:
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                if stop():
                    raise Cancelled(f"Reading {path.name} was stopped.")
                sha256.update(block)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise BadInput(f"{path} cannot be read ({reason}). Check the file and the disk it is on.") from error
    return sha256.hexdigest()


def _file() -> Path:
    return settings().home / "digests.json"


def _key(path: Path) -> str:
    stat = path.stat()
    return f"{path.absolute()}|{stat.st_size}|{stat.st_mtime_ns}"


def _remembered() -> dict[str, str]:
    try:
        record = json_of(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):  # a cache: unreadable entries are computed again
        return {}
    return record if isinstance(record, dict) else {}
