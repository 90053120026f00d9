"""`python -m core fit stance`: fit the embedded classifier, and measure it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from core.averitec.averitec import read_gold
from core.cli.fitting import documents, this_command
from core.interfaces import ContextualEncoder
from core.retrieval.dense import load_encoder
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


def run(args: argparse.Namespace) -> int:
    """Fit the embedded classifier on the training store's documents, and measure it on the test store's."""
    encoder = load_encoder()
    sets = [name for name in set_names(args.data) if name in MEASURED]
    train, held = read_sets(args.data, sets)
    fitted_on, measured_on = halves(drawn(held, args.pairs or A_LABEL))
    made = made_from(args.test_store, args.pairs or A_KIND_TO_TEST, seed=2)
    test = read([*made, *entailment_pairs(measured_on)], encoder)
    rare = with_amounts_computed([*train, *halves(held)[0]])  # too few are drawn to learn from
    fit_embedded(args, entailment_pairs(dict.fromkeys([*fitted_on, *rare])), test, encoder)
    return 0


def fit_embedded(args: argparse.Namespace, people: Sequence[Pair], test: ReadPairs, encoder: ContextualEncoder) -> None:
    """Fit the embedded classifier to minimal pairs and to pairs that people wrote, and keep it with its card."""
    measuring = {one.claim for one in calibration_claims(MOST_CLAIMS)}  # they measure chosen readers beside this one
    answers = answer_pairs(read_gold(args.train)[:A_KIND])
    made = made_from(args.train_store, A_KIND, seed=1)
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
    )
    embedded = fit_stance_classifier(pairs, reads)
    save_embedded(embedded)
    report(embedded, choose_thresholds(embedded.probabilities(reads), pairs), test)


def made_from(stores: Sequence[str], per_kind: int, *, seed: int) -> list[Pair]:
    """Return minimal pairs of the documents in several stores, `per_kind` of each kind."""
    return pairs_of(minimal_pairs(documents(stores), per_kind=per_kind, seed=seed))


def read(pairs: Sequence[Pair], encoder: ContextualEncoder) -> ReadPairs:
    """Return the pairs with the encoder's readings of them, and say how many there are."""
    print(f"Reading {len(pairs):,} pairs.", file=sys.stderr)
    return pairs, read_pairs(pairs, encoder, load_pair_reader())


def report(classifier: EmbeddedClassifier, thresholds: Thresholds, test: ReadPairs) -> None:
    """Measure a classifier with the thresholds that were chosen for it, and keep and print its card."""
    card = stance_card(classifier, thresholds, *test, command=this_command())
    path = save_stance_card(card)
    print(f"{card.score:.3f} of {card.pairs} pairs read as they should be; {path}")
    for kind, share in card.right.items():
        print(f"  {kind:16} {share:6.1%}")
    print(f"  of the changes noticed, the kind is named in {card.named:.1%}")
