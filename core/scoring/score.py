"""Declare the scoring of submissions, or of answers to questions, and the stress test of metrics."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated

from core.actions.action import Action, Later, ResultFile
from core.actions.fields import BadField, Between, Choices, FromFile, Help
from core.annotations import GoldClaim, Submission, without_scraped_text
from core.averitec.answer_files import AnswerRecord, holds_answers, parse_answers, parse_key
from core.averitec.averitec import parse_gold, parse_submission
from core.scoring.judge_settings import JudgeSettings
from core.scoring.registry import EVIDENCE_ITEMS, TITLES, evidence_name, metric_name
from core.wording import readable_name

DEFAULT_METRICS = ("hungarian-meteor", "verdict")
ANSWERS = "answers"
OFFERED = {**TITLES, ANSWERS: "Justifications"}
MOST_CLAIMS = 10_000_000


def scored_name(name: str) -> str:
    """Return a score's name in its one spelling. Raises BadInput."""
    return name if name == ANSWERS else metric_name(name)


SCORES = Choices(OFFERED, scored_name)
STRESSED = Choices({name: TITLES[name] for name in EVIDENCE_ITEMS}, evidence_name)


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


@dataclass(frozen=True, kw_only=True)
class StressRequest(JudgeSettings):
    """Stress-test metrics on annotated claims."""

    gold: Annotated[
        GoldFile, FromFile(gold_file), Help("annotated claims in JSON, JSON lines or CSV", "Gold annotations")
    ]
    submission: Annotated[
        Submission | None,
        FromFile(parse_submission),
        Help(
            "the evidence to change; without one it is the gold evidence, which every metric scores highest",
            "Evidence to change (optional)",
        ),
    ] = None
    metric: Annotated[tuple[str, ...], STRESSED, Help("the metrics to test", "Metrics")] = ("hungarian-meteor",)
    first: Annotated[int | None, Between(1, MOST_CLAIMS), Help("only the first N gold claims", "Claims")] = None
    seed: Annotated[int, Between(0, 2**32 - 1), Help("seed of the random changes")] = 0

    def __post_init__(self) -> None:
        if not self.gold.claims:
            raise BadField("gold", f"{self.gold.name} has no annotated claims: the test needs their evidence.")
        if not self.metric:
            raise BadField("metric", "Choose at least one metric.")


work = Later("core.scoring.work")
SCORE = Action(
    "score",
    ScoreRequest,
    work.score,
    tables=work.board_tables,
    json=lambda board: Later("core.scoring.score_job").board_json(board.boards, board.reports),
    files=(ResultFile("items", "write one CSV row per item and metric", work.items_csv),),
    good=lambda board: bool(board.boards),
    json_help="every score, with its signature,",
    unit="claims",
)
