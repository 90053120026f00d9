"""`python -m core stress`: how far metrics move when evidence is changed in known ways."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from core.averitec.averitec import read_gold, read_submission
from core.cli.common.numbers import first, seed, whole
from core.cli.common.paths import PICTURES, OutputFile, input_name, input_path
from core.cli.score import add_judge_arguments, monitor_on_terminal, opening
from core.errors import BadInput
from core.files import write_whole
from core.scoring.leaderboard_tables import movement_table
from core.scoring.registry import EVIDENCE_ITEMS
from core.scoring.stress import Movement, as_predictions
from core.scoring.work import StressJob
from core.tabular.exports import to_csv, to_latex, to_text
from core.verification.recipes.catalogue import DEFAULT, RECIPES

FORMATS = {"csv": to_csv, "latex": to_latex}


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
    verdict.add_argument("--recipe", default=DEFAULT, choices=RECIPES, help=f"how evidence is found ({DEFAULT})")
    verdict.add_argument(
        "--model",
        type=input_name,
        default="bundled",
        help="the judge of the stress test: 'bundled', a .gguf file, or a server",
    )
    verdict.add_argument(
        "--pairs", type=whole(1, 1000), default=40, metavar="N", help="minimal pairs of each kind (40)"
    )
    verdict.add_argument(
        "--as-judge", action="store_true", help="let the model judge by its card, and write on it whether it may"
    )
    parser.add_argument("--gold", type=input_path, required=True, metavar="FILE", help="gold JSON, JSON lines or CSV")
    parser.add_argument(
        "--submission",
        type=input_path,
        metavar="FILE",
        help="the evidence to change (default: the gold evidence itself)",
    )
    parser.add_argument(
        "--metric", action="append", choices=EVIDENCE_ITEMS, help="may be repeated (default: hungarian-meteor)"
    )
    parser.add_argument("--first", type=first, metavar="N", help="only the first N gold claims")
    parser.add_argument("--seed", type=seed, default=0, help="of the random changes (default: 0)")
    parser.add_argument("--json", action="store_true", help="print the movements as JSON")
    parser.add_argument("--format", choices=FORMATS, help="print the table as CSV or LaTeX")
    parser.add_argument(
        "--chart",
        type=OutputFile(PICTURES),
        metavar="FILE",
        help="write a picture of the movements: .svg, .pdf or .png",
    )
    add_judge_arguments(parser)


def run(args: argparse.Namespace) -> int:
    if args.what == "verdict":
        from core.cli import stress_verdict

        return stress_verdict.run(args)
    gold = read_gold(args.gold)[: args.first]
    predictions = read_submission(args.submission).by_id if args.submission else as_predictions(gold)
    names = tuple(dict.fromkeys(args.metric or ["hungarian-meteor"]))
    job = StressJob(tuple(gold), predictions, opening(args, names), args.seed)
    movements = job.work(lambda metric: print(metric, file=sys.stderr), monitor_on_terminal("stress")).movements
    if args.chart:
        write_chart(args.chart, movements)
    print(written(movements, args), end="")
    return 0


def written(movements: tuple[Movement, ...], args: argparse.Namespace) -> str:
    """Return the movements in the format that was asked for."""
    if args.json:
        return json.dumps([{**asdict(one), "finding": one.finding} for one in movements], indent=1) + "\n"
    return FORMATS[args.format](movement_table(movements)) if args.format else to_text(movement_table(movements)) + "\n"


def write_chart(path: Path, movements: tuple[Movement, ...]) -> None:
    """Write the picture of the movements. Raises BadInput if nothing moved."""
    from core.scoring.charts import movement_chart
    from core.tabular.charts import picture

    chart = movement_chart(movements)
    if chart is None:
        raise BadInput("There is nothing to draw: no item was changed and scored both times.")
    write_whole(path, picture(chart, path.suffix.removeprefix(".")))
