"""Do the work of scoring runs: score submissions, score answers, stress-test metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.actions.action import ActionContext
from core.annotations import GoldClaim, Prediction, Submission
from core.averitec.answer_files import AnswerRecord
from core.scoring.leaderboard import SystemReport, report_answers, report_system
from core.scoring.open_metrics import Opening
from core.scoring.progress import ProgressMonitor
from core.scoring.registry import title
from core.scoring.stress import Movement, stress


@dataclass(frozen=True)
class Scored:
    """The result of scoring: one report per system."""

    reports: tuple[SystemReport, ...]


@dataclass(frozen=True)
class Stressed:
    """The result of a stress test."""

    movements: tuple[Movement, ...]


Result = Scored | Stressed


@dataclass(frozen=True)
class ScoringJob:
    """Submissions, and the open metrics to score them with, which the job's runner closes."""

    gold: tuple[GoldClaim, ...]
    submissions: tuple[Submission, ...]
    opening: Opening

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of its parts, in order."""
        return tuple(submission.name for submission in self.submissions)

    def work(self, context: ActionContext) -> Scored:
        """Score every submission. Raises VerideskError if one cannot be scored, Cancelled if stopped."""
        metrics = self.opening.metrics()
        reports = []
        for submission in self.submissions:
            context.begin(submission.name)
            reports.append(report_system(submission, self.gold, metrics, monitored(context)))
        return Scored(tuple(reports))


@dataclass(frozen=True)
class AnswersJob:
    """Answers to score against a key, by system name; the rest as in ScoringJob."""

    key: tuple[AnswerRecord, ...]
    given: Mapping[str, tuple[AnswerRecord, ...]]
    opening: Opening

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(self.given)

    def work(self, context: ActionContext) -> Scored:
        """Score every system's answers. Raises VerideskError if the judge cannot work, Cancelled if stopped."""
        scores = self.opening.answer_scores()
        reports = []
        for name, answers in self.given.items():
            context.begin(name)
            reports.append(report_answers(name, answers, self.key, scores, monitored(context)))
        return Scored(tuple(reports))


@dataclass(frozen=True)
class StressJob:
    """Evidence to change in known ways, and the metrics to test; the rest as in ScoringJob."""

    gold: tuple[GoldClaim, ...]
    predictions: Mapping[str, Prediction]
    opening: Opening
    seed: int = 0

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(title(name) for name in self.opening.names)

    def work(self, context: ActionContext) -> Stressed:
        """Test every metric. Raises VerideskError if one cannot be opened, Cancelled if stopped."""
        movements: list[Movement] = []
        for metric in self.opening.metrics():
            context.begin(title(metric.name))
            movements += stress(self.gold, self.predictions, metric, monitored(context), seed=self.seed)
        return Stressed(tuple(movements))


def monitored(context: ActionContext) -> ProgressMonitor:
    """Return the monitor that reports to an action's context."""
    return ProgressMonitor(context.advance, context.stop)


Job = ScoringJob | AnswersJob | StressJob


def work(job: Job, context: ActionContext) -> Result:
    """Score, or test the metrics, and close their models. Raises as the job's own `work`."""
    try:
        return job.work(context)
    finally:
        job.opening.close()
