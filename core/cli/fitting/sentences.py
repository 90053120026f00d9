"""`python -m core fit sentences`: measure whether a model may make the sentences of a speech readable alone."""

from __future__ import annotations

import argparse
from dataclasses import replace
from datetime import date

from core.cli.common.terminal import ProgressLine
from core.cli.fitting import this_command
from core.models.cards import OWN_CARDS, save_card
from core.training.measure_rewriting import bundled_sentences, measure_rewriting
from core.verification.opening import card_of, open_models


def run(args: argparse.Namespace) -> int:
    """Measure the model on the bundled sentences, keep the figures on its card, and print them."""
    llm = open_models(args.model).llm
    measured = measure_rewriting(llm, bundled_sentences(), report=ProgressLine("sentences rewritten").show)
    dated = {**measured, "date": date.today().isoformat(), "command": this_command()}
    card = replace(card_of(llm.identity), rewriting=dated)
    path = save_card(card, folder=OWN_CARDS if args.bundled_card else None)
    print(f"{card.name}: {'may' if card.may_rewrite else 'may not'} make sentences readable alone: {path}")
    for name, share in measured.items():
        print(f"  {name}: {share}")
    return 0
