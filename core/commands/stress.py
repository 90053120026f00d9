"""`python -m core stress`: how far metrics move when evidence is changed in known ways."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from core.commands.score import add_judge_arguments, aligned_lines, open_metrics
from core.formats.averitec import read_gold, read_submission
from core.scoring.perturbation import Movement, as_predictions, stress, submission_predictions

NAMES = {
    "hungarian-meteor": ("hungarian-meteor:q+a",),
    "soft-coverage": ("soft-coverage:q+a",),
    "ev2r": ("ev2r:q+a",),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--gold", type=Path, required=True, metavar="FILE", help="gold JSON, JSON lines or CSV")
    parser.add_argument(
        "--submission", type=Path, metavar="FILE", help="the evidence to change (default: the gold evidence itself)"
    )
    parser.add_argument("--metric", action="append", choices=NAMES, help="may be repeated (default: hungarian-meteor)")
    parser.add_argument("--first", type=int, metavar="N", help="only the first N gold claims")
    parser.add_argument("--seed", type=int, default=0, help="of the random changes (default: 0)")
    parser.add_argument("--json", action="store_true", help="print the movements as JSON")
    parser.add_argument("--fetch-words", action="store_true", help="first fetch NLTK's Punkt and WordNet")
    add_judge_arguments(parser)


def run(args: argparse.Namespace) -> int:
    gold = read_gold(args.gold)[: args.first]
    predictions = submission_predictions(read_submission(args.submission)) if args.submission else as_predictions(gold)
    movements: list[Movement] = []
    for metric in open_metrics(args, args.metric or ["hungarian-meteor"]):
        print(f"{metric.name}: the evidence as it is, then changed in eleven ways", file=sys.stderr)
        movements += stress(gold, predictions, metric, names=NAMES[metric.name], seed=args.seed)
    if args.json:
        print(json.dumps([asdict(movement) for movement in movements], indent=1))
    else:
        print("\n".join(aligned_lines([HEADER, *map(row, movements)])))
        print(NOTE)
    return 0


HEADER = ("should", "perturbation", "metric", "changed items", "before", "after", "moves by", "95 % interval", "so")
NOTE = (
    "Over the items that the perturbation changed. Sound: falls clearly (interval below −0.05) where it should fall, "
    "stays within ±0.05 where it should hold."
)
CLEAR = 0.05
"""What counts as a movement."""


def row(movement: Movement) -> Sequence[str]:
    """Return one line of the table."""
    named = [movement.expected, movement.perturbation, movement.metric, str(movement.n)]
    if movement.before is None or movement.after is None or movement.interval is None:
        return [*named, "–", "–", "–", "–", "not applicable"]
    moved = movement.after - movement.before
    bounds = f"{movement.interval.low:+.3f} … {movement.interval.high:+.3f}"
    return [*named, f"{movement.before:.4f}", f"{movement.after:.4f}", f"{moved:+.4f}", bounds, judgement(movement)]


def judgement(movement: Movement) -> str:
    """Return "sound", "blind" (should have fallen), "fragile" (should have held) or "unclear"."""
    if movement.interval is None:
        return "not applicable"
    low, high = movement.interval.low, movement.interval.high
    if movement.expected == "falls":
        return "sound" if high < -CLEAR else "blind" if low > -CLEAR else "unclear"
    return "sound" if low >= -CLEAR and high <= CLEAR else "fragile" if high < -CLEAR or low > CLEAR else "unclear"
