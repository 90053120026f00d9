"""Define a kind of job: its handler, its request and its limits (see limits.py)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from core.errors import BadInput
from core.interfaces import Stop
from core.jobs.limits import JobLimits
from core.jobs.types import Job, JobResult, Json, Listed

RequestT = TypeVar("RequestT")
ViewT = TypeVar("ViewT")


class ReportProgress(Protocol):
    """Store the progress of a job, except minor progress soon after the last."""

    def __call__(self, progress: Json, *, minor: bool = False) -> None: ...


@dataclass(frozen=True)
class JobContext:
    """The surroundings of a running job.

    `folder` is the job's own, if its kind has folders. `stop` is true once the job is cancelled or the server closes;
    `closing` is true only if the server closes.
    """

    job: Job
    folder: Path | None
    report: ReportProgress
    stop: Stop
    closing: Stop


@dataclass(frozen=True)
class JobKind(Generic[RequestT, ViewT]):
    """One kind of job, registered with the queue.

    `handler` does a job; it raises VerideskError with a sentence for the user, or Cancelled after a stop. `listed`
    gives the columns that lists show and search; it raises VerideskError for an impossible request. `write` and `read`
    turn a request into JSON and back. `view` turns a stored job, its request and its folder into the object that pages
    show.

    `one` and `many` name its jobs in sentences. A `local` job runs on the machine that received it. With `folders`,
    each job has its own folder there, named by its id.
    """

    name: str
    one: str
    many: str
    handler: Callable[[RequestT, JobContext], JobResult]
    listed: Callable[[RequestT, Path | None], Listed]
    write: Callable[[RequestT], Json]
    read: Callable[[Json], RequestT]
    view: Callable[[Job, RequestT, Path | None], ViewT]
    limits: JobLimits = field(default_factory=JobLimits)
    local: bool = False
    folders: Path | None = None

    def request_of(self, job: Job) -> RequestT:
        """Return the request of a stored job. Raises BadInput if it is unreadable."""
        try:
            return self.read(job.request)
        except Exception as error:  # requests of other versions may raise any error
            said = f"{self.one.capitalize()} was kept by another version of Veridesk: start it again."
            raise BadInput(said) from error

    def folder(self, job_id: str) -> Path | None:
        """Return the folder of a job; None if this kind uses none."""
        return self.folders / job_id if self.folders else None
