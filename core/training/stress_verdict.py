"""Measure whether a judge reads: swap the evidence, take it away, or turn the claim round, and compare verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from core.annotations import GoldClaim
from core.interfaces import Retriever, RunContext
from core.statistics.logistic import log_loss
from core.training.annotated_cases import Codes, Floats, WithProgress, codes, found_for, index_of
from core.training.fit_stance import names_change
from core.training.judge_measures import accuracy, calibration_error, claim_vectors, supported_from_refuted
from core.training.minimal_pairs import KINDS, MinimalPair, minimal_pairs
from core.types import Case, Claim, Document, Hit, Label, Stance, Verdict
from core.verification.recipes.catalogue import DEFAULT, Recipe
from core.verification.steps.judging import with_quotations
from core.verification.verdict.classifier import load_classifier

RESAMPLES = 1000
DENIAL = "It is not true that "
_TURNED = {Label.SUPPORTED: Label.REFUTED, Label.REFUTED: Label.SUPPORTED}


def given(verdict: Verdict) -> bool:
    """Say whether a verdict is given: a label that the judge is sure of, other than Not Enough Evidence."""
    return not verdict.cannot_tell and verdict.label is not Label.NOT_ENOUGH_EVIDENCE


def judged(claim: Claim, hits: Sequence[Hit], context: RunContext) -> Verdict:
    """Return the verdict on a claim with these passages as its evidence."""
    return context.models.judge.verdict(with_quotations(Case(claim, hits=tuple(hits))), context)


def denied(claim: Claim) -> Claim:
    """Return the claim that this one is not true."""
    return replace(claim, text=f"{DENIAL}{claim.text[:1].lower()}{claim.text[1:]}")


def flipped(verdict: Verdict, of_denial: Verdict) -> bool:
    """Say whether the verdict on a claim's denial is the contrary one."""
    return given(of_denial) and of_denial.label is _TURNED.get(verdict.label)


@dataclass(frozen=True)
class Gain:
    """By how much a judge is better than the claim's words alone, with the bounds of 95 % of paired resamples."""

    judge: float
    claim_only: float
    low: float
    high: float


def gains(probabilities: Floats, wording: Floats, truth: Codes, *, seed: int = 0) -> dict[str, Gain]:
    """Return accuracy, log-loss and AUC of a judge beside those of the wording alone; each (claims, 4)."""
    measures = {"accuracy": accuracy, "log_loss": log_loss, "auc": supported_from_refuted}
    draw = np.random.default_rng(seed)
    samples = [draw.integers(0, len(truth), len(truth)) for _ in range(RESAMPLES)]
    found = {}
    for name, measure in measures.items():
        # A sample without one of the two labels has no AUC.
        usable = [rows for rows in samples if {0, 1} <= set(truth[rows].tolist())]
        moved = [measure(probabilities[rows], truth[rows]) - measure(wording[rows], truth[rows]) for rows in usable]
        low, high = np.percentile(moved, [2.5, 97.5])
        one, other = measure(probabilities, truth), measure(wording, truth)
        found[name] = Gain(*(round(float(value), 4) for value in (one, other, low, high)))
    return found


@dataclass(frozen=True)
class PairFigures:
    """A judge's figures on minimal pairs of one kind, as shares in [0, 1].

    `supported` and `refuted` are the shares with these verdicts. `named` is the share with a reason of the changed kind
    from a passage against the claim. It is None where nothing was changed.
    """

    pairs: int
    supported: float
    refuted: float
    none: float
    named: float | None


def pair_figures(
    pairs: Iterable[MinimalPair], retriever_of: Callable[[Document], Retriever], recipe: Recipe, context: RunContext
) -> dict[str, PairFigures]:
    """Return the figures by kind, each pair taken through search, choice of passages and verdict."""
    verdicts: dict[str, list[Verdict]] = {}
    for pair in pairs:
        here = replace(context, retriever=retriever_of(pair.document))
        case = found_for(Claim(pair.claim), recipe, here)
        verdicts.setdefault(pair.kind, []).append(judged(case.claim, case.hits, here))
    return {kind: _figures(kind, found) for kind, found in verdicts.items()}


def _figures(kind: str, verdicts: Sequence[Verdict]) -> PairFigures:
    def share(label: Label) -> float:
        return round(sum(given(one) and one.label is label for one in verdicts) / len(verdicts), 4)

    changed = KINDS[kind] is Stance.AGAINST
    named = sum(_names(kind, one) for one in verdicts) / len(verdicts)
    none = sum(not given(one) for one in verdicts) / len(verdicts)
    return PairFigures(
        len(verdicts),
        share(Label.SUPPORTED),
        share(Label.REFUTED),
        round(none, 4),
        round(named, 4) if changed else None,
    )


