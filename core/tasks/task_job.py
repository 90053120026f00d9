"""The job that scores a team's submission. Its request is an id: gold and submission stay in the database."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sqlalchemy import Connection

from core.dataclass_json import from_json, to_json
from core.jobs.jobs import Jobs
from core.jobs.kinds import JobContext, JobKind
from core.jobs.limits import JobLimits
from core.jobs.store import JobStore
from core.jobs.types import Job, JobResult, Listed
from core.scoring.progress import ProgressMonitor
from core.storage.store import Store
from core.tasks.scores import score_submission

TASK = "task"
TRIES = 3


@dataclass(frozen=True)
class SubmissionRequest:
    """A submission to score, by its id."""

    submission: str


TaskRuns = Jobs[SubmissionRequest, Job]
"""The scoring jobs of teams; a job's owner is the team's id, so that each of its browsers sees it."""


def task_kind(store: Store) -> JobKind[SubmissionRequest, Job]:
    """Return the kind of a submission's scoring. Another server may start it again."""
    return JobKind(
        TASK,
        "a submission",
        "submissions",
        partial(handle, store),
        listed,
        to_json,
        lambda record: from_json(record, SubmissionRequest),
        lambda job, request, folder: job,
        JobLimits(waiting=200, tries=TRIES),
    )


def queue_scoring(store: Store, connection: Connection, team: str, submission: str) -> None:
    """Queue the scoring of a submission, in the transaction that keeps the submission. Both have one id."""
    request = SubmissionRequest(submission)
    asked = listed(request, None), to_json(request)
    JobStore(store).add(TASK, team, *asked, tries=TRIES, job_id=submission, connection=connection)


def handle(store: Store, request: SubmissionRequest, context: JobContext) -> JobResult:
    """Score a submission by the task's metrics, and report how many claims are done."""
    return score_submission(store, request.submission, monitor_of(context))


def monitor_of(context: JobContext) -> ProgressMonitor:
    """Return the monitor that reports a job's finished claims."""
    return ProgressMonitor(lambda done, total: context.report({"done": done, "total": total}, minor=True), context.stop)


def listed(request: SubmissionRequest, folder: Path | None) -> Listed:
    return Listed("A submission")
