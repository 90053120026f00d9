"""Manage the folder of kept indexes: write each completely, list them, delete the least recently used first."""

from __future__ import annotations

import json
import tempfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.errors import BadInput
from core.files import clear_leftovers, json_of

MANIFEST = "manifest.json"
BUILDING = ".building-"


@dataclass(frozen=True)
class KeptStore:
    """The cache's record of one store. `size` is in bytes, and `name` names the source of the passages for people.

    `sentences` counts those of a passage, 0 if unknown.
    """

    key: str
    name: str
    documents: int
    passages: int
    sentences: int
    size: int
    used: datetime


def write_whole(folder: Path, write: Callable[[Path], None], about: dict[str, Any]) -> None:
    """Let `write` fill a temporary folder, then move it to `folder`, so that no reader sees an incomplete one.

    A complete folder stays; an incomplete one is replaced. Raises OSError.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=BUILDING, dir=folder.parent) as name:
        new = Path(name) / folder.name
        new.mkdir()
        write(new)
        manifest = {"about": about, "files": _checksums(new)}
        (new / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        if folder.exists() and not is_whole(folder):
            folder.rename(Path(name) / "damaged")
        try:
            new.rename(folder)
        except OSError:
            if not is_whole(folder):  # otherwise another process has just written the same
                raise


def is_whole(folder: Path) -> bool:
    """Return whether a folder has every file as `write_whole` wrote it, ignoring later files."""
    try:
        written = json_of((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
        return all(_checksum(folder / file) == checksum for file, checksum in written.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _checksums(folder: Path) -> dict[str, int]:
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): _checksum(file) for file in files}


def _checksum(file: Path) -> int:
    # Four times as fast as SHA-256, for a check at each opening; it detects accidents, not attacks.
    return zlib.crc32(file.read_bytes())


def kept_stores(indexes: Path) -> list[KeptStore]:
    """Return the indexes under `indexes`, the last used first. Those of other versions have no name and no passages."""
    found = []
    for folder in indexes.glob("[!.]*"):
        with suppress(OSError):  # deleted meanwhile
            about = _about(folder)
            used = datetime.fromtimestamp(folder.stat().st_mtime, UTC)
            found.append(
                KeptStore(
                    folder.name,
                    str(about.get("name", "")),
                    int(about.get("documents", 0)),
                    int(about.get("passages", 0)),
                    int(about.get("sentences", 0)),
                    _size(folder),
                    used,
                )
            )
    return sorted(found, key=lambda store: store.used, reverse=True)


def _about(folder: Path) -> dict[str, Any]:
    """Return the language model's answers for a kept index; nothing if the index is damaged or of another version."""
    try:
        about = json_of((folder / MANIFEST).read_text(encoding="utf-8"))["about"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return about if isinstance(about, dict) else {}


def remove_store(indexes: Path, key: str) -> None:
    """Delete one kept index; processes with it open go on. Raises BadInput if it is missing or stays."""
    folder = indexes / key
    if key not in {store.key for store in kept_stores(indexes)}:
        raise BadInput(f"There is no kept index {key!r}; it may have been deleted meanwhile.")
    try:
        with tempfile.TemporaryDirectory(prefix=BUILDING, dir=indexes) as place:
            folder.rename(Path(place) / key)  # rename first, so that no process opens a half-deleted index
    except OSError as error:
        raise BadInput(f"{folder} cannot be deleted: {error.strerror}.") from error


def forget_oldest(indexes: Path, *, limit: int, but: str = "") -> None:
    """Delete the least recently used indexes until all take at most `limit` bytes, and remains of killed processes.

    The index named `but` always stays. Raises BadInput if one cannot be deleted.
    """
    clear_leftovers(indexes, BUILDING)
    stores = kept_stores(indexes)
    total = sum(store.size for store in stores)
    for store in reversed(stores):
        if total > limit and store.key != but:
            remove_store(indexes, store.key)
            total -= store.size


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
