"""`python -m core fit verdict`, `model` and `similarity`: fit the models that decide, and measure them."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from core.annotations import GoldClaim
from core.averitec.averitec import read_gold
from core.cli.common.terminal import watched
from core.cli.stress_verdict import with_both_sides
from core.documents.knowledge_store import read_store
from core.errors import BadInput
from core.interfaces import Models, Retriever, RunContext
from core.llm.prompts import render
from core.models.cards import OWN_CARDS, ModelCard, save_card, weighed
from core.retrieval.caching import CachingEncoder
from core.retrieval.chunking import passages
from core.retrieval.index import Index
from core.settings import settings
from core.statistics.logistic import Logistic
from core.storage.store import Store
from core.training.fit_verdict import (
    Codes,
    Floats,
    accuracy,
    calibration_error,
    check_verdicts,
    choose_threshold,
    codes,
    fit_calibration,
    fit_classifier,
    log_loss,
    not_enough_threshold,
    risk_coverage,
    supported_from_refuted,
)
from core.training.own_cases import own_cases
from core.types import Case, Label
from core.verification.opening import card_key, open_models
from core.verification.recipes.catalogue import DEFAULT, recipe_named
from core.verification.stance.polarity import content_of
from core.verification.steps.asking import AskOfPassages
from core.verification.steps.gathering import quote
from core.verification.steps.judging import PredictVeracity
from core.verification.verdict.classifier import FROM_DOCUMENTS, VerdictClassifier, load_classifier, save_classifier
from core.verification.verdict.classifier_judge import probabilities_of
from core.verification.verdict.evidence import EvidenceReading, read_evidence
from core.verification.verdict.judges import LETTERS, calibrated, read_of
from core.verification.verdict.similarity import SimilarityCard, save_similarity_card
from core.wording import counted


@dataclass(frozen=True)
class Sample:
    """Annotated claims with the evidence that the default recipe finds for them."""

    gold: Sequence[GoldClaim]
    cases: Sequence[Case]

    @property
    def truth(self) -> Codes:
        return codes([gold.label for gold in self.gold])


def run(args: argparse.Namespace) -> int:
    """Fit the verdict classifier, the edge of similarity or the language model's calibration, and print its figures."""
    check_claims(args)
    models = open_models(args.model)
    models = replace(models, encoder=CachingEncoder(models.encoder))  # the searched passages are weighed again
    train = sample(args.train, args.train_store, models, first=args.searched or args.first)
    if args.from_history:
        train = with_history(train, Store(settings().database_url))
    if args.what == "similarity":
        fit_and_save_similarity(train, models)
        return 0
    test = sample(args.test, args.test_store, models, first=args.first)
    if args.what == "verdict":
        fit_and_save_classifier(train, read_gold(args.train)[: args.first], test, models)
    else:
        fit_and_save_card(train, test, models, bundled=args.bundled_card)
    return 0


def check_claims(args: argparse.Namespace) -> None:
    """Raise BadInput for claims that nothing can be fitted on or measured on, before the hours that it takes."""
    if args.what != "similarity":
        with_both_sides(read_gold(args.test)[: args.first])
    if args.what == "verdict" and not args.from_history:
        truth = codes([one.label for one in read_gold(args.train)[: args.searched or args.first]])
        check_verdicts(truth, np.arange(len(truth)))


def sample(claims: Path, stores: Sequence[str], models: Models, *, first: int) -> Sample:
    """Return claims with evidence. Claims that find none are left out, and said to be."""
    gold = read_gold(claims)[:first]
    documents = [document for path in stores for document in read_store(Path(path))]
    index = Index([passage for document in documents for passage in passages(document)], models.encoder)
    cases = [evidence_for(claim, index, models) for claim in watched(gold, f"{claims.name}, evidence")]
    kept = [(claim, case) for claim, case in zip(gold, cases, strict=True) if case.evidence]
    if len(kept) < len(gold):
        print(f"{len(gold) - len(kept)} claims of {claims.name} found no evidence and were left out.", file=sys.stderr)
    if not kept:
        raise BadInput(f"No claim of {claims} found any evidence in {', '.join(stores)}.")
    return Sample([claim for claim, _ in kept], [case for _, case in kept])


