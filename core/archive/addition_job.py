"""Define the job that adds documents to an archive. Added documents stay after a cancel, and a new run goes on."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from core.archive.actions import Addition, fill
from core.archive.catalogue import own_archives
from core.archive.intake import FilesSeen
from core.archive.types import ArchiveEntry
from core.dataclass_json import from_json, to_json
from core.errors import BadInput
from core.jobs.action_job import ActionRun, reporting
from core.jobs.jobs import Jobs
from core.jobs.kinds import JobContext, JobKind
from core.jobs.limits import JobLimits
from core.jobs.types import Job, JobResult, Json, Listed
from core.settings import settings
from core.wording import readable_name

FILES = "files"
MAX_KEPT = 10
"""Number of additions kept per owner in the list."""


@dataclass(frozen=True)
class AdditionOrder:
    """The order to add a job's own files and some places to an archive; `remember` reads the places again later."""

    archive: str
    places: tuple[str, ...] = ()
    kind: str = ""
    replace: bool = False
    remember: bool = False
    title: str = ""


AdditionRun = ActionRun[AdditionOrder, Addition]
Additions = Jobs[AdditionOrder, AdditionRun]


def addition_kind(folders: Path) -> JobKind[AdditionOrder, AdditionRun]:
    """Return the kind of an addition: one at a time, on the machine that has the files."""
    return JobKind(
        "archive", "an addition", "additions", handle, listed,
        to_json, read_order, view, limits=JobLimits(tries=2, kept=MAX_KEPT), local=True, folders=folders,
    )  # fmt: skip


def handle(order: AdditionOrder, context: JobContext) -> JobResult:
    """Add the files and places. Raises BadInput for an archive to which the job's owner may not add."""
    entry = writable(order.archive, context.job.owner)
    assert context.folder
    files = context.folder / FILES
    own = [(str(file), order.kind) for file in sorted(files.glob("*/*"))]
    places = [*own, *((place, order.kind) for place in order.places)]
    seen = FilesSeen() if order.remember else None
    if order.remember:
        own_archives().remember(entry, order.places, order.kind)
        places = [*own, *own_archives().places(entry)]
    done = fill(
        entry, places, reporting(context), replace=order.replace, uploads=files, seen=seen,
        scheduler=settings().scheduler,
    )  # fmt: skip
    shutil.rmtree(files, ignore_errors=True)
    return JobResult(to_json(done))


def listed(order: AdditionOrder, folder: Path | None) -> Listed:
    return Listed(order.title, {"archive": order.archive})


def writable(archive: str, person: str) -> ArchiveEntry:
    """Return an archive to which a person may add. Raises BadInput for any other."""
    found = own_archives().find(archive, person)
    if found is None or not own_archives().may_add(archive, person):
        raise BadInput("This archive is not there, or only its owner may add to it.")
    return found


def files_of(uploads: list[tuple[str, bytes]]) -> dict[str, bytes]:
    """Return uploaded files by their place in a job's folder; each keeps its name."""
    named = ((Path(readable_name(name)).name or "file", content) for name, content in uploads)
    return {f"{FILES}/{number:03}/{name}": content for number, (name, content) in enumerate(named)}


def read_order(record: Json) -> AdditionOrder:
    return from_json(record, AdditionOrder)


def view(job: Job, order: AdditionOrder, folder: Path | None) -> AdditionRun:
    return ActionRun(job, order, from_json(job.result, Addition) if job.result else None)
