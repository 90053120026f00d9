"""The metrics by name, each with one shape: gold and predictions in, items and a signature out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from core.annotations import GoldClaim, Prediction
from core.scoring.averitec import (
    LEVELS,
    PAIRS,
    TYPE_LEVEL,
    cut_at,
    hungarian_meteor,
    meteor_signature,
    veracity_at,
)
from core.scoring.ev2r import FactJudgement
from core.scoring.items import ItemScore, Score
from core.scoring.meteor import Language
from core.scoring.verdict import ACCURACY, SIGNATURE, accuracy_items, f1_scores
from core.scoring.watch import UNWATCHED, Watch

METRICS = {
    "hungarian-meteor": "the shared task's legacy score: best one-to-one METEOR of evidence, and verdicts given it",
    "soft-coverage": "recall of the gold evidence by MiniLM vectors; needs no language model; not Ev²R",
    "ev2r": "recall of the gold evidence's facts by a language model as judge, and verdicts given it",
    "verdict": "accuracy and F1 of the verdicts alone",
    "answers": "correctness and faithfulness of the justifications by a language model as judge",
}
"""The names `--metric` takes."""


@dataclass(frozen=True)
class Measured:
    """What a metric says of one system: its items by metric name, and scores that are not means of items.

    `main` names the items a leaderboard ranks by. `facts` are what a judge decided, by claim id.
    """

    items: tuple[ItemScore, ...]
    signature: str
    main: str
    other_scores: tuple[Score, ...] = ()
    facts: Mapping[str, tuple[FactJudgement, ...]] = field(default_factory=dict)

    def signature_of(self, metric: str) -> str:
        """Return the signature of one of the scores: a verdict given evidence also names its threshold rule."""
        rule = metric.partition(":averitec")[2].replace("@", ">")
        return f"{self.signature}|rule:evidence{rule}" if rule else self.signature


class Metric(Protocol):
    """Anything that can score predictions against gold claims."""

    @property
    def name(self) -> str: ...

    def measure(
        self, gold: Sequence[GoldClaim], predictions: Mapping[str, Prediction], watch: Watch = UNWATCHED
    ) -> Measured:
        """Score every gold claim, keyed by id. Raises Cancelled if the watch said so."""
        ...


@dataclass(frozen=True)
class HungarianMeteor:
    """Legacy scores: questions, pairs, pairs above 0.25, and verdicts given evidence at six thresholds."""

    language: Language
    level: float = TYPE_LEVEL
    name: str = "hungarian-meteor"

    def measure(
        self, gold: Sequence[GoldClaim], predictions: Mapping[str, Prediction], watch: Watch = UNWATCHED
    ) -> Measured:
        items = hungarian_meteor(gold, predictions, self.language, watch)
        pairs = [item for item in items if item.metric == PAIRS]
        by_id = {claim.id: claim for claim in gold}
        items += cut_at(TYPE_LEVEL, pairs)
        for level in LEVELS:
            items += veracity_at(level, pairs, by_id, predictions)
        return Measured(tuple(items), meteor_signature(self.language), f"{self.name}:averitec@{self.level:g}")


@dataclass(frozen=True)
class Verdicts:
    """Accuracy and F1 of the verdicts, whatever the evidence."""

    name: str = "verdict"

    def measure(
        self, gold: Sequence[GoldClaim], predictions: Mapping[str, Prediction], watch: Watch = UNWATCHED
    ) -> Measured:
        items = tuple(accuracy_items(gold, predictions))
        return Measured(items, SIGNATURE, ACCURACY, f1_scores(gold, predictions))
