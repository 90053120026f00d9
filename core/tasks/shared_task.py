"""A shared task's plan, teams and submissions. Times are in seconds since 1970, by the server's clock."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise

from core.annotations import Problem, Submission
from core.averitec.checking import grouped
from core.campaigns.redeeming import storable
from core.errors import BadInput
from core.jobs.types import Status
from core.scoring.judging import Judging
from core.scoring.registry import METRICS

MAX_NAME, MAX_DESCRIPTION, MAX_PHASES, MAX_DAILY = 200, 20_000, 20, 1000
DAY = 86_400
TASK_METRICS = tuple(name for name in METRICS if name != "answers")
"""The metrics of claims, in the order in which they are offered."""


@dataclass(frozen=True)
class TaskPhase:
    """A time in which teams submit: from `start` on, and before `end`."""

    name: str
    start: float
    end: float


@dataclass(frozen=True)
class TaskPlan:
    """An organiser's decisions on a task.

    The first of `metrics` ranks. Teams see the leaderboard from `opens` on, and the scores of their own submissions
    before only with `shows_scores`. A team submits at most `daily_limit` times a day of UTC.
    """

    name: str
    phases: tuple[TaskPhase, ...]
    opens: float
    description: str = ""
    daily_limit: int = 3
    metrics: tuple[str, ...] = ("hungarian-meteor", "verdict")
    shows_scores: bool = False
    judging: Judging = field(default_factory=Judging)

    def phase_at(self, now: float) -> TaskPhase | None:
        """Return the phase that is open at a time."""
        return next((phase for phase in self.phases if phase.start <= now < phase.end), None)

    def phase_named(self, name: str) -> TaskPhase:
        """Return a phase. Raises BadInput for an unknown name."""
        found = next((phase for phase in self.phases if phase.name == name), None)
        if found is None:
            raise BadInput(f"The task has no phase {name!r}: it has {', '.join(one.name for one in self.phases)}.")
        return found

    def latest_phase(self, now: float) -> TaskPhase:
        """Return the phase that began last, the first one before any began."""
        begun = [phase for phase in self.phases if phase.start <= now]
        return begun[-1] if begun else self.phases[0]


@dataclass(frozen=True)
class TaskLine:
    """One task of a list."""

    id: str
    plan: TaskPlan
    created: float
    claims: int
    teams: int


@dataclass(frozen=True)
class SharedTask:
    """A task as somebody may see it: `organises` for an organiser, `team` for a member of one. It holds no gold."""

    id: str
    plan: TaskPlan
    claims: int
    organises: bool
    team: Team | None


@dataclass(frozen=True)
class Team:
    """A team. `joined` counts the browsers and accounts that opened its link; `expires` is None without a link."""

    id: str
    name: str
    joined: int = 0
    expires: float | None = None
    revoked: bool = False


@dataclass(frozen=True)
class CheckedSubmission:
    """A readable file of a team and its problems, also those beside the gold file."""

    submission: Submission
    problems: tuple[Problem, ...]

    @property
    def accepted(self) -> bool:
        return not any(problem.fatal for problem in self.problems)

    @property
    def errors(self) -> list[str]:
        """The problems that keep it from being scored, a sentence each."""
        return [f"{p.where}: {p.field}: {p.message}" for p in grouped(self.problems) if p.fatal]


@dataclass(frozen=True)
class TeamSubmission:
    """A valid submission. `status` is its scoring job's, None if the job is gone.

    `chosen` means that the team chose it, `final` that it is the one that counts in its phase.
    """

    id: str
    team: Team
    phase: str
    file: str
    received: float
    claims: int
    chosen: bool
    final: bool
    status: Status | None


def checked_plan(plan: TaskPlan) -> TaskPlan:
    """Return the plan in the order of its phases. Raises BadInput with a sentence for each kind of fault."""
    if not plan.name.strip() or len(plan.name) > MAX_NAME:
        raise BadInput(f"The task's name has 1 to {MAX_NAME} characters.")
    if len(plan.description) > MAX_DESCRIPTION:
        raise BadInput(f"The description has at most {MAX_DESCRIPTION:,} characters.")
    storable(plan.name + plan.description + "".join(phase.name for phase in plan.phases), "The task")
    if not 1 <= plan.daily_limit <= MAX_DAILY:
        raise BadInput(f"A team submits 1 to {MAX_DAILY:,} times a day, not {plan.daily_limit}.")
    if unknown := set(plan.metrics) - set(TASK_METRICS):
        raise BadInput(f"A task has no score called {', '.join(sorted(unknown))}.")
    if not plan.metrics:
        raise BadInput("Choose at least one score.")
    if not math.isfinite(plan.opens):
        raise BadInput("Say when the leaderboard opens.")
    return TaskPlan(**vars(plan) | {"phases": _checked_phases(plan.phases), "name": plan.name.strip()})


def _checked_phases(phases: Sequence[TaskPhase]) -> tuple[TaskPhase, ...]:
    if not 1 <= len(phases) <= MAX_PHASES:
        raise BadInput(f"A task has 1 to {MAX_PHASES} phases, not {len(phases)}.")
    ordered = sorted(phases, key=lambda phase: phase.start)
    for phase in ordered:
        if not phase.name.strip() or len(phase.name) > MAX_NAME:
            raise BadInput(f"A phase's name has 1 to {MAX_NAME} characters.")
        if not phase.start < phase.end:
            raise BadInput(f"The phase {phase.name} ends before it begins: {utc(phase.end)}.")
    if len({phase.name for phase in phases}) < len(phases):
        raise BadInput("Two phases have one name: give each its own.")
    for one, other in pairwise(ordered):
        if other.start < one.end:
            raise BadInput(f"The phase {other.name} begins before {one.name} ends, at {utc(one.end)}.")
    return tuple(ordered)


def utc(seconds: float) -> str:
    """Return a time for a sentence: "24 November 2026, 02:44:01 UTC"."""
    at = datetime.fromtimestamp(seconds, UTC)
    return f"{at.day} {at:%B %Y, %H:%M:%S} UTC"
