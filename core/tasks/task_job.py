"""The kind of job that scores a team's submission. Its request is an id: gold and submission stay in the database."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from sqlalchemy import select

from core.annotations import Submission
from core.dataclass_json import from_json, to_json
from core.errors import BadInput
from core.jobs.jobs import Jobs
from core.jobs.kinds import JobContext, JobKind
from core.jobs.limits import JobLimits
from core.jobs.types import Job, JobResult, Json, Listed
from core.scoring.leaderboard import SystemReport, nothing_judged, ranked_by, report_system
from core.scoring.open_metrics import Opening
from core.scoring.progress import ProgressMonitor
from core.storage.store import Store
from core.storage.tables import task_submissions, tasks
from core.tasks.task_store import gold_of, plan_of

TASK = "task"


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
        JobLimits(waiting=200, tries=3),
    )


def handle(store: Store, request: SubmissionRequest, context: JobContext) -> JobResult:
    """Score a submission by the task's metrics, and report how many claims are done."""

    def advance(done: int, total: int) -> None:
        context.report({"done": done, "total": total}, minor=True)

    return score_submission(store, request, ProgressMonitor(advance, context.stop))


def score_submission(store: Store, request: SubmissionRequest, monitor: ProgressMonitor) -> JobResult:
    """Return the scores as a job's result; the share is the ranking score. Raises as `report_system`."""
    wanted = (
        select(task_submissions.c.content, tasks.c.id, tasks.c.plan)
        .join(tasks, tasks.c.id == task_submissions.c.task)
        .where(task_submissions.c.id == request.submission)
    )
    with store.transaction() as connection:
        row = connection.execute(wanted).one_or_none()
    if row is None:
        raise BadInput("This submission is not there any more.")
    plan = plan_of(row.plan)
    opening = Opening(plan.metrics, plan.judging)
    try:
        submission = from_json(json.loads(row.content), Submission)
        report = report_system(submission, gold_of(store, row.id), opening.metrics(), monitor)
    finally:
        opening.close()
    if failure := nothing_judged([report]):
        raise BadInput(failure)
    score = report.score(report.mains[plan.metrics[0]])
    return JobResult(to_json(_for_boards(report)), share=score.value if score else None)


def listed(request: SubmissionRequest, folder: Path | None) -> Listed:
    return Listed("A submission")


def report_of(result: Json) -> SystemReport:
    """Return the scores that a job's result holds."""
    return from_json(result, SystemReport)


def _for_boards(report: SystemReport) -> SystemReport:
    """Return a report without all that no leaderboard reads: other items, and facts with the gold's words."""
    ranking = set(ranked_by(report))
    return replace(report, items=tuple(one for one in report.items if one.metric in ranking), facts={}, problems=())
