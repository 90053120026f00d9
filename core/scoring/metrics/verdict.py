"""How well verdicts agree with the gold's, independent of the evidence: accuracy, F1 of each verdict, confusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.annotations import GoldClaim, Prediction
from core.scoring.items import ALL, VERDICT_PREFIX, ItemScore, ItemStatus, Score, make_signature
from core.scoring.metrics.hungarian_meteor import NO_PREDICTION
from core.scoring.metrics.metric import Measured, Registration
from core.scoring.progress import UNMONITORED, ProgressMonitor
from core.types import Label

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LABELS = tuple(Label)
ACCURACY = "verdict:accuracy"
MACRO_F1 = "verdict:macro-f1"
SIGNATURE = make_signature("verdict", "labels:4", "unknown:wrong", "f1:macro-over-4")


def accuracy_items(gold: Sequence[GoldClaim], predictions: Mapping[str, Prediction]) -> list[ItemScore]:
    """Return 1 for each claim with the gold's verdict, else 0; an unknown or missing verdict is wrong."""
    items = []
    for claim in gold:
        prediction = predictions.get(claim.id)
        if prediction is None:
            items.append(ItemScore(claim.id, ACCURACY, 0.0, ItemStatus.MISSING, NO_PREDICTION))
        else:
            items.append(ItemScore(claim.id, ACCURACY, float(prediction.label is claim.label)))
    return items


def confusion(gold: Sequence[GoldClaim], predictions: Mapping[str, Prediction]) -> NDArray[np.int64]:
    """Return counts[gold, predicted], shape (4, 5), in the order of `Label`; the last column is "none of these"."""
    import numpy as np  # `--help` should not wait for it

    counts = np.zeros((len(LABELS), len(LABELS) + 1), dtype=np.int64)
    for claim in gold:
        prediction = predictions.get(claim.id)
        label = prediction.label if prediction else None
        counts[LABELS.index(claim.label), LABELS.index(label) if label else len(LABELS)] += 1
    return counts


def label_f1(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the F1 of each verdict, shape (4,), in [0, 1]; 0 for a verdict that never occurs on either side.

    counts is the result of `confusion`.
    """
    import numpy as np

    hits = np.diag(counts[:, : len(LABELS)]).astype(np.float64)
    occurrences = counts.sum(axis=1) + counts[:, : len(LABELS)].sum(axis=0)
    f1: NDArray[np.float64] = np.divide(2 * hits, occurrences, out=np.zeros_like(hits), where=occurrences > 0)
    return f1


def f1_scores(gold: Sequence[GoldClaim], predictions: Mapping[str, Prediction]) -> tuple[Score, ...]:
    """Return macro F1 over the four verdicts, then the F1 of each."""
    values = label_f1(confusion(gold, predictions))
    named = [(MACRO_F1, ALL, float(values.mean()))]
    named += [("verdict:f1", VERDICT_PREFIX + label, float(v)) for label, v in zip(LABELS, values, strict=True)]
    return tuple(Score(metric, group, v, len(gold), 0, SIGNATURE, v, v) for metric, group, v in named)


@dataclass(frozen=True)
class Verdicts:
    """Accuracy and F1 of the verdicts, independent of the evidence."""

    name: str = "verdict"

    def measure(
        self, gold: Sequence[GoldClaim], predictions: Mapping[str, Prediction], monitor: ProgressMonitor = UNMONITORED
    ) -> Measured:
        items = tuple(accuracy_items(gold, predictions))
        return Measured(items, SIGNATURE, ACCURACY, f1_scores(gold, predictions))


VERDICTS = Registration(
    name="verdict",
    title="Verdicts",
    summary="accuracy and F1 of the verdicts alone",
    open=lambda opening: Verdicts(),
    meanings={
        ACCURACY: "The share of claims with the gold's verdict, independent of the evidence. 0 to 1, higher is better.",
        MACRO_F1: "The mean of the F1 of the four verdicts: rare verdicts weigh as much as frequent ones. 0 to 1, "
        "higher is better.",
    },
    columns=(ACCURACY, MACRO_F1),
)
