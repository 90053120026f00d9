"""`python -m core fit worthiness`: fit the ranking of sentences worth checking, measured on held-out documents."""

from __future__ import annotations

import argparse

from core.claims.worthiness import WORTHINESS, worthiness_json
from core.cli.common.terminal import tell
from core.cli.fitting import this_command
from core.files import write_whole
from core.retrieval.dense import load_encoder
from core.training.fit_worthiness import fit_worthiness


def run(args: argparse.Namespace) -> int:
    """Fit the classifier to the sets in --data, keep it in assets/worthiness, and print its figures."""
    classifier = fit_worthiness(args.data, load_encoder(), command=this_command(), report=tell)
    path = args.out or WORTHINESS
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, worthiness_json(classifier))
    for name, figures in classifier.measured.items():
        print(f"{name}, {figures['sentences']:,} sentences of {figures['documents']} documents, each held out once:")
        for way, found in figures.items():
            if isinstance(found, dict):
                print(f"  {way}: {', '.join(f'{figure} {value:.3f}' for figure, value in found.items())}")
    print(path)
    return 0
