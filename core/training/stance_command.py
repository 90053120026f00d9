"""Do `fit stance`: fit the embedded classifier, and measure it."""

from __future__ import annotations

from collections.abc import Sequence

from core.actions.action import ActionContext
from core.averitec.averitec import read_gold
from core.documents.knowledge_store import read_stores
from core.interfaces import ContextualEncoder
from core.retrieval.dense import load_encoder
from core.training.commands import FitStance
from core.training.entailment import drawn, halves, read_sets, set_names
from core.training.fit_stance import (
    Pair,
    answer_pairs,
    choose_thresholds,
    entailment_pairs,
    fit_stance_classifier,
    nearest_pairs,
    pairs_of,
    read_pairs,
    stance_card,
    swapped_pairs,
    with_amounts_computed,
    written_pairs,
)
from core.training.minimal_pairs import minimal_pairs
from core.training.mixture import TIMES
from core.training.written_claims import MEASURED as MEASURED_ON
from core.verification.stance.cards import save_stance_card
from core.verification.stance.classifier import Thresholds
from core.verification.stance.embedded import EmbeddedClassifier, save_embedded
from core.verification.stance.features import Read
from core.verification.stance.pair_reader import load_pair_reader
from core.verification.written_claims import MOST_CLAIMS, calibration_claims, read_written

A_KIND = 200
"""How many minimal pairs of each kind the classifiers are fitted to, and of how many claims the answers."""

A_LABEL = 200
"""How many held-out pairs of each set and label are read, half of them to fit and half to measure."""

MEASURED = {*TIMES, "fever_symmetric"}
"""The sets with the held-out pairs to read."""

A_KIND_TO_TEST = 60
"""How many of each kind a classifier is measured on, unless --pairs says otherwise."""

ReadPairs = tuple[Sequence[Pair], Sequence[Read]]
"""Pairs, and the encoder's readings of them."""


def fit(request: FitStance, context: ActionContext) -> str:
    """Fit the embedded classifier on the training store's documents, and measure it on the test store's."""
    encoder = load_encoder()
    sets = [name for name in set_names(request.data) if name in MEASURED]
    train, held = read_sets(request.data, sets)
    fitted_on, measured_on = halves(drawn(held, request.pairs or A_LABEL))
    made = made_from(request.test_store, request.pairs or A_KIND_TO_TEST, seed=2)
    test = read([*made, *entailment_pairs(measured_on)], encoder, context)
    rare = with_amounts_computed([*train, *halves(held)[0]])  # too few are drawn to learn from
    return fit_embedded(request, entailment_pairs(dict.fromkeys([*fitted_on, *rare])), test, encoder, context)


def fit_embedded(
    request: FitStance, people: Sequence[Pair], test: ReadPairs, encoder: ContextualEncoder, context: ActionContext
) -> str:
    """Fit the embedded classifier to minimal pairs and to pairs that people wrote, and keep it with its card."""
    measuring = {one.claim for one in calibration_claims(MOST_CLAIMS)}  # they measure chosen readers beside this one
    answers = answer_pairs(read_gold(request.train)[:A_KIND])
    made = made_from(request.train_store, A_KIND, seed=1)
    pairs, reads = read(
        [
            *made,
            *people,
            *nearest_pairs(people, encoder),
            *answers,
            *swapped_pairs(answers)[::2],
            *written_pairs(one for one in read_written(MEASURED_ON) if one.claim not in measuring),
        ],
        encoder,
        context,
    )
    embedded = fit_stance_classifier(pairs, reads)
    save_embedded(embedded)
    return report(embedded, choose_thresholds(embedded.probabilities(reads), pairs), test, context.command)


def made_from(stores: Sequence[str], per_kind: int, *, seed: int) -> list[Pair]:
    """Return minimal pairs of the documents in several stores, `per_kind` of each kind."""
    return pairs_of(minimal_pairs(read_stores(stores), per_kind=per_kind, seed=seed))


def read(pairs: Sequence[Pair], encoder: ContextualEncoder, context: ActionContext) -> ReadPairs:
    """Return the pairs with the encoder's readings of them, and tell how many there are."""
    context.tell(f"Reading {len(pairs):,} pairs.")
    return pairs, read_pairs(pairs, encoder, load_pair_reader())


def report(classifier: EmbeddedClassifier, thresholds: Thresholds, test: ReadPairs, command: str) -> str:
    """Measure a classifier with the thresholds that were chosen for it, keep its card and return it in words."""
    card = stance_card(classifier, thresholds, *test, command=command)
    head = f"{card.score:.3f} of {card.pairs} pairs read as they should be; {save_stance_card(card)}"
    kinds = [f"  {kind:16} {share:6.1%}" for kind, share in card.right.items()]
    return "\n".join([head, *kinds, f"  of the changes noticed, the kind is named in {card.named:.1%}"])
