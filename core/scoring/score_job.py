"""Define the job that scores submissions or answers, or stress-tests metrics.

Judgements are cached on disk (`core.llm.caching`), so a stopped run resumes from them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.actions.action import Action
from core.dataclass_json import name_types
from core.jobs.action_job import ActionRun, action_kind
from core.jobs.jobs import Jobs
from core.jobs.kinds import JobKind
from core.jobs.limits import JobLimits
from core.jobs.types import Listed
from core.scoring.work import Job, Result, work

SCORE = "score"
MAX_KEPT = 20
"""Number of unnamed runs kept per owner; a new run deletes the oldest ended one."""

name_types(Job)
name_types(Result)

Run = ActionRun[Job, Result]
Runs = Jobs[Job, Run]


def score_kind() -> JobKind[Job, Run]:
    """Return the kind of a scoring run or a stress test."""
    job: Any = Job  # unions of dataclasses are no types to mypy
    result: Any = Result
    limits = JobLimits(kept=MAX_KEPT)
    return action_kind(Action(SCORE, job, work), "a scoring run", "scoring runs", result, listed, limits)


def listed(job: Job) -> Listed:
    facts = {"parts": list(job.parts), "kind": type(job).__name__}
    return Listed(", ".join(job.parts), facts, uses=job.opening.judging.model)


def once_more(job: Job) -> Job:
    """Return a run that keeps all judgements and repeats the failed ones with another seed."""
    return replace(job, opening=job.opening.again())
