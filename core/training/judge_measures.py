"""Figures of a judge: accuracy, calibration, and the gain over the claim's words alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from core.annotations import GoldClaim
from core.interfaces import Models
from core.statistics.logistic import Logistic, log_loss
from core.training.annotated_cases import AnnotatedCases, Codes, Floats
from core.types import Label
from core.verification.verdict.classifier import LABELS

BINS = 10


def accuracy(probabilities: Floats, truth: Codes) -> float:
    """Return the share of claims with the annotated label as the likeliest. probabilities: (claims, 4)."""
    return float((probabilities.argmax(axis=1) == truth).mean())


def calibration_error(probabilities: Floats, truth: Codes) -> float:
    """Return the expected calibration error over 10 equal bins of the likeliest label's probability, in [0, 1].

    Source: Guo et al., ICML 2017.
    """
    confidence = probabilities.max(axis=1)
    right = probabilities.argmax(axis=1) == truth
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = [abs(right[bins == b].mean() - confidence[bins == b].mean()) * (bins == b).mean() for b in np.unique(bins)]
    return float(sum(gaps))


@dataclass(frozen=True)
class Point:
    """One point of a risk–coverage curve: answering only at or above `threshold`."""

    threshold: float
    coverage: float
    accuracy: float


def risk_coverage(probabilities: Floats, truth: Codes) -> list[Point]:
    """Return, for thresholds from 0.25 to 0.95, the share of claims answered and the accuracy on those.

    Thresholds that no claim reaches are left out: accuracy is undefined there.
    """
    confidence = probabilities.max(axis=1)
    right = probabilities.argmax(axis=1) == truth
    points = []
    for threshold in np.arange(0.25, 0.951, 0.05):
        answered = confidence >= threshold - 1e-12
        if answered.any():
            points.append(Point(round(float(threshold), 2), float(answered.mean()), float(right[answered].mean())))
    return points


def choose_threshold(curve: Sequence[Point], *, least_accuracy: float = 0.7) -> float:
    """Return the lowest threshold of the curve with an accuracy of at least `least_accuracy`.

    Without one, return 1.0: then no verdict is ever quoted.
    """
    return next((point.threshold for point in curve if point.accuracy >= least_accuracy), 1.0)


def supported_from_refuted(scores: Floats, truth: Codes) -> float:
    """Return the area under the ROC curve of telling Supported from Refuted by P(S) − P(R); 0.5 is chance.

    Raises ValueError if one of the two does not occur.
    """
    both = np.isin(truth, [0, 1])
    return float(roc_auc_score(truth[both] == 0, scores[both, 0] - scores[both, 1]))


def claim_vectors(claims: Sequence[GoldClaim], models: Models) -> Floats:
    """Return the vectors of the claims' texts alone, shape (claims, dimensions)."""
    return models.encoder.encode([gold.claim.text for gold in claims]).astype(np.float64)


def judge_figures(
    test: AnnotatedCases, probabilities: Floats, wording: Logistic, fitted_on: int, models: Models, *, command: str
) -> dict[str, Any]:
    """Return the quality of a judge's probabilities on the test claims, beside those of the claims' words alone."""
    from_claims = wording.of_rows(claim_vectors(test.gold, models))
    truth = test.truth
    return {
        "claims": len(truth),
        "accuracy": round(accuracy(probabilities, truth), 4),
        "always_refuted": round(float((truth == LABELS.index(Label.REFUTED)).mean()), 4),
        "claim_only": round(accuracy(from_claims, truth), 4),
        "log_loss": round(log_loss(probabilities, truth), 4),
        "claim_only_log_loss": round(log_loss(from_claims, truth), 4),
        "auc": round(supported_from_refuted(probabilities, truth), 4),
        "claim_only_auc": round(supported_from_refuted(from_claims, truth), 4),
        "calibration_error": round(calibration_error(probabilities, truth), 4),
        "fitted_on": fitted_on,
        "date": datetime.now(UTC).date().isoformat(),
        "command": command,
    }
