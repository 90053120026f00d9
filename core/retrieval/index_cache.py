"""The folder of kept indexes: written whole or not at all, listed, and the least recently used deleted first."""

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
    """The cache's record of one store. `size` is in bytes, `name` says to people where the passages are from.

    `sentences` are those of a passage, 0 where nobody noted them.
    """

    key: str
    name: str
    documents: int
    passages: int
    sentences: int
    size: int
    used: datetime


def write_whole(folder: Path, write: Callable[[Path], None], about: dict[str, Any]) -> None:
    """Let `write` fill a folder beside `folder` and move it there, so that nobody ever opens half of one.

    A whole folder stays; an incomplete one is replaced. Raises OSError.
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
            if not is_whole(folder):  # otherwise another process was quicker with the same
                raise


def is_whole(folder: Path) -> bool:
    """Say whether a folder is there with every file as `write_whole` left it. Files that came later do not count."""
    try:
        written = json_of((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
        return all(_checksum(folder / file) == checksum for file, checksum in written.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _checksums(folder: Path) -> dict[str, int]:
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): _checksum(file) for file in files}


def _checksum(file: Path) -> int:
    # Against accidents, not attacks, and four times as fast as SHA-256: a store is checked each time it is opened.
    return zlib.crc32(file.read_bytes())


def kept_stores(indexes: Path) -> list[KeptStore]:
    """Return the indexes kept under `indexes`, used last first. One of another version has no name and no passages."""
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
    """Return the language model's answers for a kept index; nothing for one that is damaged or of another version."""
    try:
        about = json_of((folder / MANIFEST).read_text(encoding="utf-8"))["about"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return about if isinstance(about, dict) else {}


def remove_store(indexes: Path, key: str) -> None:
    """Delete one kept index. Where it is open it stays usable. Raises BadInput if there is none or it cannot go."""
    folder = indexes / key
    if key not in {store.key for store in kept_stores(indexes)}:
        raise BadInput(f"There is no kept index {key!r}; it may have been deleted meanwhile.")
    try:
        with tempfile.TemporaryDirectory(prefix=BUILDING, dir=indexes) as place:
            folder.rename(Path(place) / key)  # first out of sight, so that nobody opens half of it
    except OSError as error:
        raise BadInput(f"{folder} cannot be deleted: {error.strerror}.") from error


def forget_oldest(indexes: Path, *, limit: int, but: str = "") -> None:
    """Delete the least recently used indexes until all take at most `limit` bytes, and the leftovers of killed
    processes.

    The one named `but` stays at any size. Raises BadInput if one cannot be deleted.
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
