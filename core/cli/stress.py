"""`python -m core stress`: how far metrics, or the judge of verdicts, move when evidence is changed in known ways."""

from __future__ import annotations

import argparse

from core.cli.common import action_command
from core.cli.common.numbers import whole
from core.cli.common.paths import input_name, input_path
from core.scoring.stress_metrics import STRESS
from core.verification.recipes import DEFAULT


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        nargs="?",
        choices=("metrics", "verdict"),
        default="metrics",
        help="metrics: whether they notice changed evidence (the default); verdict: whether the judge does",
    )
    verdict = parser.add_argument_group("for `stress verdict`")
    verdict.add_argument("--stores", type=input_path, metavar="DIR", help="a knowledge store for each claim: ID.json")
    verdict.add_argument(
        "--stores-extra", type=input_name, action="append", default=[], metavar="PATH", help="documents for all claims"
    )
    verdict.add_argument("--recipe", type=input_name, default=DEFAULT, help=f"how evidence is found ({DEFAULT})")
    verdict.add_argument(
        "--model",
        type=input_name,
        default="bundled",
        help="the model that the recipe asks: 'bundled', a .gguf file, or a server",
    )
    verdict.add_argument(
        "--pairs", type=whole(1, 1000), default=40, metavar="N", help="minimal pairs of each kind (40)"
    )
    action_command.add_arguments(parser, STRESS)


def run(args: argparse.Namespace) -> int:
    if args.what == "verdict":
        from core.cli import stress_verdict

        return stress_verdict.run(args)
    return action_command.run(STRESS, args)
