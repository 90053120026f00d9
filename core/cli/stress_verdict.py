"""`python -m core stress verdict`: whether a judge reads its evidence, on annotated claims and on minimal pairs."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from core.annotations import GoldClaim
from core.averitec.averitec import read_gold
from core.cli.common.terminal import watched
from core.documents.knowledge_store import read_store
from core.errors import BadInput
from core.interfaces import Models, Retriever, RunContext
from core.models.cards import READING, ModelCard, save_card, weighed
from core.retrieval.caching import CachingEncoder
from core.retrieval.chunking import passages
from core.retrieval.index import Index
from core.training.fit_verdict import calibration_error, codes
from core.training.minimal_pairs import minimal_pairs
from core.training.stress_verdict import denied, flipped, found_for, gains, given, judged, pair_figures
from core.types import Case, Document, Label, Verdict
from core.verification.opening import card_of, open_models
from core.verification.recipes.catalogue import DEFAULT, Recipe, recipe_named
from core.verification.verdict.classifier import load_classifier
from core.verification.verdict.judges import ModelJudge

Stores = dict[str, list[Document]]


def run(args: argparse.Namespace) -> int:
    if args.stores is None or not args.stores.is_dir():
        raise BadInput("`stress verdict` needs --stores: the folder that holds a knowledge store for each claim.")
    gold = with_both_sides(read_gold(args.gold)[: args.first])
    stores = {one.id: list(read_store(store_of(args.stores, one.id))) for one in gold}
    extra = [document for path in args.stores_extra for document in read_store(Path(path))]
    models = open_models(args.model)
    encoder = CachingEncoder(models.encoder)
    card = card_of(models.llm.identity)
    judge = judge_by(card) if args.as_judge else models.judge
    context = RunContext(Models(encoder, models.llm, judge), Index([], encoder))
    stress = Stress(gold, stores, extra, recipe_named(args.recipe), context)
    figures = stress.figures(per_kind=args.pairs)
    print(json.dumps(figures, indent=1) if args.json else text_of(figures))
    if args.as_judge:
        card = weighed(replace(card, reading={name: figures[name] or 0.0 for name in READING}))
        path = save_card(card)
        print(f"{card.name} {'may' if card.may_judge else 'may not'} judge: {path}", file=sys.stderr)
    return 0


def with_both_sides(gold: Sequence[GoldClaim]) -> Sequence[GoldClaim]:
    """Return the claims. Raises BadInput if none is Supported or none Refuted: telling these apart is measured."""
    if {Label.SUPPORTED, Label.REFUTED} <= {one.label for one in gold}:
        return gold
    raise BadInput(f"The {len(gold)} claims must hold Supported and Refuted ones: take more of them with --first.")


def judge_by(card: ModelCard) -> ModelJudge:
    """Return the model itself as judge. Raises BadInput where its likelihoods were never calibrated."""
    if card.calibration is None or card.threshold is None:
        raise BadInput(f"{card.name} was never calibrated as a judge: run `python -m core fit model` with it first.")
    return ModelJudge(card.name, card.calibration, card.threshold)


def store_of(folder: Path, claim_id: str) -> Path:
    """Return the file of a claim's store. Raises BadInput if there is none."""
    found = [folder / f"{claim_id}{end}" for end in (".json", ".jsonl") if (folder / f"{claim_id}{end}").is_file()]
    if not found:
        raise BadInput(f"{folder} holds no store for claim {claim_id}: {claim_id}.json or {claim_id}.jsonl.")
    return found[0]


def index_of(documents: Sequence[Document], context: RunContext) -> Retriever:
    """Return an index of documents' passages."""
    return Index([passage for document in documents for passage in passages(document)], context.models.encoder)


@dataclass(frozen=True)
class Stress:
    """The claims, the documents and the judge that are to be put under stress."""

    gold: Sequence[GoldClaim]
    stores: Stores
    extra: Sequence[Document]
    recipe: Recipe
    context: RunContext

    def figures(self, *, per_kind: int) -> dict[str, Any]:
        """Return every figure; shares are in [0, 1]."""
        everything = [document for store in self.stores.values() for document in store]
        full = replace(self.context, retriever=index_of([*everything, *self.extra], self.context))
        cases = [found_for(one.claim, self.recipe, full) for one in watched(self.gold, "own store and all others")]
        own = [self.judged(case, case) for case in watched(cases, "verdicts")]
        half = len(cases) // 2
        swapped = [self.judged(*pair) for pair in zip(cases, [*cases[half:], *cases[:half]], strict=True)]
        left_out = [self.without_own(one, full) for one in watched(self.gold, "own store left out")]
        wrong = [
            self.in_store_of(*pair) for pair in zip(self.gold, [*self.gold[half:], *self.gold[:half]], strict=True)
        ]
        turned = [judged(denied(case.claim), case.hits, self.context) for case in watched(cases, "denials")]
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
                    watched(pairs, "minimal pairs"),
                    lambda one: index_of([one], self.context),
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
        here = replace(self.context, retriever=index_of(self.stores[other.id], self.context))
        case = found_for(one.claim, self.recipe, here)
        return self.judged(case, case)

    def beside_wording(self, own: Sequence[Verdict]) -> dict[str, Any]:
        """Return the measures beside those of the claim's words alone, as the default classifier knows them."""
        truth = codes([one.label for one in self.gold])
        classifier = load_classifier(DEFAULT)
        vectors = self.context.models.encoder.encode([one.claim.text for one in self.gold])
        wording = classifier.wording.of_rows(vectors.astype(np.float64))
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


def text_of(figures: dict[str, Any]) -> str:
    """Return the figures as a person reads them."""
    lines = [f"{figures['claims']} claims"]
    for name in ("accuracy", "log_loss", "auc"):
        one = figures[name]
        lines.append(
            f"  {name}: {one['judge']:.3f}; by the claim's words alone {one['claim_only']:.3f} "
            f"(difference {one['judge'] - one['claim_only']:+.3f}, 95 % [{one['low']:+.3f}, {one['high']:+.3f}])"
        )
    lines += [
        f"  {name.replace('_', ' ')}: {'–' if value is None else f'{value:.3f}'}"
        for name, value in figures.items()
        if name not in ("claims", "accuracy", "log_loss", "auc", "minimal_pairs")
    ]
    lines.append("Minimal pairs    pairs  supported  refuted  no verdict  named")
    for kind, one in figures["minimal_pairs"].items():
        named = "     –" if one["named"] is None else f"{one['named']:6.1%}"
        lines.append(
            f"  {kind:15} {one['pairs']:5}  {one['supported']:9.1%}  {one['refuted']:7.1%}  "
            f"{one['none']:10.1%}  {named}"
        )
    return "\n".join(lines)
