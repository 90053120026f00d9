"""Score with Hungarian METEOR: the registered metric, with verdicts given evidence at six thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.annotations import GoldClaim, Prediction
from core.scoring.judging import JudgeAccess
from core.scoring.metrics.hungarian_meteor import (
    LEVELS,
    PAIRS,
    QUESTIONS,
    TYPE_LEVEL,
    cut_at,
    meteor_signature,
    veracity_at,
)
from core.scoring.metrics.meteor import Language
from core.scoring.metrics.meteor_of_many import hungarian_meteor_of_many
from core.scoring.metrics.metric import Measured, Registration
from core.scoring.metrics.words import find_words
from core.scoring.progress import UNMONITORED, ProgressMonitor


@dataclass(frozen=True)
class HungarianMeteor:
    """Legacy scores: questions, pairs, pairs above 0.25, and verdicts given evidence at six thresholds."""

    language: Language
    level: float = TYPE_LEVEL
    name: str = "hungarian-meteor"

    def measure(
        self, gold: Sequence[GoldClaim], predictions: Mapping[str, Prediction], monitor: ProgressMonitor = UNMONITORED
    ) -> Measured:
        items = hungarian_meteor_of_many(gold, predictions, self.language, monitor)
        pairs = [item for item in items if item.metric == PAIRS]
        by_id = {claim.id: claim for claim in gold}
        items += cut_at(TYPE_LEVEL, pairs)
        for level in LEVELS:
            items += veracity_at(level, pairs, by_id, predictions)
        return Measured(tuple(items), meteor_signature(self.language), f"{self.name}:averitec@{self.level:g}")


def _open(judge: JudgeAccess) -> HungarianMeteor:
    return HungarianMeteor(find_words())


HUNGARIAN_METEOR = Registration(
    name="hungarian-meteor",
    title="Hungarian METEOR",
    summary="the shared task's legacy score: best one-to-one METEOR of evidence, and verdicts given it",
    open=_open,
    meanings={
        QUESTIONS: "Hungarian METEOR of the questions alone: the best one-to-one matching with the gold "
        "questions, in words, stems and synonyms. 0 to 1, higher is better. Schlichtkrull et al. 2023.",
        PAIRS: "Hungarian METEOR of questions with their answers. 0 to 1, higher is better. Schlichtkrull et al. 2023.",
        "hungarian-meteor:averitec": "The share of claims with a right verdict and a Q + A score greater than the "
        "threshold. 0 to 1, higher is better. Schlichtkrull et al. 2023.",
    },
    columns=(QUESTIONS, PAIRS),
    evidence=PAIRS,
)