def with_history(train: Sample, store: Store) -> Sample:
    """Return the sample with the cases that people gave a verdict of their own. Raises BadInput if there are none."""
    own = [(gold, quoted(case)) for gold, case in own_cases(store) if case.hits]
    if not own:
        raise BadInput("No case in the history bears a verdict of somebody's own: give some on Verify, and save them.")
    print(f"{counted(len(own), 'case')} of the history added.", file=sys.stderr)
    return Sample([*train.gold, *(gold for gold, _ in own)], [*train.cases, *(case for _, case in own)])


def evidence_for(gold: GoldClaim, index: Retriever, models: Models) -> Case:
    """Return the case of a claim after the default recipe's retrieval, each passage quoted as an answer.

    The questions stay empty: the judges do not look at them, and writing them would take hours.
    """
    context = RunContext(models, index)
    case = Case(gold.claim)
    for step in recipe_named(DEFAULT).steps:
        if not isinstance(step, AskOfPassages | PredictVeracity):
            case = step(case, context)
    return quoted(case)


def quoted(case: Case) -> Case:
    """Return a case with its unchanged passages as evidence, without questions."""
    return replace(case, evidence=tuple(quote("", hit.passage) for hit in case.hits))


def read_of_cases(cases: Sequence[Case], models: Models) -> list[EvidenceReading]:
    """Return the readings of every case."""
    context = RunContext(models, Index([], models.encoder))
    return [read_evidence(case, context) for case in watched(cases, "stances")]


def documents_rows(evidence: Sequence[EvidenceReading]) -> Floats:
    """Return the evidence features of every case, shape (cases, features)."""
    return np.array([[one.values[name] for name in FROM_DOCUMENTS] for one in evidence])


def claim_vectors(claims: Sequence[GoldClaim], models: Models) -> Floats:
    """Return the vectors of the claims' texts alone, shape (claims, dimensions)."""
    return models.encoder.encode([gold.claim.text for gold in claims]).astype(np.float64)


def figures(test: Sample, probabilities: Floats, wording: Logistic, fitted_on: int, models: Models) -> dict[str, Any]:
    """Return the quality of a judge's probabilities on the test claims, beside those of the claims' words alone."""
    from_claims = wording.of_rows(claim_vectors(test.gold, models))
    truth = test.truth
    return {
        "claims": len(truth),
        "accuracy": round(accuracy(probabilities, truth), 4),
        "always_refuted": round(float((truth == list(Label).index(Label.REFUTED)).mean()), 4),
        "claim_only": round(accuracy(from_claims, truth), 4),
        "log_loss": round(log_loss(probabilities, truth), 4),
        "claim_only_log_loss": round(log_loss(from_claims, truth), 4),
        "auc": round(supported_from_refuted(probabilities, truth), 4),
        "claim_only_auc": round(supported_from_refuted(from_claims, truth), 4),
        "calibration_error": round(calibration_error(probabilities, truth), 4),
        "fitted_on": fitted_on,
        "date": datetime.now(UTC).date().isoformat(),
        "command": f"python -m core {shlex.join(sys.argv[1:])}",
    }


def print_figures(name: str, measured: dict[str, Any], curve: Iterator[Any]) -> None:
    """Print the figures and the risk–coverage curve as the README quotes them."""
    print(name)
    for key, value in measured.items():
        if not isinstance(value, list):
            print(f"  {key}: {value}")
    print("  threshold  answered  right")
    for point in curve:
        print(f"  {point.threshold:9.2f}  {point.coverage:8.1%}  {point.accuracy:5.1%}")


