"""Plan a download: a model, its licence, its paths and the disk space."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core.errors import BadInput
from core.files import writing
from core.interfaces import Stop, never
from core.models.digests import file_digest, remember
from core.models.hub import HubFile, HubModel
from core.models.transfer import discard
from core.wording import size_words

MARGIN = 500_000_000
"""Bytes that must stay free on the disk after a download."""

FreeSpace = Callable[[Path], int]


@dataclass(frozen=True)
class DownloadPlan:
    """A model to download, with the licence stated by its maker."""

    model: HubModel
    licence: str

    @property
    def name(self) -> str:
        return self.model.name

    def path(self, folder: Path, file: HubFile) -> Path:
        """Return the path of a file; a cross-encoder has its own folder in `folder`."""
        return folder / self.model.folder / file.name

    def part(self, folder: Path, file: HubFile) -> Path:
        return self.path(folder, file).with_name(f"{file.name}.part")

    def received(self, folder: Path) -> int:
        """Return the number of downloaded bytes, in finished files and parts."""
        return sum(self._here(folder, file) for file in self.model.files)

    def missing(self, folder: Path) -> int:
        """Return the number of missing bytes."""
        return self.model.size - self.received(folder)

    def _here(self, folder: Path, file: HubFile) -> int:
        whole = self.path(folder, file)
        for path in (whole, self.part(folder, file), whole):  # a worker may move the part meanwhile
            with suppress(FileNotFoundError):
                return min(path.stat().st_size, file.size)
        return 0


def free_space(folder: Path) -> int:
    """Return the bytes free on the disk that holds `folder`, which must exist."""
    return shutil.disk_usage(folder).free


def check_room(plan: DownloadPlan, folder: Path, *, free: int, owed: int = 0) -> None:
    """Raise BadInput if the missing bytes of a model do not fit into the `free` bytes of its folder's disk.

    `owed` of these bytes are for downloads that come before it.
    """
    missing = plan.missing(folder)
    needed = missing + MARGIN
    if missing and free - owed < needed:
        before = f", {size_words(owed)} of it for the downloads before this one" if owed else ""
        raise BadInput(
            f"Too little room on the disk for {plan.name}: {size_words(needed)} needed (with "
            f"{size_words(MARGIN)} to spare), {size_words(free)} free in {folder}{before}. "
            "Free some space and start it again."
        )


def check_sizes(plan: DownloadPlan, folder: Path) -> None:
    """Raise BadInput if a file of another size has the path of one of the files."""
    for file in plan.model.files:
        path = plan.path(folder, file)
        if path.exists() and path.stat().st_size != file.size:
            raise in_the_way(path)


def is_there(file: HubFile, path: Path, *, stop: Stop) -> bool:
    """Return whether the right file is at `path`, as after a kill between the moves of two parts.

    Raises BadInput for another file there, Cancelled if `stop` is true.
    """
    if path.exists() and not _is_file(path, file, stop=stop):
        raise in_the_way(path)
    return path.exists()


def put_in_place(part: Path, path: Path, digest: str) -> None:
    """Move a downloaded file to its path, and remember its SHA-256 if the hub states one.

    Raises BadInput if it cannot be moved.
    """
    with writing(path):
        part.replace(path)
    if digest:
        remember(path, digest)


def discard_arrived(plan: DownloadPlan, folder: Path) -> None:
    """Remove the downloaded bytes of a model.

    The first part is moved into place last. Without it, later parts are removed too, because no list shows them.
    """
    first, *later = plan.model.files
    if not plan.path(folder, first).exists():
        for file in later:
            path = plan.path(folder, file)
            if path.exists() and _is_file(path, file):
                path.unlink()
    for file in plan.model.files:
        discard(plan.part(folder, file))


def in_the_way(path: Path) -> BadInput:
    return BadInput(
        f"{path} is in the way: it is not the file that the hub states. If you do not need it, delete its model in "
        "the list. If the list does not show it, delete the file itself. Then download again."
    )


def _is_file(path: Path, file: HubFile, *, stop: Stop = never) -> bool:
    same_size = path.stat().st_size == file.size
    return same_size and (not file.sha256 or file_digest(path, stop=stop) == file.sha256)
