"""`python -m core fit stance`: fit the embedded reader, or measure another one on the same pairs."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.averitec.averitec import read_gold
from core.cli.common.terminal import watched
from core.documents.knowledge_store import read_store
from core.interfaces import ContextualEncoder
from core.llm.backends import open_model
from core.models.choice import parse_choice
from core.retrieval.dense import load_encoder
from core.training.fit_stance import (
    Pair,
    answer_pairs,
    choose_thresholds,
    fit_reader,
    measure,
    pairs_of,
    probabilities_of,
    read_pairs,
    swapped_pairs,
)
from core.training.fit_verdict import fit_calibration
from core.training.minimal_pairs import minimal_pairs
from core.types import Document
from core.verification.stance.cards import OWN_CARDS, StanceCard, save_stance_card
from core.verification.stance.cross_encoder import load_cross_encoder
from core.verification.stance.embedded import save_embedded
from core.verification.stance.features import Read
from core.verification.stance.likelihood import LikelihoodReader
from core.verification.stance.reader import STANCES, StanceReader, Thresholds

A_KIND = 200
"""How many minimal pairs of each kind the readers are fitted to, and of how many claims the answers."""

A_KIND_TO_TEST = 60
"""How many of each kind a reader is measured on, unless --pairs says otherwise."""


def run(args: argparse.Namespace) -> int:
    """Fit the embedded reader, or measure the others that are named, on the same pairs; each gets a card.

    Fitted, or calibrated, on the training store's documents; measured on the test store's.
    """
    encoder = load_encoder()
    named, a_kind = others(args), args.pairs or A_KIND_TO_TEST
    test = Pairs(pairs_of(minimal_pairs(documents(args.test_store), per_kind=a_kind, seed=2)), encoder)
    if not named:
        fit_embedded(args, test, encoder)
        return 0
    few = Pairs(pairs_of(minimal_pairs(documents(args.train_store), per_kind=a_kind, seed=3)), encoder)
    for reader in named:
        if isinstance(reader, LikelihoodReader):
            reader, rows = calibrated(reader, few.pairs)
        else:
            rows = probabilities_of(reader, few.pairs, few.reads)
        report(reader, choose_thresholds(rows, few.pairs, few.reads), test, bundled=args.bundled_card)
    return 0


def fit_embedded(args: argparse.Namespace, test: Pairs, encoder: ContextualEncoder) -> None:
    """Fit the embedded reader to minimal and real pairs, and keep it with its card."""
    made = pairs_of(minimal_pairs(documents(args.train_store), per_kind=A_KIND, seed=1))
    answers = answer_pairs(read_gold(args.train)[:A_KIND])
    train = Pairs([*made, *answers, *swapped_pairs(answers)[::2]], encoder)
    embedded = fit_reader(train.pairs, train.reads)
    save_embedded(embedded)
    thresholds = choose_thresholds(probabilities_of(embedded, train.pairs, train.reads), train.pairs, train.reads)
    report(embedded, thresholds, test, bundled=True)


def calibrated(reader: LikelihoodReader, pairs: Sequence[Pair]) -> tuple[LikelihoodReader, NDArray[np.float64]]:
    """Return a language model with likelihoods calibrated on pairs, and its probabilities for them."""
    rows = np.array([reader.log_likelihoods(pair.claim, pair.passage) for pair in watched(pairs, "likelihoods")])
    truth = np.array([STANCES.index(pair.stance) for pair in pairs])
    slope, first, third, fourth = fit_calibration(rows, truth)
    fitted = replace(reader, slope=slope, biases=(first, 0.0, third, fourth))
    return fitted, fitted.calibrated(rows)


class Pairs:
    """Pairs, and the encoder's readings of them."""

    def __init__(self, pairs: Sequence[Pair], encoder: ContextualEncoder) -> None:
        self.pairs = list(pairs)
        print(f"Reading {len(self.pairs):,} pairs.", file=sys.stderr)
        self.reads: list[Read] = read_pairs(self.pairs, encoder)


def documents(stores: Sequence[str]) -> list[Document]:
    """Return the documents of several stores."""
    return [document for path in stores for document in read_store(Path(path))]


def others(args: argparse.Namespace) -> list[StanceReader]:
    """Return the cross-encoders and the language model that are named: they are measured, and nothing is fitted."""
    readers: list[StanceReader] = [load_cross_encoder(folder) for folder in args.cross_encoder]
    if args.with_model:
        readers.append(LikelihoodReader(open_model(parse_choice(args.model))))
    return readers


def report(reader: StanceReader, thresholds: Thresholds, test: Pairs, *, bundled: bool) -> None:
    """Measure a reader with the thresholds that were chosen for it, and keep and print its card."""
    found = measure(probabilities_of(reader, test.pairs, test.reads), test.pairs, test.reads, thresholds)
    command = f"python -m core {shlex.join(sys.argv[1:])}"
    card = StanceCard(
        reader.name,
        reader.digest,
        thresholds,
        round(found.score, 4),
        found.right,
        found.named,
        len(test.pairs),
        command,
    )
    if isinstance(reader, LikelihoodReader):
        card = replace(card, slope=reader.slope, biases=reader.biases)
    path = save_stance_card(card, folder=OWN_CARDS if bundled else None)
    print(f"{reader.name}: {found.score:.3f} of {len(test.pairs)} pairs read as they should be; {path}")
    for kind, share in found.right.items():
        print(f"  {kind:16} {share:6.1%}")
    print(f"  of the changes noticed, the kind is named in {found.named:.1%}")