def fit_and_save_classifier(train: Sample, gold: Sequence[GoldClaim], test: Sample, models: Models) -> None:
    """Fit the classifier on train, its wording on all of `gold`. Measure it on test, and keep it in assets/verdicts."""
    searched = {one.id for one in train.gold}
    claims = [*train.gold, *(one for one in gold if one.id not in searched)]
    fitted = fit_classifier(
        documents_rows(read_of_cases(train.cases, models)),
        claim_vectors(claims, models),
        codes([c.label for c in claims]),
    )
    probabilities = classifier_probabilities(fitted.classifier, test, models)
    measured = figures(test, probabilities, fitted.classifier.wording, len(train.gold), models)
    curve = risk_coverage(probabilities, test.truth)
    measured["risk_coverage"] = [asdict(point) for point in curve]
    measured["train_risk_coverage"] = [asdict(point) for point in risk_coverage(fitted.out_of_fold, train.truth)]
    path = save_classifier(DEFAULT, replace(fitted.classifier, measured=measured))
    print_figures(f"Verdict classifier, threshold {fitted.classifier.threshold}: {path}", measured, iter(curve))


def classifier_probabilities(classifier: VerdictClassifier, sample: Sample, models: Models) -> Floats:
    """Return the classifier's probabilities for every case, shape (cases, 4)."""
    vectors = models.encoder.encode([content_of(gold.claim.text).text for gold in sample.gold])
    return np.array(
        [
            list(probabilities_of(classifier, one, classifier.wording_of(vector)).values())
            for one, vector in zip(read_of_cases(sample.cases, models), vectors, strict=True)
        ]
    )


def fit_and_save_similarity(train: Sample, models: Models) -> None:
    """Find the cosine under which claims lack evidence, and keep it in assets/similarity."""
    closest = np.array([one.values["closest"] for one in read_of_cases(train.cases, models)])
    edge, shares, count = not_enough_threshold(closest, train.truth)
    encoder = models.encoder.identity
    command = f"python -m core {shlex.join(sys.argv[1:])}"
    path = save_similarity_card(SimilarityCard(encoder.name, encoder.digest, edge, shares, count, command))
    print(f"{encoder.name}: not enough evidence below {edge} ({count} of {len(train.cases)} claims): {path}")


def label_likelihoods(cases: Sequence[Case], models: Models) -> Floats:
    """Return the model's log-likelihoods of the four labels for every case, shape (cases, 4)."""
    rows = []
    for case in watched(cases, "likelihoods"):
        prompt = render("verdict", read_of(case, models.llm))
        rows.append(models.llm.log_likelihoods(prompt, LETTERS)[0])
    return np.array(rows)


def fit_and_save_card(train: Sample, test: Sample, models: Models, *, bundled: bool) -> None:
    """Measure whether the model beats both baselines and the classifier; whether it reads is for `stress verdict`."""
    fitted_to = label_likelihoods(train.cases, models)
    calibration = fit_calibration(fitted_to, train.truth)
    likelihoods = label_likelihoods(test.cases, models)
    on_train, probabilities = (
        np.array([list(calibrated(row, calibration).values()) for row in rows.tolist()])
        for rows in (fitted_to, likelihoods)
    )
    classifier = load_classifier(DEFAULT)
    measured = figures(test, probabilities, classifier.wording, len(train.gold), models)
    measured["raw_auc"] = round(supported_from_refuted(likelihoods, test.truth), 4)
    measured["classifier"] = round(accuracy(classifier_probabilities(classifier, test, models), test.truth), 4)
    curve = risk_coverage(probabilities, test.truth)
    card = weighed(
        ModelCard(
            name=models.llm.identity.name,
            digest=card_key(models.llm.identity),
            may_judge=False,
            measured=measured,
            threshold=choose_threshold(risk_coverage(on_train, train.truth)),
            calibration=tuple(round(value, 6) for value in calibration),
            reading=None,  # another calibration reads otherwise
        )
    )
    path = save_card(card, folder=OWN_CARDS if bundled else None)
    print_figures(f"{card.name}: {'may' if card.may_judge else 'may not'} judge: {path}", measured, iter(curve))
