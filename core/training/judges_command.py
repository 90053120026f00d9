"""Do `fit verdict` and `fit similarity`: fit the models that decide, and measure them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from core.actions.action import ActionContext
from core.averitec.averitec import read_gold
from core.documents.knowledge_store import read_stores
from core.errors import BadInput
from core.interfaces import Models
from core.retrieval.caching import CachingEncoder
from core.settings import settings
from core.storage.store import Store
from core.training.annotated_cases import AnnotatedCases, codes, from_history, with_both_sides, with_evidence
from core.training.commands import FitSimilarity, FitVerdict
from core.training.fit_verdict import check_verdicts, measured_classifier, similarity_card
from core.training.judge_measures import Point
from core.verification.opening import open_models
from core.verification.recipes.catalogue import DEFAULT
from core.verification.verdict.classifier import save_classifier
from core.verification.verdict.similarity import save_similarity_card
from core.wording import counted


def fit_similarity(request: FitSimilarity, context: ActionContext) -> str:
    """Find the cosine under which claims lack evidence, and keep it in assets/similarity."""
    models = caching_models(request.model)
    train = training_cases(request, models, context)
    card = similarity_card(train, models, context.each, command=context.command)
    path = save_similarity_card(card)
    count = f"{card.claims} of {len(train.cases)} claims"
    return f"{card.encoder}: not enough evidence below {card.not_enough_below} ({count}): {path}"


def fit_verdict(request: FitVerdict, context: ActionContext) -> str:
    """Fit the classifier, measure it on test, and keep it in assets/verdicts."""
    check_claims(request)
    models = caching_models(request.model)
    train = training_cases(request, models, context)
    test = searched(request.test, request.test_store, models, context, first=request.first)
    gold = read_gold(request.train)[: request.first]
    fitted = measured_classifier(train, gold, test, models, context.each, command=context.command)
    path = save_classifier(DEFAULT, fitted)
    curve = (Point(**point) for point in fitted.measured["risk_coverage"])
    return figures_text(f"Verdict classifier, threshold {fitted.threshold}: {path}", fitted.measured, curve)


def caching_models(model: str) -> Models:
    """Return the models; passages that are searched are weighed again, so their vectors are kept."""
    models = open_models(model)
    return replace(models, encoder=CachingEncoder(models.encoder))


def training_cases(request: FitSimilarity, models: Models, context: ActionContext) -> AnnotatedCases:
    """Return the claims to fit on with their evidence, and those of the history if they are wanted."""
    first = request.searched or request.first
    train = searched(request.train, request.train_store, models, context, first=first)
    if not request.from_history:
        return train
    own = from_history(Store(settings().database_url))
    context.tell(f"{counted(len(own.gold), 'case')} of the history added.")
    return train + own


def check_claims(request: FitVerdict) -> None:
    """Raise BadInput for claims that nothing can be fitted on or measured on, before the hours that it takes."""
    with_both_sides(read_gold(request.test)[: request.first])
    if not request.from_history:
        truth = codes([one.label for one in read_gold(request.train)[: request.searched or request.first]])
        check_verdicts(truth, np.arange(len(truth)))


def searched(
    claims: Path, stores: Sequence[str], models: Models, context: ActionContext, *, first: int
) -> AnnotatedCases:
    """Return the first claims of a file with evidence from the stores, and tell how many find none."""
    gold = read_gold(claims)[:first]
    found = with_evidence(gold, read_stores(stores), models, context.each, name=claims.name)
    if not found.gold:
        raise BadInput(f"No claim of {claims} found any evidence in {', '.join(stores)}.")
    if left_out := len(gold) - len(found.gold):
        context.tell(f"{left_out} claims of {claims.name} found no evidence and were left out.")
    return found


def figures_text(name: str, measured: dict[str, Any], curve: Iterable[Point]) -> str:
    """Return the figures and the risk–coverage curve as docs/measurements.md quotes them."""
    figures = [f"  {key}: {value}" for key, value in measured.items() if not isinstance(value, list)]
    points = [f"  {point.threshold:9.2f}  {point.coverage:8.1%}  {point.accuracy:5.1%}" for point in curve]
    return "\n".join([name, *figures, "  threshold  answered  right", *points])
