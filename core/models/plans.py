"""A download that was begun: its plan, kept so that another process can go on, its places and room on the disk."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import BadInput
from core.files import write_whole, writing
from core.interfaces import Stop, never
from core.models.digests import file_digest, remember
from core.models.hub import HubFile, HubModel, checked_repository
from core.models.transfer import discard
from core.wording import size_words

_LOG = logging.getLogger(__name__)

MARGIN = 500_000_000
"""Bytes that stay free on the disk when a download is whole."""

FreeSpace = Callable[[Path], int]


@dataclass(frozen=True)
class Plan:
    """A model that is to be downloaded, and its licence as its maker states it."""

    model: HubModel
    licence: str

    @property
    def name(self) -> str:
        return self.model.name

    def part(self, folder: Path, file: HubFile) -> Path:
        return folder / f"{file.name}.part"

    def received(self, folder: Path) -> int:
        """Return how many bytes are here, as an earlier run left them."""
        return sum(self._here(folder, file) for file in self.model.files)

    def missing(self, folder: Path) -> int:
        """Return how many bytes are still to come."""
        return self.model.size - self.received(folder)

    def _here(self, folder: Path, file: HubFile) -> int:
        for path in (folder / file.name, self.part(folder, file)):
            if path.exists():
                return min(path.stat().st_size, file.size)
        return 0


def plan_path(folder: Path, name: str) -> Path:
    """Return where the plan of a download that is not whole is kept."""
    return folder / f"{name}.download.json"


def saved_plans(folder: Path) -> tuple[Plan, ...]:
    """Return the plans that are kept in `folder`, by name; one that cannot be read is left out and logged."""
    plans = []
    for path in sorted(folder.glob("*.download.json")):
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            plans.append(plan_from_json(record))
        except (BadInput, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            _LOG.warning("%s is no plan of a download (%s)", path, error)
    return tuple(plans)


def save_plan(plan: Plan, folder: Path) -> None:
    """Keep a plan in `folder` until the model is whole. Raises BadInput if the disk does not take it."""
    write_whole(plan_path(folder, plan.name), json.dumps(plan_to_json(plan), indent=2))


def plan_to_json(plan: Plan) -> dict[str, Any]:
    """Return all that a download needs."""
    files = [{"path": file.path, "size": file.size, "sha256": file.sha256} for file in plan.model.files]
    return {"repository": plan.model.repository, "licence": plan.licence, "files": files}


def plan_from_json(record: dict[str, Any]) -> Plan:
    """Return what `plan_to_json` wrote. Raises BadInput, ValueError, KeyError or TypeError for what is none."""
    files = tuple(HubFile(**file) for file in record["files"])
    names = {file.name for file in files}  # raises BadInput for a name that is not safe
    if not files or len(names) < len(files) or min(file.size for file in files) <= 0:
        raise ValueError("a plan needs files with different names and a size")
    return Plan(HubModel(checked_repository(record["repository"]), files), str(record["licence"]))


def free_space(folder: Path) -> int:
    """Return the bytes free on the disk that holds `folder`, which must exist."""
    return shutil.disk_usage(folder).free


def check_room(plan: Plan, folder: Path, *, free: int, owed: int = 0) -> None:
    """Raise BadInput if what is missing of a model does not fit into the `free` bytes of its folder's disk.

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


def check_sizes(plan: Plan, folder: Path) -> None:
    """Raise BadInput if something is in the place of one of the files that, by its size, is another file."""
    for file in plan.model.files:
        path = folder / file.name
        if path.exists() and path.stat().st_size != file.size:
            raise in_the_way(path)


def is_there(file: HubFile, folder: Path, *, stop: Stop) -> bool:
    """Return whether a file is in its place, as after a kill between the moves of two parts.

    Raises BadInput if another file is there, Cancelled if `stop` said so.
    """
    path = folder / file.name
    if path.exists() and not _is_file(path, file, stop=stop):
        raise in_the_way(path)
    return path.exists()


def put_in_place(part: Path, path: Path, digest: str) -> None:
    """Move a file that has arrived to its place. Raises BadInput if the disk does not allow it."""
    with writing(path):
        part.replace(path)
    remember(path, digest)


def discard_arrived(plan: Plan, folder: Path) -> None:
    """Remove what has arrived of a model.

    Of a model whose first part, which is moved last, is not in its place, this goes for the later parts too: no list
    shows them.
    """
    first, *later = plan.model.files
    if not (folder / first.name).exists():
        for file in later:
            path = folder / file.name
            if path.exists() and _is_file(path, file):
                path.unlink()
    for file in plan.model.files:
        discard(plan.part(folder, file))


def in_the_way(path: Path) -> BadInput:
    return BadInput(
        f"{path} is in the way: it is not the file that the hub states. If you do not need it, delete its model in "
        "the list, or the file itself where the list does not show it; then download again."
    )


def _is_file(path: Path, file: HubFile, *, stop: Stop = never) -> bool:
    return path.stat().st_size == file.size and file_digest(path, stop=stop) == file.sha256
