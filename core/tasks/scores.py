"""Scores of submissions in the database, by submission and gold file, and the judge's cost."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from sqlalchemy import Connection, select, update

from core.annotations import GoldClaim, Submission
from core.dataclass_json import from_json, to_json
from core.errors import BadInput
from core.jobs.types import JobResult
from core.scoring.leaderboard import SystemReport, nothing_judged, ranked_by, report_system
from core.scoring.metrics.metric import Metric
from core.scoring.open_metrics import Opening
from core.scoring.progress import ProgressMonitor
from core.scoring.usage import Usage
from core.storage.database import upsert
from core.storage.store import Store
from core.storage.tables import task_golds, task_scores, task_submissions, tasks
from core.tasks.gold_store import claims_in, gold_id
from core.tasks.shared_task import TaskPlan
from core.tasks.task_store import lock_task, plan_of

RECORD_SECONDS = 5.0
"""The cost of a scoring is written at least this often, so that a kill loses little of it."""


@dataclass
class TaskScorer:
    """Scores submissions of one task by its own metrics and judge; used as a context."""

    store: Store
    plan: TaskPlan
    monitor: ProgressMonitor
    opening: Opening = field(init=False)
    metrics: list[Metric] = field(default_factory=list, init=False)
    recorded: Usage = field(default_factory=Usage)
    at: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.opening = Opening(self.plan.metrics, self.plan.judging)

    def score(self, submission: str, content: str, gold: list[GoldClaim], monitor: ProgressMonitor) -> SystemReport:
        """Return a submission's scores. The judge's cost is recorded, also that of a scoring that fails.

        Raises BadInput if nothing could be judged, and as `report_system`.
        """
        self.metrics = self.metrics or self.opening.metrics()
        told = replace(monitor, on_progress=lambda done, total: self._advance(submission, monitor, done, total))
        try:
            report = report_system(from_json(json.loads(content), Submission), gold, self.metrics, told)
        finally:
            self._record(submission)
        if failure := nothing_judged([report]):
            raise BadInput(failure)
        return report

    def _advance(self, submission: str, monitor: ProgressMonitor, done: int, total: int) -> None:
        monitor.on_progress(done, total)
        if time.monotonic() - self.at > RECORD_SECONDS:
            self._record(submission)

    def _record(self, submission: str) -> None:
        """Add the judge's cost since the last record to that of the submission."""
        self.at, spent = time.monotonic(), self.opening.spent
        new, self.recorded = spent - self.recorded, replace(spent)
        if new == Usage():
            return
        mine = task_submissions.c.id == submission
        with self.store.transaction(writing=True) as connection:
            before = connection.scalar(select(task_submissions.c.spent).where(mine).with_for_update())
            total = (usage_of(before or "") or Usage()) + new
            connection.execute(update(task_submissions).where(mine).values(spent=json.dumps(to_json(total))))


@contextmanager
def scorer(store: Store, plan: TaskPlan, monitor: ProgressMonitor) -> Iterator[TaskScorer]:
    """Open a task's scorer, and close its judge at the end."""
    made = TaskScorer(store, plan, monitor)
    try:
        yield made
    finally:
        made.opening.close()


def score_submission(store: Store, submission: str, monitor: ProgressMonitor) -> JobResult:
    """Score a submission by the gold in force, and keep its scores. The job's share is the ranking score.

    If another gold file comes into force meanwhile, score by that one too. Raises as `TaskScorer.score`.
    """
    wanted = (
        select(task_submissions.c.content, task_submissions.c.phase, tasks.c.id, tasks.c.plan)
        .join(tasks, tasks.c.id == task_submissions.c.task)
        .where(task_submissions.c.id == submission)
    )
    with store.transaction() as connection:
        row = connection.execute(wanted).one_or_none()
    if row is None:
        raise BadInput("This submission is not there any more.")
    plan = plan_of(row.plan)
    with scorer(store, plan, monitor) as scoring:
        while True:
            with store.transaction() as connection:
                gold = gold_id(connection, row.id, row.phase)
                claims = claims_in(connection, gold)
            report = scoring.score(submission, row.content, claims, monitor)
            with store.transaction(writing=True) as connection:
                lock_task(connection, row.id)
                score = keep_score(connection, submission, gold, report, plan, now=store.clock())
                if gold_id(connection, row.id, row.phase) == gold:
                    return JobResult({"gold": gold}, share=score)


def keep_score(
    connection: Connection, submission: str, gold: str, report: SystemReport, plan: TaskPlan, *, now: float
) -> float | None:
    """Store a submission's scores by a gold file, and return the one that ranks."""
    score = report.score(report.mains[plan.metrics[0]])
    value = score.value if score else None
    written = json.dumps(to_json(_for_boards(report)))
    row = {"submission": submission, "gold": gold, "score": value, "made": now, "report": written}
    upsert(connection, task_scores, row)
    return value


def scores_by(connection: Connection, golds: Collection[str]) -> dict[tuple[str, str], float | None]:
    """Return the ranking scores by these gold files, by submission and gold file."""
    wanted = select(task_scores.c.submission, task_scores.c.gold, task_scores.c.score)
    rows = connection.execute(wanted.where(task_scores.c.gold.in_(golds)))
    return {(row.submission, row.gold): row.score for row in rows}


def reports_of(store: Store, submissions: Collection[str], gold: str = "") -> dict[str, SystemReport]:
    """Return the scores of submissions by their id, by the gold in force or another file of their phase.

    One without a score is left out.
    """
    wanted = select(task_scores.c.submission, task_scores.c.report).where(task_scores.c.submission.in_(submissions))
    if gold:
        wanted = wanted.where(task_scores.c.gold == gold)
    # Where no gold file is named, the last one wins.
    ordered = wanted.join(task_golds, task_golds.c.id == task_scores.c.gold).where(task_golds.c.since.is_not(None))
    with store.transaction() as connection:
        rows = connection.execute(ordered.order_by(task_golds.c.number)).all()
    last = {row.submission: row.report for row in rows}
    return {submission: from_json(json.loads(report), SystemReport) for submission, report in last.items()}


def usage_of(written: str) -> Usage | None:
    """Return the judge's cost that a row holds, None if nothing was asked."""
    return from_json(json.loads(written), Usage) if written else None


def _for_boards(report: SystemReport) -> SystemReport:
    """Return a report without all that no leaderboard reads: other items, and facts with the gold's words."""
    ranking = set(ranked_by(report))
    return replace(report, items=tuple(one for one in report.items if one.metric in ranking), facts={}, problems=())
