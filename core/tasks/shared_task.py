"""A shared task's plan, teams and submissions. Times are in seconds since 1970, by the server's clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.actions.fields import BadField
from core.annotations import Problem, Submission
from core.averitec.checking import grouped
from core.errors import BadInput
from core.jobs.types import Status
from core.scoring.judging import Judging
from core.scoring.registry import METRICS, metric_name
from core.scoring.usage import Usage
from core.tasks.moments import utc

MAX_NAME, MAX_TEXT, MAX_PHASES, MAX_DAILY, MAX_TOTAL = 200, 20_000, 20, 1000, 100_000
DAY = 86_400
TASK_METRICS = tuple(name for name in METRICS if name != "answers")
"""The metrics of claims, in the order in which they are offered."""


@dataclass(frozen=True)
class TaskPhase:
    """A time in which teams submit: from `start` on, and before `end`; outside the ranking also before `late`.

    Teams see its leaderboard from `opens` on, and the scores of their own submissions before only with `shows_scores`.
    A team submits at most `daily` times a day of UTC, and `total` times in all. The store gives the `id`.
    """

    name: str
    start: float
    end: float
    opens: float
    late: float | None = None
    daily: int = 3
    total: int | None = None
    shows_scores: bool = False
    id: str = ""

    @property
    def closes(self) -> float:
        """The end of late submissions, or of the phase where there are none."""
        return self.late or self.end

    def takes(self, now: float) -> bool:
        """Tell whether teams may submit at a time."""
        return self.start <= now < self.closes


@dataclass(frozen=True)
class TaskPlan:
    """An organiser's decisions on a task.

    The first of `metrics` ranks. Metrics and the judge stay as they are. `price` is that of a million of the judge's
    tokens. Teams accept the `terms` before they submit.
    """

    name: str
    phases: tuple[TaskPhase, ...]
    description: str = ""
    terms: str = ""
    metrics: tuple[str, ...] = ("hungarian-meteor", "verdict")
    judging: Judging = field(default_factory=Judging)
    price: float | None = None

    def phase(self, wanted: str) -> TaskPhase:
        """Return the phase of an id or a name. Raises BadField for another text."""
        found = next((phase for phase in self.phases if wanted in (phase.id, phase.name)), None)
        if found is None:
            names = ", ".join(one.name for one in self.phases)
            raise BadField("phase", f"The task has no phase {wanted!r}: it has {names}.")
        return found

    def latest_phase(self, now: float) -> TaskPhase:
        """Return the phase that began last, the first one before any began."""
        begun = [phase for phase in self.phases if phase.start <= now]
        return begun[-1] if begun else self.phases[0]

    def taking(self, now: float) -> tuple[TaskPhase, ...]:
        """Return the phases that take submissions at a time: the newest open one first, then late ones."""
        taking = (phase for phase in reversed(self.phases) if phase.takes(now))
        return tuple(sorted(taking, key=lambda phase: now >= phase.end))

    def phase_for(self, now: float, wanted: str = "") -> TaskPhase:
        """Return the wanted phase, or the first one of `taking`. Raises BadInput if it takes none now."""
        taking, said = self.taking(now), f"The server's clock counts: {utc(now)}."
        if wanted:
            phase = self.phase(wanted)
            if phase in taking:
                return phase
            if now < phase.start:
                raise BadInput(f"{phase.name} begins at {utc(phase.start)}. {said}")
            raise BadInput(f"{phase.name} ended at {utc(phase.closes)}. {said}")
        if taking:
            return taking[0]
        if to_come := [phase for phase in self.phases if phase.start > now]:
            raise BadInput(f"No phase is open. {to_come[0].name} begins at {utc(to_come[0].start)}. {said}")
        last = max(self.phases, key=lambda phase: phase.closes)
        raise BadInput(f"The last phase ended at {utc(last.closes)}. {said}")

    def shows_scores(self, phase: str, now: float) -> bool:
        """Tell whether teams see the scores of their own submissions to a phase."""
        found = self.phase(phase)
        return found.shows_scores or now >= found.opens


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
    """A task as somebody may see it: `organises` for an organiser, `team` for a member of one. It holds no gold.

    `claims` has the number of gold claims of each phase, by its id. `sign_up` says that teams may sign up.
    """

    id: str
    plan: TaskPlan
    claims: Mapping[str, int]
    organises: bool
    team: Team | None
    sign_up: bool = False

    def board_is_open(self, phase: TaskPhase, now: float) -> bool:
        """Tell whether somebody sees a leaderboard: an organiser always, a team from the phase's date on."""
        return self.organises or now >= phase.opens

    def shows_scores(self, phase: str, now: float) -> bool:
        """Tell whether somebody sees the scores of the submissions that they see."""
        return self.organises or self.plan.shows_scores(phase, now)


