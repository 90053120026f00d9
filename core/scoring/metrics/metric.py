"""Define the interface of a metric, from gold and predictions to items and a signature, and its registration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from core.annotations import GoldClaim, Prediction
from core.scoring.items import ItemScore, Score
from core.scoring.judging import JudgeAccess
from core.scoring.metrics.ev2r import FactJudgement
from core.scoring.own_metric import Parameter
from core.scoring.progress import UNMONITORED, ProgressMonitor
from core.scoring.usage import Usage

UNIT_RANGE = (0.0, 1.0)


@dataclass(frozen=True)
class Measured:
    """A metric's result for one system: its items by metric name, and scores that are not means of items.

    `main` names the items for the ranking. `facts` are the judge's decisions, by claim id. `ranges` has the lowest and
    highest value of an item, if not 0 and 1. `usage` is the judge's cost.
    """

    items: tuple[ItemScore, ...]
    signature: str
    main: str
    other_scores: tuple[Score, ...] = ()
    facts: Mapping[str, tuple[FactJudgement, ...]] = field(default_factory=dict)
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    usage: Usage | None = None

    def signature_of(self, metric: str) -> str:
        """Return the signature of one score; verdicts given evidence add their threshold rule."""
        rule = metric.partition(":averitec")[2].replace("@", ">")
        return f"{self.signature}|rule:evidence{rule}" if rule else self.signature


class Metric(Protocol):
    """A metric of predictions against gold claims."""

    @property
    def name(self) -> str: ...

    def measure(
        self, gold: Sequence[GoldClaim], predictions: Mapping[str, Prediction], monitor: ProgressMonitor = UNMONITORED
    ) -> Measured:
        """Score every gold claim, keyed by id. Raises Cancelled if the monitor stops."""
        ...


@dataclass(frozen=True)
class Registration:
    """The registration of a metric; `core.scoring.registry` lists them all.

    `--metric` takes `name`, which begins the names of its scores; people read `title`. `meanings` gives each score's
    range, direction and source; `columns` are the scores on its leaderboard. `ranges` as in `Measured`. `evidence`
    names the items that compare evidence, for the stress test; "" for other metrics. A `judged` metric asks a language
    model.
    """

    name: str
    title: str
    summary: str
    open: Callable[[JudgeAccess], Metric]
    meanings: Mapping[str, str]
    columns: tuple[str, ...]
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    evidence: str = ""
    judged: bool = False
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    given: Callable[[str], Registration] | None = None
