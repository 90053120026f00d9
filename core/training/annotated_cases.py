"""Annotated claims, each with the evidence that a recipe finds for it: the examples that a judge is fitted on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.annotations import GoldClaim
from core.errors import BadInput
from core.interfaces import Models, Retriever, RunContext
from core.jobs.store import JobStore
from core.retrieval.chunking import passages
from core.retrieval.index import Index
from core.storage.store import Store
from core.types import Case, Claim, Document, Label
from core.verification.receipt import receipt_from_json
from core.verification.recipes.catalogue import DEFAULT, Recipe, recipe_named
from core.verification.review import Reviews
from core.verification.steps.asking import AskOfPassages
from core.verification.steps.gathering import quote
from core.verification.steps.judging import PredictVeracity
from core.verification.verdict.classifier import LABELS
from core.verification.verdict.evidence import EvidenceReading, read_evidence

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
"""Labels as positions in Label; shape (claims,)."""


def codes(labels: Sequence[Label]) -> Codes:
    """Return the positions of labels in Label."""
    return np.array([LABELS.index(label) for label in labels], dtype=np.int64)


@dataclass(frozen=True)
class AnnotatedCases:
    """Annotated claims, and the case of each in the same order."""

    gold: Sequence[GoldClaim]
    cases: Sequence[Case]

    @property
    def truth(self) -> Codes:
        return codes([gold.label for gold in self.gold])

    def __add__(self, other: AnnotatedCases) -> AnnotatedCases:
        return AnnotatedCases([*self.gold, *other.gold], [*self.cases, *other.cases])


def with_evidence(
    gold: Sequence[GoldClaim], documents: Sequence[Document], models: Models, with_progress: WithProgress, *, name: str
) -> AnnotatedCases:
    """Return the claims for which the default recipe finds evidence in the documents; `name` names them in progress.

    Questions are left out: the judges do not look at them, and to write them would take hours.
    """
    context = RunContext(models, index_of(documents, models))
    recipe = recipe_named(DEFAULT)
    cases = [quoted(found_for(one.claim, recipe, context)) for one in with_progress(gold, f"{name}, evidence")]
    kept = [(one, case) for one, case in zip(gold, cases, strict=True) if case.evidence]
    return AnnotatedCases([one for one, _ in kept], [case for _, case in kept])


def index_of(documents: Sequence[Document], models: Models) -> Retriever:
    """Return an index of the documents' passages."""
    return Index([passage for document in documents for passage in passages(document)], models.encoder)


def found_for(
    claim: Claim, recipe: Recipe, context: RunContext, *, leave_out: Callable[[Document], bool] | None = None
) -> Case:
    """Return the case of a claim as its judge gets it: after the recipe's steps before the verdict, without questions.

    Documents that `leave_out` names are dropped from the passages after each step.
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


def quoted(case: Case) -> Case:
    """Return a case with its unchanged passages as evidence, without questions."""
    return replace(case, evidence=tuple(quote("", hit.passage) for hit in case.hits))


def read_evidence_of(cases: Sequence[Case], models: Models, with_progress: WithProgress) -> list[EvidenceReading]:
    """Return the reading of every case's evidence."""
    context = RunContext(models, Index([], models.encoder))
    return [read_evidence(case, context) for case in with_progress(cases, "stances")]


def from_history(store: Store) -> AnnotatedCases:
    """Return the cases of the history to which people gave their own verdict. Raises BadInput if there are none."""
    own = [(gold, quoted(case)) for gold, case in own_cases(store) if case.hits]
    if not own:
        raise BadInput("No case in the history bears a verdict of somebody's own: give some on Verify, and save them.")
    return AnnotatedCases([gold for gold, _ in own], [case for _, case in own])


def own_cases(store: Store) -> Iterator[tuple[GoldClaim, Case]]:
    """Yield each case that bears a person's verdict, as an annotated claim with the case's id, oldest first."""
    reviews, jobs = Reviews(store), JobStore(store)
    ids = reviews.concluded()
    conclusions = reviews.conclusions(ids)
    for case_id in ids:
        own, result = conclusions[case_id], jobs.result_of(case_id)
        if own.label is None or result is None:  # notes alone, or the case was deleted
            continue
        case = receipt_from_json(result)[1]
        yield GoldClaim(replace(case.claim, id=case_id), own.label, (), own.reason), case


def with_both_sides(gold: Sequence[GoldClaim]) -> Sequence[GoldClaim]:
    """Return the claims. Raises BadInput if none is Supported or none Refuted: telling these apart is measured."""
    if {Label.SUPPORTED, Label.REFUTED} <= {one.label for one in gold}:
        return gold
    raise BadInput(f"The {len(gold)} claims must hold Supported and Refuted ones: take more of them with --first.")


Item = TypeVar("Item")


class WithProgress(Protocol):
    """Yields the items, and shows under the name `what` how many are done."""

    def __call__(self, items: Sequence[Item], what: str) -> Iterator[Item]: ...
