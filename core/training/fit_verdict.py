"""Fit the verdict classifier and the similarity threshold on annotated claims, and measure them on others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from core.annotations import GoldClaim
from core.errors import BadInput
from core.interfaces import Models
from core.statistics.logistic import Logistic, fit_logistic, log_loss, out_of_fold
from core.training.annotated_cases import AnnotatedCases, Codes, Floats, WithProgress, codes, read_evidence_of
from core.training.judge_measures import choose_threshold, claim_vectors, judge_figures, risk_coverage
from core.types import Label
from core.verification.stance.polarity import content_of
from core.verification.verdict.classifier import (
    FROM_DOCUMENTS,
    LABELS,
    WITH_WORDING,
    VerdictClassifier,
    by_label,
    wording_features,
)
from core.verification.verdict.classifier_judge import probabilities_of
from core.verification.verdict.similarity import SimilarityCard

PENALTIES = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)
FOLDS = 5
TOPICS_A_FOLD = 10


def topic_folds(vectors: Floats, *, seed: int = 0) -> Codes:
    """Return a fold for each claim, so that claims on one topic share it; vectors: (claims, dimensions).

    Claims of one topic share passages (55 % of passages serve two training claims), so random folds would leak.
    """
    from sklearn.cluster import KMeans

    topics = KMeans(n_clusters=min(len(vectors), FOLDS * TOPICS_A_FOLD), n_init=1, random_state=seed).fit(vectors)
    sizes = np.zeros(FOLDS, dtype=np.int64)
    fold_of: dict[int, int] = {}
    for topic in np.argsort(-np.bincount(topics.labels_)):  # the largest first, each into the emptiest fold
        fold = int(sizes.argmin())
        fold_of[int(topic)] = fold
        sizes[fold] += int((topics.labels_ == topic).sum())
    return np.array([fold_of[int(topic)] for topic in topics.labels_], dtype=np.int64)


def check_verdicts(truth: Codes, folds: Codes) -> None:
    """Raise BadInput if a verdict is in fewer than two folds: leaving one out would leave no example of it."""
    few = [label for place, label in enumerate(LABELS) if len(np.unique(folds[truth == place])) < 2]
    if few:
        raise BadInput(
            f"Too few claims to fit on are {', '.join(few)}: each of the four verdicts needs claims on two "
            "topics or more. Give more annotated claims, or take more of the file with --first."
        )


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
    """Return the classifier fitted to each claim's document features and to the claims' vectors.

    documents: (searched, features), columns in the order of FROM_DOCUMENTS, of the first claims; vectors:
    (claims, dimensions) of all. The whole is fitted on out-of-fold predictions from the wording. Predictions learned
    from a claim's own label would look too good.
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
    """Return a regression calibrated on unseen folds, and its probabilities for those folds."""
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


def measured_classifier(
    train: AnnotatedCases,
    gold: Sequence[GoldClaim],
    test: AnnotatedCases,
    models: Models,
    with_progress: WithProgress,
    *,
    command: str,
) -> VerdictClassifier:
    """Return the classifier with its figures, fitted on `train`, its wording on all of `gold`, and measured on `test`.

    `command` is kept among the figures: it measures them again.
    """
    searched = {one.id for one in train.gold}
    claims = [*train.gold, *(one for one in gold if one.id not in searched)]
    documents = [
        [one.values[name] for name in FROM_DOCUMENTS] for one in read_evidence_of(train.cases, models, with_progress)
    ]
    fitted = fit_classifier(np.array(documents), claim_vectors(claims, models), codes([c.label for c in claims]))
    probabilities = classifier_probabilities(fitted.classifier, test, models, with_progress)
    measured = judge_figures(test, probabilities, fitted.classifier.wording, len(train.gold), models, command=command)
    measured["risk_coverage"] = [asdict(point) for point in risk_coverage(probabilities, test.truth)]
    measured["train_risk_coverage"] = [asdict(point) for point in risk_coverage(fitted.out_of_fold, train.truth)]
    return replace(fitted.classifier, measured=measured)


def classifier_probabilities(
    classifier: VerdictClassifier, sample: AnnotatedCases, models: Models, with_progress: WithProgress
) -> Floats:
    """Return the classifier's probabilities for every case, shape (cases, 4)."""
    vectors = models.encoder.encode([content_of(gold.claim.text).text for gold in sample.gold])
    return np.array(
        [
            list(probabilities_of(classifier, one, classifier.wording_of(vector)).values())
            for one, vector in zip(read_evidence_of(sample.cases, models, with_progress), vectors, strict=True)
        ]
    )


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


def similarity_card(
    train: AnnotatedCases, models: Models, with_progress: WithProgress, *, command: str
) -> SimilarityCard:
    """Return the encoder's card with the cosine under which the claims lack evidence."""
    closest = np.array([one.values["closest"] for one in read_evidence_of(train.cases, models, with_progress)])
    edge, shares, count = not_enough_threshold(closest, train.truth)
    encoder = models.encoder.identity
    return SimilarityCard(encoder.name, encoder.digest, edge, shares, count, command)
