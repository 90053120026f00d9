"""Fit the verdict classifier, a model's calibration and an encoder's threshold, and measure what they are worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from core.errors import BadInput
from core.statistics.logistic import Logistic, fit_logistic
from core.types import Label
from core.verification.verdict.classifier import (
    FROM_DOCUMENTS,
    LABELS,
    WITH_WORDING,
    VerdictClassifier,
    by_label,
    wording_features,
)

PENALTIES = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)
FOLDS = 5
TOPICS_A_FOLD = 10
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


def topic_folds(vectors: Floats, *, folds: int = FOLDS, seed: int = 0) -> Codes:
    """Return a fold for each claim, so that claims on one topic share it; vectors: (claims, dimensions).

    Claims of one topic share passages (55 % of passages serve two training claims), so random folds would leak.
    """
    from sklearn.cluster import KMeans

    topics = KMeans(n_clusters=min(len(vectors), folds * TOPICS_A_FOLD), n_init=1, random_state=seed).fit(vectors)
    sizes = np.zeros(folds, dtype=np.int64)
    fold_of: dict[int, int] = {}
    for topic in np.argsort(-np.bincount(topics.labels_)):  # the largest first, each into the emptiest fold
        fold = int(sizes.argmin())
        fold_of[int(topic)] = fold
        sizes[fold] += int((topics.labels_ == topic).sum())
    return np.array([fold_of[int(topic)] for topic in topics.labels_], dtype=np.int64)


def check_verdicts(truth: Codes, folds: Codes) -> None:
    """Raise BadInput where a verdict is in fewer than two folds: with one left out, nothing would be learned of it."""
    few = [label for place, label in enumerate(LABELS) if len(np.unique(folds[truth == place])) < 2]
    if few:
        raise BadInput(
            f"Too few claims to fit on are {', '.join(few)}: each of the four verdicts needs claims on two topics, and "
            "better on many. Give more annotated claims, or take more of the file with --first."
        )


def out_of_fold(rows: Floats, truth: Codes, folds: Codes, *, penalty: float, weights: Floats | None = None) -> Floats:
    """Return each claim's probabilities by a regression fitted on the other folds; shape (claims, 4)."""
    guessed = np.zeros((len(truth), len(LABELS)))
    names = [str(place) for place in range(rows.shape[1])]
    for fold in np.unique(folds):
        rest = folds != fold
        some = None if weights is None else weights[rest]
        model = fit_logistic(rows[rest], truth[rest], names, penalty=penalty, weights=some)
        guessed[~rest] = model.of_rows(rows[~rest])
    return guessed


def log_loss(probabilities: Floats, truth: Codes) -> float:
    """Return the mean negative log-probability of the annotated label, in nats."""
    return float(-np.log(np.clip(probabilities[np.arange(len(truth)), truth], 1e-12, 1)).mean())


def best_penalty(rows: Floats, truth: Codes, folds: Codes, *, weights: Floats | None = None) -> tuple[float, Floats]:
    """Return the penalty of PENALTIES with the lowest out-of-fold log-loss, and those probabilities."""
    tried = [(one, out_of_fold(rows, truth, folds, penalty=one, weights=weights)) for one in PENALTIES]
    return min(tried, key=lambda pair: log_loss(pair[1], truth))


@dataclass(frozen=True)
class Fitted:
    """A fitted classifier, and the out-of-fold probabilities of the training claims (all four labels)."""

    classifier: VerdictClassifier
    out_of_fold: Floats


def fit_classifier(documents: Floats, vectors: Floats, truth: Codes) -> Fitted:
    """Return the classifier fitted to what the documents of each claim say and to the claims' vectors.

    documents: (searched, features), columns in the order of FROM_DOCUMENTS, of the first claims; vectors:
    (claims, dimensions) of all. The wording that the whole is fitted on is out of fold: what a claim's own label
    taught would look better than it is.
    """
    folds, searched = topic_folds(vectors), slice(len(documents))
    check_verdicts(truth[searched], folds[searched])
    penalty, guessed = best_penalty(vectors, truth, folds)
    wording = fit_logistic(vectors, truth, [str(place) for place in range(vectors.shape[1])], penalty=penalty)
    both, labels = np.hstack([documents, wording_rows(guessed[searched])]), truth[searched]
    whole, guessed_by_whole = fit_sober(both, labels, folds[searched], WITH_WORDING)
    alone, _ = fit_sober(documents, labels, folds[searched], FROM_DOCUMENTS)
    threshold = choose_threshold(risk_coverage(guessed_by_whole, labels))
    return Fitted(VerdictClassifier(alone, whole, wording, threshold, measured={}), guessed_by_whole)


def fit_sober(rows: Floats, truth: Codes, folds: Codes, names: Sequence[str]) -> tuple[Logistic, Floats]:
    """Return a regression as sure of itself as it was right on folds it had not seen, and what it said of those."""
    from scipy.optimize import minimize_scalar

    penalty, guessed = best_penalty(rows, truth, folds)
    found = minimize_scalar(lambda slope: log_loss(sharpened(guessed, slope), truth), bounds=(0.2, 5.0))
    model, slope = fit_logistic(rows, truth, names, penalty=penalty), float(found.x)
    coefficients = tuple(tuple(slope * one for one in row) for row in model.coefficients)
    sober = replace(model, coefficients=coefficients, intercepts=tuple(slope * one for one in model.intercepts))
    return sober, sharpened(guessed, slope)


def sharpened(probabilities: Floats, slope: float) -> Floats:
    """Return probabilities with their logarithms multiplied by a slope: below 1 they are less sure. (claims, 4)"""
    powers = np.clip(probabilities, 1e-12, 1) ** slope
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def wording_rows(probabilities: Floats) -> Floats:
    """Return the features of WORDING_MEANINGS for probabilities by the wording alone; shape (claims, 3)."""
    return np.array([list(wording_features(by_label(row)).values()) for row in probabilities])


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