@dataclass(frozen=True)
class Team:
    """A team. `joined` counts the browsers and accounts that opened its link; `expires` is None without a link.

    One that signed up waits until it is `approved`. A `baseline` is outside the ranking. `terms` is the text that it
    accepted.
    """

    id: str
    name: str
    joined: int = 0
    expires: float | None = None
    revoked: bool = False
    approved: bool = True
    baseline: bool = False
    address: str = ""
    terms: str = ""

    @property
    def waits(self) -> bool:
        return not (self.approved or self.revoked)


@dataclass(frozen=True)
class CheckedSubmission:
    """A readable file of a team for a phase, and its problems, also those beside the gold file."""

    submission: Submission
    problems: tuple[Problem, ...]
    phase: str

    @property
    def accepted(self) -> bool:
        return not any(problem.fatal for problem in self.problems)

    @property
    def errors(self) -> list[str]:
        """The problems that keep it from being scored, a sentence each."""
        return [f"{p.where}: {p.field}: {p.message}" for p in grouped(self.problems) if p.fatal]


@dataclass(frozen=True)
class TeamSubmission:
    """A valid submission to the phase of this id. `status` is its scoring job's, None if the job is gone.

    `chosen` means that the team chose it, `final` that it is the one that counts in its phase. A `late` one never is.
    `gold` is the id of the gold file in force, `scored` says that it has scores by that one. `score` is the one that
    ranks, `spent` the judge's cost.
    """

    id: str
    team: Team
    phase: str
    file: str
    received: float
    claims: int
    late: bool
    chosen: bool
    final: bool
    gold: str
    scored: bool
    score: float | None
    status: Status | None
    spent: Usage | None


def checked_plan(plan: TaskPlan) -> TaskPlan:
    """Return the plan in the order of its phases. Raises BadField with a sentence for each kind of fault."""
    from core.campaigns.redeeming import storable  # SQLAlchemy, for which `--help` should not wait

    if not plan.name.strip() or len(plan.name) > MAX_NAME:
        raise BadField("name", f"The task's name has 1 to {MAX_NAME} characters.")
    for name in ("description", "terms"):
        if len(getattr(plan, name)) > MAX_TEXT:
            raise BadField(name, f"The {name} can have at most {MAX_TEXT:,} characters.")
    storable(plan.name + plan.description + plan.terms + "".join(phase.name for phase in plan.phases), "The task")
    for name in plan.metrics:
        try:
            metric_name(name)
        except BadInput as error:
            raise BadField("metric", f"A task has no score called {name}. {error}") from error
    if not plan.metrics:
        raise BadField("metric", "Choose at least one score.")
    if not 1 <= len(plan.phases) <= MAX_PHASES:
        raise BadInput(f"A task has 1 to {MAX_PHASES} phases, not {len(plan.phases)}.")
    phases = tuple(sorted(map(checked_phase, plan.phases), key=lambda phase: phase.start))
    if len({phase.name.casefold() for phase in phases}) < len(phases):
        raise BadField("phase", "Two phases have one name: give each its own.")
    return replace(plan, phases=phases, name=plan.name.strip())


def checked_phase(phase: TaskPhase) -> TaskPhase:
    """Return a phase with its name on one line. Raises BadField, with the field and a sentence, for a fault."""
    name = " ".join(phase.name.split())
    if not 0 < len(name) <= MAX_NAME:
        raise BadField("phase", f"A phase's name has 1 to {MAX_NAME} characters.")
    if not phase.start < phase.end:
        raise BadField("end", f"The phase ends before it begins, at {utc(phase.start)}.")
    if phase.late is not None and phase.late <= phase.end:
        raise BadField("late", f"Late submissions end after the phase does, at {utc(phase.end)}.")
    if not 1 <= phase.daily <= MAX_DAILY:
        raise BadField("daily", f"A team submits 1 to {MAX_DAILY:,} times a day, not {phase.daily}.")
    if phase.total is not None and not 1 <= phase.total <= MAX_TOTAL:
        raise BadField("total", f"A team submits 1 to {MAX_TOTAL:,} times in all, not {phase.total}.")
    return replace(phase, name=name)
