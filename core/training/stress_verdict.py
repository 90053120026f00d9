"""Does a judge read? What its verdicts do when the evidence is swapped, taken away, or the claim is turned round."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.interfaces import Retriever, RunContext
from core.training.fit_stance import names_change
from core.training.fit_verdict import Codes, Floats, accuracy, log_loss, supported_from_refuted
from core.training.minimal_pairs import KINDS, MinimalPair
from core.types import Case, Claim, Document, Hit, Label, Stance, Verdict
from core.verification.recipes.catalogue import Recipe
from core.verification.steps.asking import AskOfPassages
from core.verification.steps.judging import PredictVeracity, with_quotations

RESAMPLES = 1000
DENIAL = "It is not true that "
_TURNED = {Label.SUPPORTED: Label.REFUTED, Label.REFUTED: Label.SUPPORTED}


def given(verdict: Verdict) -> bool:
    """Say whether a verdict is given: a label that the judge is sure of, other than Not Enough Evidence."""
    return not verdict.cannot_tell and verdict.label is not Label.NOT_ENOUGH_EVIDENCE


def found_for(
    claim: Claim, recipe: Recipe, context: RunContext, *, leave_out: Callable[[Document], bool] | None = None
) -> Case:
    """Return the case of a claim as its judge gets it: the recipe's steps up to the verdict, questions left out.

    Documents that `leave_out` names are dropped from what a step found.
    """
    case = Case(claim)
    for step in recipe.steps:
        if isinstance(step, PredictVeracity):
            break
        if not isinstance(step, AskOfPassages):
            case = step(case, context)
        if leave_out:
            case = replace(case, hits=tuple(hit for hit in case.hits if not leave_out(hit.passage.document)))
    return case


def judged(claim: Claim, hits: Sequence[Hit], context: RunContext) -> Verdict:
    """Return the verdict on a claim with these passages as its evidence."""
    return context.models.judge.verdict(with_quotations(Case(claim, hits=tuple(hits))), context)[0]


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
    """What a judge made of minimal pairs of one kind, as shares in [0, 1].

    `supported` and `refuted` are verdicts that were given; `named` is the share in which the reason of a passage
    against the claim is of the kind of the change (None where nothing was changed).
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
