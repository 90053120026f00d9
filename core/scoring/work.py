"""Do the work of scoring: read the files, score submissions or answers, stress-test metrics; and show the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from core.actions.action import ActionContext
from core.actions.fields import BadField
from core.annotations import GoldClaim, Prediction, Submission
from core.averitec.answer_files import AnswerRecord
from core.averitec.checking import problem_lines
from core.errors import BadInput
from core.scoring.leaderboard import (
    Leaderboard,
    SystemReport,
    distinct_names,
    leaderboard,
    metric_faults,
    nothing_judged,
    ranked_by,
    report_answers,
    report_system,
)
from core.scoring.leaderboard_tables import board_table, breakdown_table, items_table
from core.scoring.metrics.hungarian_meteor import equals_shared_task
from core.scoring.open_metrics import Opening
from core.scoring.progress import ProgressMonitor
from core.scoring.registry import title
from core.scoring.score import ANSWERS, DEFAULT_METRICS, ScoreRequest, StressRequest, SystemFile
from core.scoring.stress import Movement, as_predictions, stress
from core.tabular.exports import to_csv
from core.tabular.table import Table
from core.wording import numbered_names


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


def scoring_job(request: ScoreRequest) -> ScoringJob | AnswersJob:
    """Return the scoring of these files. Raises BadField for a file that cannot be read, or of another kind."""
    return _answers_job(request) if request.gold.key else _claims_job(request)


def _claims_job(request: ScoreRequest) -> ScoringJob:
    gold, read = request.gold.claims, distinct_names(_read(request, lambda file: file.submission))
    later = {claim.id for claim in gold[request.first :] if request.first}
    given = (replace(s, predictions=tuple(p for p in s.predictions if p.claim_id not in later)) for s in read)
    return ScoringJob(tuple(gold[: request.first]), tuple(given), Opening(request.metric, request.judging))


def _answers_job(request: ScoreRequest) -> AnswersJob:
    if request.metric not in (DEFAULT_METRICS, (ANSWERS,)):
        raise BadField("metric", f"{request.gold.name} holds questions with answers: only {ANSWERS!r} can score them.")
    key = request.gold.key
    later = {record.id for record in key[request.first :] if request.first}
    names = numbered_names(file.system for file in request.submission)
    read = _read(request, lambda file: tuple(record for record in file.answers if record.id not in later))
    given = dict(zip(names, read, strict=True))
    return AnswersJob(tuple(key[: request.first]), given, Opening((ANSWERS,), request.judging))


def _read(request: ScoreRequest, read: Callable[[SystemFile], Any]) -> list[Any]:
    try:
        return [read(file) for file in request.submission]
    except BadInput as error:
        raise BadField("submission", str(error)) from error


def stress_job(request: StressRequest) -> StressJob:
    """Return the test of these files. Raises BadField if the gold file is of another split."""
    claims = tuple(claim for claim in request.gold.claims[: request.first] if claim.pairs)
    predictions = request.submission.by_id if request.submission else as_predictions(claims)
    if not any(claim.id in predictions for claim in claims):
        raise BadField("gold", "None of these claims has evidence to change: is this another split?")
    return StressJob(claims, predictions, Opening(tuple(dict.fromkeys(request.metric)), request.judging), request.seed)


@dataclass(frozen=True)
class Board:
    """The reports of the systems, their leaderboards by each ranking score, and whether to show breakdowns."""

    reports: Sequence[SystemReport]
    boards: Sequence[Leaderboard]
    breakdown: bool = False


def score(request: ScoreRequest, context: ActionContext) -> Board:
    """Score every system, and tell the remarks on its file and its cost. Raises as `ScoringJob.work`."""
    job = scoring_job(request)
    if request.fetch_words:
        fetch_words(context.tell)
    result = work(job, context)
    assert isinstance(result, Scored)
    signatures = {score.signature for report in result.reports for score in report.scores}
    for doubt in filter(None, map(doubt_of_words, sorted(signatures))):
        context.tell(doubt)
    for report in result.reports:
        for line in problem_lines(report.problems) if isinstance(job, ScoringJob) else ():
            context.tell(f"{report.name}\t{line}")
        if report.usage:
            cost = f" Cost: {report.usage.cost_words(request.price)}." if request.price is not None else ""
            context.tell(f"{report.name}: {report.usage.words}{cost}")
    for sentence in metric_faults(result.reports):
        context.tell(sentence)
    if failure := nothing_judged(result.reports):
        context.tell(failure)
        return Board(result.reports, ())
    boards = [leaderboard(result.reports, main) for main in ranked_by(result.reports[0])]
    return Board(result.reports, boards, request.breakdown)


def fetch_words(tell: Callable[[str], None]) -> None:
    """Fetch Punkt and WordNet over the network, and tell which could not be fetched."""
    from core.scoring.metrics.words import fetch_language_data

    if absent := fetch_language_data():
        tell(f"These could not be fetched: {', '.join(absent)}.")


def doubt_of_words(signature: str) -> str:
    """Return a warning if Hungarian METEOR of this signature differs from the shared task's, else ""."""
    if not signature.startswith("hungarian-meteor") or equals_shared_task(signature):
        return ""
    return (
        f"Punkt's tables or WordNet 3.0 are not on this machine ({signature}): Hungarian METEOR will differ from the "
        "shared task's. Set NLTK_DATA, install Debian's wordnet-base, or run `python -m core score --fetch-words`."
    )


def board_tables(board: Board) -> list[Table]:
    """Return each leaderboard, and its breakdown if asked; LaTeX wants a label of its own for each."""
    made = [replace(board_table(one), name=f"leaderboard-{place}") for place, one in enumerate(board.boards, start=1)]
    if not board.breakdown:
        return made
    return [table for one, main in zip(board.boards, made, strict=True) for table in (main, breakdown_table(one))]


def items_csv(board: Board, ending: str) -> str:
    return to_csv(items_table(board.reports))


def stress_metrics(request: StressRequest, context: ActionContext) -> Stressed:
    """Return the movement of each metric. Raises as `StressJob.work`."""
    result = work(stress_job(request), context)
    assert isinstance(result, Stressed)
    return result


def movement_rows(result: Stressed) -> list[dict[str, Any]]:
    return [{**asdict(one), "finding": one.finding} for one in result.movements]


def picture_of(result: Stressed, ending: str) -> str | bytes:
    """Return the picture of the movements. Raises BadInput if nothing moved."""
    from core.scoring.charts import movement_chart
    from core.tabular.charts import picture

    chart = movement_chart(result.movements)
    if chart is None:
        raise BadInput("There is nothing to draw: no item was changed and scored both times.")
    return picture(chart, ending.removeprefix("."))
