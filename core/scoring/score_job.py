"""Define the job that scores submissions or answers, or stress-tests metrics.

Judgements are cached on disk (`core.llm.caching`), so a stopped run resumes from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from core.actions.action import Action
from core.dataclass_json import name_types
from core.jobs.action_job import ActionRun, action_kind
from core.jobs.jobs import Jobs
from core.jobs.kinds import JobKind
from core.jobs.limits import JobLimits
from core.jobs.types import Listed
from core.scoring.items import Score
from core.scoring.leaderboard import Leaderboard, SystemReport
from core.scoring.work import Job, Result, work


def score_row(system: str, score: Score) -> dict[str, Any]:
    """Return one score as JSON; `value` is null if nothing was scored."""
    row: dict[str, Any] = {
        "system": system,
        "metric": score.metric,
        "breakdown": score.group,
        "value": score.value,
        "n_scored": score.n_scored,
        "n_unscored": score.n_unscored,
        "signature": score.signature,
    }
    return row | ({"least_if_scored": score.lower, "most_if_scored": score.upper} if score.n_unscored else {})


def board_json(boards: Sequence[Leaderboard], reports: Sequence[SystemReport]) -> dict[str, Any]:
    """Return every score of every system, the leaderboards with their intervals, and the files' problems."""
    return {
        "scores": [score_row(report.name, score) for report in reports for score in report.scores],
        "leaderboards": [_board_rows(board) for board in boards],
        "problems": [
            {"system": report.name, "where": p.where, "field": p.field, "message": p.message}
            for report in reports
            for p in report.problems
        ],
        "unscored": [
            {"system": report.name, "claim": item.claim_id, "metric": item.metric, "reason": item.reason}
            for report in reports
            for item in report.items
            if item.value is None
        ],
        "judging": {
            report.name: {**asdict(report.usage), "answers_from_cache": report.usage.known}
            for report in reports
            if report.usage
        },
    }


def _board_rows(board: Leaderboard) -> dict[str, Any]:
    rows = []
    for standing in board.standings:
        score, interval = standing.report.score(board.metric), standing.interval
        rows.append(
            {
                "rank": standing.rank,
                "letters": standing.letters,
                "system": standing.report.name,
                "value": score.value if score else None,
                "low": interval.low if interval else None,
                "high": interval.high if interval else None,
                "seconds_per_claim": standing.report.seconds,
                "documents_per_claim": standing.report.documents,
            }
        )
    return {"metric": board.metric, "level": 0.95, "standings": rows}


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
