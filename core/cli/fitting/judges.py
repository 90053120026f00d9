"""`python -m core fit verdict` and `similarity`: fit the models that decide, and measure them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from core.averitec.averitec import read_gold
from core.cli.common.terminal import with_progress
from core.cli.fitting import documents, this_command
from core.errors import BadInput
from core.interfaces import Models
from core.retrieval.caching import CachingEncoder
from core.settings import settings
from core.storage.store import Store
from core.training.annotated_cases import AnnotatedCases, codes, from_history, with_both_sides, with_evidence
from core.training.fit_similarity import similarity_card
from core.training.fit_verdict import check_verdicts, measured_classifier
from core.training.judge_measures import Point
from core.verification.opening import open_models
from core.verification.recipes.catalogue import DEFAULT
from core.verification.verdict.classifier import save_classifier
from core.verification.verdict.similarity import save_similarity_card
from core.wording import counted


def run(args: argparse.Namespace) -> int:
    """Fit the verdict classifier or the edge of similarity, and print its figures."""
    check_claims(args)
    models = open_models(args.model)
    models = replace(models, encoder=CachingEncoder(models.encoder))  # the searched passages are weighed again
    train = searched(args.train, args.train_store, models, first=args.searched or args.first)
    if args.from_history:
        own = from_history(Store(settings().database_url))
        print(f"{counted(len(own.gold), 'case')} of the history added.", file=sys.stderr)
        train += own
    if args.what == "similarity":
        fit_similarity(train, models)
        return 0
    test = searched(args.test, args.test_store, models, first=args.first)
    fit_verdict(args, train, test, models)
    return 0


def check_claims(args: argparse.Namespace) -> None:
    """Raise BadInput for claims that nothing can be fitted on or measured on, before the hours that it takes."""
    if args.what != "similarity":
        with_both_sides(read_gold(args.test)[: args.first])
    if args.what == "verdict" and not args.from_history:
        truth = codes([one.label for one in read_gold(args.train)[: args.searched or args.first]])
        check_verdicts(truth, np.arange(len(truth)))


def searched(claims: Path, stores: Sequence[str], models: Models, *, first: int) -> AnnotatedCases:
    """Return the first claims of a file with evidence from the stores, and say how many find none."""
    gold = read_gold(claims)[:first]
    found = with_evidence(gold, documents(stores), models, with_progress, name=claims.name)
    if not found.gold:
        raise BadInput(f"No claim of {claims} found any evidence in {', '.join(stores)}.")
    if left_out := len(gold) - len(found.gold):
        print(f"{left_out} claims of {claims.name} found no evidence and were left out.", file=sys.stderr)
    return found


def fit_similarity(train: AnnotatedCases, models: Models) -> None:
    """Find the cosine under which claims lack evidence, and keep it in assets/similarity."""
    card = similarity_card(train, models, with_progress, command=this_command())
    path = save_similarity_card(card)
    count = f"{card.claims} of {len(train.cases)} claims"
    print(f"{card.encoder}: not enough evidence below {card.not_enough_below} ({count}): {path}")


def fit_verdict(args: argparse.Namespace, train: AnnotatedCases, test: AnnotatedCases, models: Models) -> None:
    """Fit the classifier, measure it on test, and keep it in assets/verdicts."""
    gold = read_gold(args.train)[: args.first]
    fitted = measured_classifier(train, gold, test, models, with_progress, command=this_command())
    path = save_classifier(DEFAULT, fitted)
    curve = (Point(**point) for point in fitted.measured["risk_coverage"])
    print_figures(f"Verdict classifier, threshold {fitted.threshold}: {path}", fitted.measured, curve)


def print_figures(name: str, measured: dict[str, Any], curve: Iterable[Point]) -> None:
    """Print the figures and the risk–coverage curve as docs/measurements.md quotes them."""
    print(name)
    for key, value in measured.items():
        if not isinstance(value, list):
            print(f"  {key}: {value}")
    print("  threshold  answered  right")
    for point in curve:
        print(f"  {point.threshold:9.2f}  {point.coverage:8.1%}  {point.accuracy:5.1%}")
