"""Define the job that scores submissions or answers, or stress-tests metrics.

Judgements are cached on disk (`core.llm.caching`), so a stopped run resumes from them.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cattrs.strategies import configure_tagged_union

from core.dataclass_json import new_converter
from core.jobs.jobs import Jobs
from core.jobs.kinds import JobContext, JobKind
from core.jobs.limits import JobLimits
from core.jobs.types import Job as QueuedJob
from core.jobs.types import JobResult as Kept
from core.jobs.types import Json, Listed, State, Status
from core.scoring.leaderboard import SystemReport
from core.scoring.progress import ProgressMonitor
from core.scoring.work import Job, Result, Scored

SCORE = "score"
MAX_KEPT = 20
"""Number of unnamed runs kept per owner; a new run deletes the oldest ended one."""


_json: Any = new_converter()  # a union of dataclasses is no type to mypy
configure_tagged_union(Job, _json)
configure_tagged_union(Result, _json)


@dataclass(frozen=True)
class Run:
    """One scoring run: its state, its input and its result."""

    status: Status
    job: Job
    result: Result | None

    @property
    def id(self) -> str:
        return self.status.id

    @property
    def state(self) -> State:
        return self.status.state

    @property
    def reports(self) -> tuple[SystemReport, ...]:
        """The systems' reports; none if the run has not scored any."""
        return self.result.reports if isinstance(self.result, Scored) else ()


Runs = Jobs[Job, Run]


def score_kind() -> JobKind[Job, Run]:
    """Return the kind of a scoring run or a stress test."""
    return JobKind(
        SCORE, "a scoring run", "scoring runs", handle, listed, _written, _read, view, JobLimits(kept=MAX_KEPT)
    )


def handle(job: Job, context: JobContext) -> Kept:
    """Score, or test the metrics, and report the current system or metric."""
    doing, begun = "", time.monotonic()

    def begin(part: str) -> None:
        nonlocal doing
        doing = part
        context.report({"doing": part, "done": 0, "total": 0})

    def advance(done: int, total: int) -> None:
        nonlocal begun
        if not done:
            begun = time.monotonic()
        context.report({"doing": doing, "done": done, "total": total, "seconds": time.monotonic() - begun}, minor=True)

    try:
        return Kept(_json.unstructure(job.work(begin, ProgressMonitor(advance, context.stop)), Result))
    finally:
        job.opening.close()


def listed(job: Job, folder: Path | None) -> Listed:
    facts = {"parts": list(job.parts), "kind": type(job).__name__}
    return Listed(", ".join(job.parts), facts, uses=job.opening.judging.model)


def view(kept: QueuedJob, job: Job, folder: Path | None) -> Run:
    return Run(kept, job, _json.structure(kept.result, Result) if kept.result else None)


def once_more(job: Job) -> Job:
    """Return a run that keeps all judgements and repeats the failed ones with another seed."""
    return replace(job, opening=job.opening.again())


def _written(job: Job) -> Json:
    return dict(_json.unstructure(job, Job))


def _read(record: Json) -> Job:
    job: Job = _json.structure(record, Job)
    return job
