"""Stress-test evidence metrics: how far they move when the evidence is changed in known ways."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any

from core.actions.action import Action, ActionContext, ResultFile
from core.actions.fields import BadField, Between, Choices, FromFile, Help
from core.annotations import Submission
from core.averitec.averitec import parse_submission
from core.errors import BadInput
from core.scoring.judge_settings import JudgeSettings
from core.scoring.leaderboard_tables import movement_table
from core.scoring.open_metrics import Opening
from core.scoring.registry import EVIDENCE_ITEMS, TITLES, evidence_name
from core.scoring.score import MOST_CLAIMS, GoldFile, gold_file
from core.scoring.stress import as_predictions
from core.scoring.work import Stressed, StressJob, work

METRICS = Choices({name: TITLES[name] for name in EVIDENCE_ITEMS}, evidence_name)
PICTURES = (".svg", ".pdf", ".png")


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
    metric: Annotated[tuple[str, ...], METRICS, Help("the metrics to test", "Metrics")] = ("hungarian-meteor",)
    first: Annotated[int | None, Between(1, MOST_CLAIMS), Help("only the first N gold claims", "Claims")] = None
    seed: Annotated[int, Between(0, 2**32 - 1), Help("seed of the random changes")] = 0

    def __post_init__(self) -> None:
        if not self.gold.claims:
            raise BadField("gold", f"{self.gold.name} has no annotated claims: the test needs their evidence.")
        if not self.metric:
            raise BadField("metric", "Choose at least one metric.")

    @property
    def job(self) -> StressJob:
        """The test of these files. Raises BadField if the gold file is of another split."""
        claims = tuple(claim for claim in self.gold.claims[: self.first] if claim.pairs)
        predictions = self.submission.by_id if self.submission else as_predictions(claims)
        if not any(claim.id in predictions for claim in claims):
            raise BadField("gold", "None of these claims has evidence to change: is this another split?")
        return StressJob(claims, predictions, Opening(tuple(dict.fromkeys(self.metric)), self.judging), self.seed)


def stress(request: StressRequest, context: ActionContext) -> Stressed:
    """Return the movement of each metric. Raises as `StressJob.work`."""
    result = work(request.job, context)
    assert isinstance(result, Stressed)
    return result


def rows(result: Stressed) -> list[dict[str, Any]]:
    return [{**asdict(one), "finding": one.finding} for one in result.movements]


def picture_of(result: Stressed, ending: str) -> str | bytes:
    """Return the picture of the movements. Raises BadInput if nothing moved."""
    from core.scoring.charts import movement_chart
    from core.tabular.charts import picture

    chart = movement_chart(result.movements)
    if chart is None:
        raise BadInput("There is nothing to draw: no item was changed and scored both times.")
    return picture(chart, ending.removeprefix("."))


STRESS = Action(
    "stress",
    StressRequest,
    stress,
    tables=lambda result: [movement_table(result.movements)],
    json=rows,
    files=(ResultFile("chart", "write a picture of the movements: .svg, .pdf or .png", picture_of, PICTURES),),
    json_help="the movements",
    unit="claims",
)
