"""Calibrate a language model as a judge on annotated claims, and measure on others whether it may judge."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.interfaces import Models
from core.llm.prompts import render
from core.models.cards import ModelCard, weighed
from core.training.annotated_cases import AnnotatedCases, Codes, Floats
from core.training.fit_verdict import classifier_probabilities
from core.training.judge_measures import (
    Point,
    accuracy,
    choose_threshold,
    judge_figures,
    risk_coverage,
    supported_from_refuted,
)
from core.training.progress import WithProgress
from core.types import Case
from core.verification.opening import card_key, card_of
from core.verification.recipes.catalogue import DEFAULT
from core.verification.verdict.classifier import load_classifier
from core.verification.verdict.judges import LETTERS, calibrated, read_of


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


def label_likelihoods(cases: Sequence[Case], models: Models, with_progress: WithProgress) -> Floats:
    """Return the model's log-likelihoods of the four labels for every case, shape (cases, 4)."""
    prompts = (render("verdict", read_of(case, models.llm)) for case in with_progress(cases, "likelihoods"))
    return np.array([models.llm.log_likelihoods(prompt, LETTERS)[0] for prompt in prompts])


def calibrated_card(
    train: AnnotatedCases, test: AnnotatedCases, models: Models, with_progress: WithProgress, *, command: str
) -> tuple[ModelCard, list[Point]]:
    """Return the model's card, calibrated on `train` and measured on `test`, and its risk–coverage curve on `test`.

    The card says whether the model beats both baselines and the classifier. `stress verdict` measures whether it reads
    its evidence. `command` is kept among the figures: it measures them again.
    """
    fitted_to = label_likelihoods(train.cases, models, with_progress)
    calibration = fit_calibration(fitted_to, train.truth)
    likelihoods = label_likelihoods(test.cases, models, with_progress)
    on_train, probabilities = (
        np.array([list(calibrated(row, calibration).values()) for row in rows.tolist()])
        for rows in (fitted_to, likelihoods)
    )
    classifier = load_classifier(DEFAULT)
    measured = judge_figures(test, probabilities, classifier.wording, len(train.gold), models, command=command)
    measured["raw_auc"] = round(supported_from_refuted(likelihoods, test.truth), 4)
    by_classifier = classifier_probabilities(classifier, test, models, with_progress)
    measured["classifier"] = round(accuracy(by_classifier, test.truth), 4)
    card = ModelCard(
        name=models.llm.identity.name,
        digest=card_key(models.llm.identity),
        may_judge=False,
        measured=measured,
        threshold=choose_threshold(risk_coverage(on_train, train.truth)),
        calibration=tuple(round(value, 6) for value in calibration),
        reading=None,  # another calibration reads otherwise
        rewriting=card_of(models.llm.identity).rewriting,
    )
    return weighed(card), risk_coverage(probabilities, test.truth)
