"""`python -m core batch`: a submission over a file of claims."""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

from core.batch import Done, request_for, run_batch
from core.commands.verify import add_model_arguments
from core.errors import BadInput
from core.formats.averitec import read_claims
from core.recipes import DEFAULT, RECIPES, recipe_named
from core.types import Claim
from core.verify import Request
from core.workbench import open_workbench


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--claims", required=True, type=Path, metavar="FILE", help="claims in AVeriTeC JSON")
    parser.add_argument(
        "--stores", required=True, type=Path, metavar="DIR", help="a knowledge store for each claim: ID.json"
    )
    parser.add_argument(
        "--stores-extra",
        action="append",
        default=[],
        metavar="PATH",
        help="documents searched for every claim; may repeat",
    )
    parser.add_argument("--recipe", default=DEFAULT, help=f"one of {', '.join(RECIPES)} (default: {DEFAULT})")
    parser.add_argument(
        "--out", required=True, type=Path, metavar="FILE", help="the submission to write (AVeriTeC JSON)"
    )
    parser.add_argument("--first", type=int, metavar="N", help="only the first N claims")
    add_model_arguments(parser)


def run(args: argparse.Namespace) -> int:
    recipe_named(args.recipe)
    if not args.out.parent.is_dir():
        raise BadInput(f"The folder {args.out.parent} does not exist: make it, or write elsewhere.")
    claims = read_claims(args.claims)[: args.first]
    bench = open_workbench(args.model, training=args.training)
    model = Request(Claim(""), recipe=args.recipe, model=args.model, seed=args.seed)
    results = run_batch(
        claims, lambda claim: request_for(claim, args.stores, args.stores_extra, model), bench, args.out
    )
    done = []
    for number, (result, before) in enumerate(results, start=1):
        done.append(result)
        print(line(number, len(claims), result, before=before), file=sys.stderr, flush=True)
    print(closing(done, args.out))
    return 0 if all(result.prediction for result in done) else 1


def line(number: int, count: int, done: Done, *, before: bool) -> str:
    """Return what the terminal says of one claim."""
    what = str(done.prediction.label) if done.prediction else f"FAILED: {done.error}"
    return f"{number}/{count}  claim {done.claim_id}  {done.seconds:.1f} s{' (before)' if before else ''}  {what}"


def closing(done: list[Done], out: Path) -> str:
    """Return the last line: how many came out, and how long a claim took."""
    failed = sum(not result.prediction for result in done)
    seconds = sorted(result.seconds for result in done)
    tail = seconds[min(len(seconds) - 1, int(0.95 * len(seconds)))]
    names = f"{failed} failed (see {out}.failures.json; the same command tries them again)" if failed else "none failed"
    median = statistics.median(seconds)
    return f"{len(done)} claims, {names}. Seconds a claim: median {median:.1f}, 95th percentile {tail:.1f}."
