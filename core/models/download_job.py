"""Define the job that downloads a model and resumes after a break."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from core.dataclass_json import from_json, to_json
from core.errors import BadInput
from core.files import writing
from core.interfaces import Stop
from core.jobs.jobs import Jobs
from core.jobs.kinds import JobContext, JobKind, ReportProgress
from core.jobs.limits import JobLimits
from core.jobs.queue import JobQueue
from core.jobs.types import Job, JobResult, Json, Listed, State
from core.models.download_plan import (
    DownloadPlan,
    FreeSpace,
    check_room,
    check_sizes,
    discard_arrived,
    free_space,
    is_there,
    put_in_place,
)
from core.models.download_progress import DownloadProgress
from core.models.hub import HubModel, file_url
from core.models.installed import record_download
from core.models.transfer import discard, fetch

_LOG = logging.getLogger(__name__)

DOWNLOAD = "download"
LOCK_SECONDS = 10.0
EVERYBODY = "everybody"
"""The owner of downloads, because all users of the server share models."""


@dataclass(frozen=True)
class Download:
    """A download with its job's report and the bytes in the folder."""

    job: Job
    plan: DownloadPlan
    received: int

    @property
    def state(self) -> State:
        return self.job.state

    @property
    def doing(self) -> str:
        """Its present activity, from `core.models.download_plan`; empty unless it runs."""
        return str(self.job.progress["doing"]) if self.state is State.RUNNING and self.job.progress else ""

    @property
    def sentence(self) -> str:
        """The last event for the user, such as a failure or a new start; empty without one."""
        if self.state is not State.RUNNING:
            return self.job.error if self.state is State.FAILED else ""
        if self.job.stop:
            return "Being cancelled: it ends at the server's next bytes or time-out."
        return str(self.job.progress["said"]) if self.job.progress else ""

    @property
    def bytes_per_second(self) -> float:
        """Bytes per second, over the last seconds."""
        if not self.doing or not self.job.progress or not self.job.progress["since"]:
            return 0.0
        began, received = self.job.progress["since"]
        return float(max(self.received - received, 0) / max(time.time() - began, 0.001))

    @property
    def seconds_left(self) -> float | None:
        """Seconds for the rest at this speed; None while nothing arrives."""
        speed = self.bytes_per_second
        return (self.plan.model.size - self.received) / speed if speed > 0 else None


def read_plan(record: Json) -> DownloadPlan:
    return from_json(record, DownloadPlan)


class Downloads:
    """The downloads to a machine's models folder, one job per model. One runs at a time; the others wait."""

    def __init__(self, folder: Path, hub: Callable[[], str], queue: JobQueue, *, free: FreeSpace = free_space) -> None:
        self.folder, self.hub, self.free = folder, hub, free
        self.jobs: Jobs[DownloadPlan, Download] = Jobs(queue, self._kind(queue.place))

    def start(self, model: HubModel, *, licence: str) -> None:
        """Start a download, or continue an ended one; waiting and running downloads stay unchanged.

        Raises BadInput if another file has the name of one of its own. Raises it also if the disk has too little room,
        or if too many wait.
        """
        plan = DownloadPlan(model, licence)
        with self._alone():
            known = {one.plan.name: one for one in self._known()}
            before = known.get(plan.name)
            if before and before.state.live:
                return
            check_sizes(plan, self.folder)
            owed = sum(one.plan.model.size - one.received for one in known.values() if one.state.live)
            check_room(plan, self.folder, free=self.free(self.folder), owed=owed)
            if before:
                self.jobs.resume(before.job, plan)
            else:
                self.jobs.start(EVERYBODY, plan)

    def all(self) -> tuple[Download, ...]:
        """Return the downloads of this machine, oldest first, in any state.

        A finished download is left out if somebody has deleted its model.
        """
        return tuple(one for one in self._known() if one.state is not State.DONE or one.received == one.plan.model.size)

    def resume(self, download: Download) -> None:
        """Continue an ended download. Raises as `start`."""
        self.start(download.plan.model, licence=download.plan.licence)

    def forget(self, download: Download) -> None:
        """Remove an ended download from the list. Raises BadInput while it waits or runs."""
        with self._alone():
            self._check_ended(download)
            self.jobs.delete(download.job)

    def discard(self, download: Download) -> None:
        """Remove a download from the list as `forget`, and delete its bytes."""
        with self._alone():
            self._check_ended(download)
            discard_arrived(download.plan, self.folder)
            self.jobs.delete(download.job)

    def _kind(self, place: str) -> JobKind[DownloadPlan, Download]:
        def handle(plan: DownloadPlan, context: JobContext) -> JobResult:
            check_room(plan, self.folder, free=self.free(self.folder))
            download(plan, self.folder, self.hub(), context.report, context.stop)
            return JobResult({})

        def listed(plan: DownloadPlan, folder: Path | None) -> Listed:
            return Listed(plan.name, slot=place)

        def view(job: Job, plan: DownloadPlan, folder: Path | None) -> Download:
            return Download(job, plan, plan.received(self.folder))

        return JobKind(
            DOWNLOAD, "a download", "downloads", handle, listed, to_json, read_plan, view,
            limits=JobLimits(waiting_per_owner=40), local=True,
        )  # fmt: skip

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other threads, and other servers of this folder, from deciding on downloads at the same time."""
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.folder.with_suffix(".lock"))
            try:
                lock.acquire(timeout=LOCK_SECONDS)
            except Timeout as error:
                raise BadInput(
                    f"Another server of {self.folder} has decided on a download for more than {LOCK_SECONDS:g} "
                    "seconds: try again, or restart it."
                ) from error
        try:
            yield
        finally:
            lock.release()

    def _known(self) -> Iterator[Download]:
        listed = self.jobs.search(EVERYBODY, slot=self.jobs.queue.place).entries
        for status in reversed(listed):
            try:
                if found := self.jobs.find(status.id, EVERYBODY):
                    yield found
            except BadInput as error:
                _LOG.warning("Job %s is left out: %s", status.id, error)

    def _check_ended(self, download: Download) -> None:
        status = self.jobs.status(download.job.id, EVERYBODY)
        if status and status.state.live:
            raise BadInput(f"{download.plan.name} is being downloaded. Cancel it first.")


def download(plan: DownloadPlan, folder: Path, hub: str, report: ReportProgress, stop: Stop) -> None:
    """Download the missing files of a model to `folder`; resume where an earlier call ended.

    Raises VerideskError after a failure, and Cancelled after a stop; downloaded bytes are kept.
    """
    progress = DownloadProgress(report, stop)
    files = plan.model.files
    for file in files:
        progress.checked()
        part = plan.part(folder, file)
        with writing(part):
            part.parent.mkdir(exist_ok=True)
        if is_there(file, plan.path(folder, file), stop=stop):
            discard(part)
        else:
            url = file_url(hub, plan.model.repository, file.path)
            fetch(file, url, part, progress)
        progress.before += file.size
    for file in reversed(files):  # the first part last, because its presence marks an installed model
        if (part := plan.part(folder, file)).exists():
            put_in_place(part, plan.path(folder, file), file.sha256)
    record_download(plan.model, plan.licence, folder=folder)
