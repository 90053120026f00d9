"""Score submissions, or answers to questions, against gold annotations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from core.actions.action import Action, ActionContext, Later, ResultFile
from core.actions.fields import BadField, Between, Choices, FromFile, Help
from core.annotations import GoldClaim, Submission, without_scraped_text
from core.averitec.answer_files import AnswerRecord, holds_answers, parse_answers, parse_key
from core.averitec.averitec import parse_gold, parse_submission
from core.averitec.checking import problem_lines
from core.errors import BadInput
from core.scoring.judge_settings import JudgeSettings
from core.scoring.leaderboard import (
    Leaderboard,
    SystemReport,
    distinct_names,
    leaderboard,
    metric_faults,
    nothing_judged,
    ranked_by,
)
from core.scoring.leaderboard_tables import board_table, breakdown_table, items_table
from core.scoring.metrics.hungarian_meteor import equals_shared_task
from core.scoring.open_metrics import Opening
from core.scoring.registry import TITLES, metric_name
from core.scoring.work import AnswersJob, Job, Scored, ScoringJob, work
from core.tabular.exports import to_csv
from core.tabular.table import Table
from core.wording import numbered_names, readable_name

DEFAULT_METRICS = ("hungarian-meteor", "verdict")
ANSWERS = "answers"
OFFERED = {**TITLES, ANSWERS: "Justifications"}
MOST_CLAIMS = 10_000_000


def scored_name(name: str) -> str:
    """Return a score's name in its one spelling. Raises BadInput."""
    return name if name == ANSWERS else metric_name(name)


SCORES = Choices(OFFERED, scored_name)


@dataclass(frozen=True)
class GoldFile:
    """A gold file: annotated claims, or questions with their correct answers."""

    name: str
    claims: list[GoldClaim] = field(default_factory=list)
    key: list[AnswerRecord] = field(default_factory=list)


def gold_file(name: str, content: bytes) -> GoldFile:
    """Return the content of a gold file. Raises BadInput, BadRecord if it cannot be read."""
    if holds_answers(name, content):
        return GoldFile(name, key=parse_key(name, content))
    return GoldFile(name, parse_gold(name, content))


@dataclass(frozen=True)
class SystemFile:
    """A system's file, read as the gold file demands. Both readings raise BadRecord for a file of another kind."""

    name: str
    content: bytes = field(repr=False)

    @cached_property
    def submission(self) -> Submission:
        return without_scraped_text(parse_submission(self.name, self.content))

    @cached_property
    def answers(self) -> tuple[AnswerRecord, ...]:
        return tuple(parse_answers(self.name, self.content))

    @property
    def system(self) -> str:
        return readable_name(Path(self.name).stem)


@dataclass(frozen=True, kw_only=True)
class ScoreRequest(JudgeSettings):
    """Score submissions against gold annotations."""

    submission: Annotated[
        tuple[SystemFile, ...],
        FromFile(SystemFile),
        Help("a file for each system, named after it, in JSON, JSON lines or the leaderboard's CSV", "Submissions"),
    ]
    gold: Annotated[
        GoldFile,
        FromFile(gold_file),
        Help(
            "AVeriTeC JSON or JSON lines, or the leaderboard's CSV (without claim types). Also questions with "
            "correct answers, in JSON or JSON lines",
            "Gold annotations",
        ),
    ]
    metric: Annotated[tuple[str, ...], SCORES, Help("the scores to compute", "Scores")] = DEFAULT_METRICS
    first: Annotated[int | None, Between(1, MOST_CLAIMS), Help("only the first N gold claims")] = None
    breakdown: Annotated[bool, Help("also print scores by claim type and gold verdict")] = False
    fetch_words: Annotated[bool, Help("first fetch NLTK's Punkt and WordNet over the network")] = False

    @property
    def job(self) -> Job:
        """The scoring of these files. Raises BadField for a file that cannot be read, or of another kind."""
        return self._answers_job() if self.gold.key else self._claims_job()

    def _claims_job(self) -> ScoringJob:
        gold, read = self.gold.claims, distinct_names(self._read(lambda file: file.submission))
        later = {claim.id for claim in gold[self.first :] if self.first}
        given = (replace(s, predictions=tuple(p for p in s.predictions if p.claim_id not in later)) for s in read)
        return ScoringJob(tuple(gold[: self.first]), tuple(given), Opening(self.metric, self.judging))

    def _answers_job(self) -> AnswersJob:
        if self.metric not in (DEFAULT_METRICS, (ANSWERS,)):
            raise BadField("metric", f"{self.gold.name} holds questions with answers: only {ANSWERS!r} can score them.")
        key = self.gold.key
        later = {record.id for record in key[self.first :] if self.first}
        names = numbered_names(file.system for file in self.submission)
        read = self._read(lambda file: tuple(record for record in file.answers if record.id not in later))
        given = dict(zip(names, read, strict=True))
        return AnswersJob(tuple(key[: self.first]), given, Opening((ANSWERS,), self.judging))

    def _read(self, read: Callable[[SystemFile], Any]) -> list[Any]:
        try:
            return [read(file) for file in self.submission]
        except BadInput as error:
            raise BadField("submission", str(error)) from error


@dataclass(frozen=True)
class Board:
    """The reports of the systems, their leaderboards by each ranking score, and whether to show breakdowns."""

    reports: Sequence[SystemReport]
    boards: Sequence[Leaderboard]
    breakdown: bool = False


def score(request: ScoreRequest, context: ActionContext) -> Board:
    """Score every system, and tell the remarks on its file and its cost. Raises as `ScoringJob.work`."""
    job = request.job
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


def tables(board: Board) -> list[Table]:
    """Return each leaderboard, and its breakdown if asked; LaTeX wants a label of its own for each."""
    made = [replace(board_table(one), name=f"leaderboard-{place}") for place, one in enumerate(board.boards, start=1)]
    if not board.breakdown:
        return made
    return [table for one, main in zip(board.boards, made, strict=True) for table in (main, breakdown_table(one))]


SCORE = Action(
    "score",
    ScoreRequest,
    score,
    tables=tables,
    json=lambda board: Later("core.scoring.score_job").board_json(board.boards, board.reports),
    files=(ResultFile("items", "write one CSV row per item and metric", lambda b, _: to_csv(items_table(b.reports))),),
    good=lambda board: bool(board.boards),
    json_help="every score, with its signature,",
    unit="claims",
)
