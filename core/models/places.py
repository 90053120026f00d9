"""The places that a model's files are moved to when all have arrived, and what may be in them already."""

from __future__ import annotations

from pathlib import Path

from core.errors import BadInput
from core.files import writing
from core.interfaces import Stop, never
from core.models.digests import file_digest, remember
from core.models.hub import HubFile
from core.models.plans import Plan
from core.models.transfer import discard


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
