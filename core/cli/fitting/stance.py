"""`python -m core fit stance`: fit the embedded classifier, or measure another one on the same pairs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from core.averitec.averitec import read_gold
from core.cli.common.terminal import with_progress
from core.cli.fitting import documents, this_command
from core.interfaces import ContextualEncoder
from core.llm.backends import open_model
from core.models.choice import parse_choice
from core.retrieval.dense import load_encoder
from core.training.entailment import drawn, halves, read_sets, set_names
from core.training.fit_stance import (
    Pair,
    answer_pairs,
    calibrated,
    choose_thresholds,
    entailment_pairs,
    fit_stance_classifier,
    nearest_pairs,
    pairs_of,
    probabilities_of,
    read_pairs,
    stance_card,
    swapped_pairs,
    with_amounts_computed,
    written_pairs,
)
from core.training.minimal_pairs import minimal_pairs
from core.training.mixture import TIMES
from core.training.written_claims import MEASURED as MEASURED_ON
from core.training.written_claims import read_written
from core.verification.stance.cards import OWN_CARDS, save_stance_card
from core.verification.stance.classifier import StanceClassifier, Thresholds
from core.verification.stance.cross_encoder import load_cross_encoder
from core.verification.stance.embedded import save_embedded
from core.verification.stance.features import Read
from core.verification.stance.likelihood import LikelihoodClassifier
from core.verification.stance.pair_reader import load_pair_reader

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
    """Fit the embedded classifier, or measure the others that are named, on the same pairs; each gets a card.

    Fitted, or calibrated, on the training store's documents; measured on the test store's.
    """
    encoder = load_encoder()
    named, a_kind = others(args), args.pairs or A_KIND_TO_TEST
    sets = [name for name in set_names(args.data) if name in MEASURED]
    train, held = read_sets(args.data, sets)
    fitted_on, measured_on = halves(drawn(held, args.pairs or A_LABEL))
    test = read([*made_from(args.test_store, a_kind, seed=2), *entailment_pairs(measured_on)], encoder)
    if not named:
        rare = with_amounts_computed([*train, *halves(held)[0]])  # too few are drawn to learn from
        people = dict.fromkeys([*fitted_on, *rare])
        fit_embedded(args, entailment_pairs(people), test, encoder)
        return 0
    pairs, reads = read([*made_from(args.train_store, a_kind, seed=3), *entailment_pairs(fitted_on)], encoder)
    for classifier in named:
        if isinstance(classifier, LikelihoodClassifier):
            classifier, rows = calibrated(classifier, pairs, with_progress)
        else:
            rows = probabilities_of(classifier, pairs, reads)
        report(classifier, choose_thresholds(rows, pairs), test, bundled=args.bundled_card)
    return 0


def fit_embedded(args: argparse.Namespace, people: Sequence[Pair], test: ReadPairs, encoder: ContextualEncoder) -> None:
    """Fit the embedded classifier to minimal pairs and to pairs that people wrote, and keep it with its card."""
    answers = answer_pairs(read_gold(args.train)[:A_KIND])
    made = made_from(args.train_store, A_KIND, seed=1)
    pairs, reads = read(
        [
            *made,
            *people,
            *nearest_pairs(people, encoder),
            *answers,
            *swapped_pairs(answers)[::2],
            *written_pairs(read_written(MEASURED_ON)),
        ],
        encoder,
    )
    embedded = fit_stance_classifier(pairs, reads)
    save_embedded(embedded)
    report(embedded, choose_thresholds(probabilities_of(embedded, pairs, reads), pairs), test, bundled=True)


def made_from(stores: Sequence[str], per_kind: int, *, seed: int) -> list[Pair]:
    """Return minimal pairs of the documents in several stores, `per_kind` of each kind."""
    return pairs_of(minimal_pairs(documents(stores), per_kind=per_kind, seed=seed))


def read(pairs: Sequence[Pair], encoder: ContextualEncoder) -> ReadPairs:
    """Return the pairs with the encoder's readings of them, and say how many there are."""
    print(f"Reading {len(pairs):,} pairs.", file=sys.stderr)
    return pairs, read_pairs(pairs, encoder, load_pair_reader())


def others(args: argparse.Namespace) -> list[StanceClassifier]:
    """Return the cross-encoders and the language model that are named: they are measured, and nothing is fitted."""
    classifiers: list[StanceClassifier] = [load_cross_encoder(folder) for folder in args.cross_encoder]
    if args.with_model:
        classifiers.append(LikelihoodClassifier(open_model(parse_choice(args.model))))
    return classifiers


def report(classifier: StanceClassifier, thresholds: Thresholds, test: ReadPairs, *, bundled: bool) -> None:
    """Measure a classifier with the thresholds that were chosen for it, and keep and print its card."""
    card = stance_card(classifier, thresholds, *test, command=this_command())
    path = save_stance_card(card, folder=OWN_CARDS if bundled else None)
    print(f"{classifier.name}: {card.score:.3f} of {card.pairs} pairs read as they should be; {path}")
    for kind, share in card.right.items():
        print(f"  {kind:16} {share:6.1%}")
    print(f"  of the changes noticed, the kind is named in {card.named:.1%}")
