"""Fit the verdict head, a model's calibration and an encoder's threshold, and measure what they are worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from core.types import Label
from core.verification.verdict.head import MEANINGS, Head

LABELS = list(Label)
PENALTIES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
FOLDS = 5
BINS = 10

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
"""Labels as positions in Label; shape (claims,)."""


def codes(labels: Sequence[Label]) -> Codes:
    """Return the positions of labels in Label."""
    return np.array([LABELS.index(label) for label in labels], dtype=np.int64)


def accuracy(probabilities: Floats, truth: Codes) -> float:
    """Return the share of claims whose likeliest label is the annotated one. probabilities: (claims, 4)."""
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
    """Return the lowest threshold of the curve whose answers were right in `least_accuracy` of the cases.

    1.0, so that nothing is ever quoted as a verdict, where no threshold is that good.
    """
    return next((point.threshold for point in curve if point.accuracy >= least_accuracy), 1.0)


def fit_logistic(values: Floats, truth: Codes, *, seed: int = 0) -> tuple[LogisticRegression, StandardScaler, Floats]:
    """Return a logistic regression on standardised values, its scaler, and its out-of-fold probabilities.

    values: (claims, features). The penalty is the one with the lowest out-of-fold log-loss among PENALTIES.
    """
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    tried = []
    for penalty in PENALTIES:
        model = make_pipeline(StandardScaler(), LogisticRegression(C=penalty, max_iter=2000))
        guessed = cross_val_predict(model, values, truth, cv=folds, method="predict_proba")
        loss = -np.log(np.clip(guessed[np.arange(len(truth)), truth], 1e-12, 1)).mean()
        tried.append((float(loss), penalty, guessed))
    _, penalty, guessed = min(tried, key=lambda one: one[0])
    scaler = StandardScaler().fit(values)
    return LogisticRegression(C=penalty, max_iter=2000).fit(scaler.transform(values), truth), scaler, guessed


def fit_head(values: Floats, truth: Codes) -> tuple[Head, Floats]:
    """Return the head fitted to features (columns in the order of MEANINGS), and out-of-fold probabilities."""
    model, scaler, guessed = fit_logistic(values, truth)
    head = Head(
        names=tuple(MEANINGS),
        mean=tuple(scaler.mean_.round(6).tolist()),
        scale=tuple(scaler.scale_.round(6).tolist()),
        coefficients=tuple(tuple(row) for row in model.coef_.round(6).tolist()),
        intercepts=tuple(model.intercept_.round(6).tolist()),
        threshold=choose_threshold(risk_coverage(guessed, truth)),
        measured={},
    )
    return head, guessed


def fit_calibration(log_likelihoods: Floats, truth: Codes) -> tuple[float, float, float, float]:
    """Return slope and three biases (Supported, Not Enough, Conflicting, each against Refuted) by maximum likelihood.

    log_likelihoods: (claims, 4), in the order of Label. A slope of 0 means that they tell nothing.
    """
    from scipy.optimize import minimize

    def loss(parameters: Floats) -> float:
        scores = parameters[0] * log_likelihoods + np.insert(parameters[1:], 1, 0.0)
        scores -= scores.max(axis=1, keepdims=True)
        chosen = scores[np.arange(len(truth)), truth] - np.log(np.exp(scores).sum(axis=1))
        # A light penalty keeps a label that is absent from the sample from running off to minus infinity.
        return float(-chosen.mean() + 1e-3 * (parameters**2).sum())

    found = minimize(loss, np.array([1.0, 0.0, 0.0, 0.0]), method="BFGS")
    slope, supported, not_enough, conflicting = (float(value) for value in found.x)
    return slope, supported, not_enough, conflicting


def supported_from_refuted(scores: Floats, truth: Codes) -> float:
    """Return the area under the ROC curve of telling Supported from Refuted by P(S) − P(R); 0.5 is chance.

    Raises ValueError if one of the two does not occur.
    """
    both = np.isin(truth, [0, 1])
    return float(roc_auc_score(truth[both] == 0, scores[both, 0] - scores[both, 1]))


def not_enough_threshold(
    closest: Floats, truth: Codes, *, least: int = 10
) -> tuple[float | None, dict[Label, float], int]:
    """Return the highest cosine below which Not Enough Evidence is the commonest label, the shares below it, and n.

    closest: the cosine of each claim's closest answer. At least `least` claims must lie below; (None, {}, 0) if there
    is no such cosine.
    """
    order = np.argsort(closest, kind="stable")
    for count in range(len(order), least - 1, -1):
        shares = np.bincount(truth[order[:count]], minlength=4) / count
        if shares.argmax() == LABELS.index(Label.NOT_ENOUGH_EVIDENCE):
            edge = float(closest[order[count]]) if count < len(order) else 1.0
            return round(edge, 4), dict(zip(LABELS, shares.tolist(), strict=True)), count
    return None, {}, 0