def _names(kind: str, verdict: Verdict) -> bool:
    return any(one.stance is Stance.AGAINST and names_change(kind, one) for one in verdict.stances)


@dataclass(frozen=True)
class Stress:
    """The claims, the documents and the judge that are to be put under stress."""

    gold: Sequence[GoldClaim]
    stores: dict[str, list[Document]]
    extra: Sequence[Document]
    recipe: Recipe
    context: RunContext
    with_progress: WithProgress

    def figures(self, *, per_kind: int) -> dict[str, Any]:
        """Return every figure; shares are in [0, 1]."""
        everything = [document for store in self.stores.values() for document in store]
        full = replace(self.context, retriever=index_of([*everything, *self.extra], self.context.models))
        cases = [
            found_for(one.claim, self.recipe, full) for one in self.with_progress(self.gold, "own store and all others")
        ]
        own = [self.judged(case, case) for case in self.with_progress(cases, "verdicts")]
        half = len(cases) // 2
        swapped = [self.judged(*pair) for pair in zip(cases, [*cases[half:], *cases[:half]], strict=True)]
        left_out = [self.without_own(one, full) for one in self.with_progress(self.gold, "own store left out")]
        wrong = [
            self.in_store_of(*pair) for pair in zip(self.gold, [*self.gold[half:], *self.gold[:half]], strict=True)
        ]
        turned = [judged(denied(case.claim), case.hits, self.context) for case in self.with_progress(cases, "denials")]
        pairs = minimal_pairs(everything, per_kind=per_kind, seed=4)
        return {
            "claims": len(cases),
            **self.beside_wording(own),
            "given": share(own),
            "right_where_given": self.right_where_given(own),
            "given_on_swapped_evidence": share(swapped),
            "given_in_a_wrong_store": share(wrong),
            "given_with_own_store_left_out": share(left_out),
            "flipped_by_negation": flips(own, turned),
            "minimal_pairs": {
                kind: asdict(found)
                for kind, found in pair_figures(
                    self.with_progress(pairs, "minimal pairs"),
                    lambda one: index_of([one], self.context.models),
                    self.recipe,
                    self.context,
                ).items()
            },
        }

    def judged(self, case: Case, evidence: Case) -> Verdict:
        """Return the verdict on one case's claim with another's passages."""
        return judged(case.claim, evidence.hits, self.context)

    def without_own(self, one: GoldClaim, full: RunContext) -> Verdict:
        own = {document.digest for document in self.stores[one.id]}
        case = found_for(one.claim, self.recipe, full, leave_out=lambda document: document.digest in own)
        return self.judged(case, case)

    def in_store_of(self, one: GoldClaim, other: GoldClaim) -> Verdict:
        here = replace(self.context, retriever=index_of(self.stores[other.id], self.context.models))
        case = found_for(one.claim, self.recipe, here)
        return self.judged(case, case)

    def beside_wording(self, own: Sequence[Verdict]) -> dict[str, Any]:
        """Return the measures beside those of the claim's words alone, as the default classifier knows them."""
        truth = codes([one.label for one in self.gold])
        classifier = load_classifier(DEFAULT)
        wording = classifier.wording.of_rows(claim_vectors(self.gold, self.context.models))
        probabilities = np.array([list(verdict.probabilities.values()) for verdict in own])
        found = {name: asdict(gain) for name, gain in gains(probabilities, wording, truth).items()}
        return {**found, "calibration_error": round(calibration_error(probabilities, truth), 4)}

    def right_where_given(self, own: Sequence[Verdict]) -> float | None:
        right = [verdict.label is one.label for verdict, one in zip(own, self.gold, strict=True) if given(verdict)]
        return round(sum(right) / len(right), 4) if right else None


def share(verdicts: Sequence[Verdict]) -> float:
    """Return how many of the verdicts are given."""
    return round(sum(map(given, verdicts)) / len(verdicts), 4)


def flips(own: Sequence[Verdict], turned: Sequence[Verdict]) -> float | None:
    """Return how many of the claims judged true or false are judged the other way when denied; None of none."""
    found = [flipped(one, other) for one, other in zip(own, turned, strict=True) if given(one)]
    return round(sum(found) / len(found), 4) if found else None
