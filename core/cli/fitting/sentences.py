"""`python -m core fit sentences`: measure whether a model may make the sentences of a speech readable alone."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from datetime import date

from core.cli.common.terminal import ProgressLine
from core.cli.fitting import this_command
from core.models.cards import OWN_CARDS, ModelCard, save_card
from core.training.measure_rewriting import bundled_sentences, measure_rewriting
from core.verification.opening import open_models


def run(args: argparse.Namespace) -> int:
    """Measure the model on the bundled sentences, keep the figures on its card, and print them."""
    llm = open_models(args.model).llm
    measured = measure_rewriting(llm, bundled_sentences(), report=ProgressLine("sentences rewritten").show)
    one = llm.identity
    card = ModelCard(one.name, one.digest, measured, date.today().isoformat(), this_command())
    path = save_card(card, folder=OWN_CARDS if args.bundled_card else None)
    print(f"{card.name}: {'may' if card.may_rewrite else 'may not'} make sentences readable alone: {path}")
    for name, share in asdict(measured).items():
        print(f"  {name}: {share}")
    return 0
