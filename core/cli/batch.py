"""`python -m core batch`: a submission over a file of claims."""

from __future__ import annotations

import argparse
import json
from contextlib import closing
from itertools import count
from pathlib import Path

from core.archive.types import PREFIX
from core.averitec.averitec import read_claims
from core.batch.journal import JOURNAL
from core.batch.report import report_lines
from core.batch.run import FAILURES, SUFFIXES, executor_for, failures_path, run_batch
from core.batch.types import BatchPlan, Done
from core.cli.common.numbers import amount, first, whole
from core.cli.common.paths import OutputFile, input_name, input_path, output_folder
from core.cli.common.terminal import asked_to_end, tell
from core.cli.verify import RECIPE_HELP, add_model_arguments, add_no_questions
from core.dataclass_json import to_json
from core.errors import BadInput
from core.types import Claim
from core.verification.recipes.catalogue import DEFAULT
from core.verification.recipes.recipe_files import chosen_recipe
from core.verification.request import Request
from core.verification.verdict.verdict_words import shown_label, words_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--claims", required=True, type=input_path, metavar="FILE", help="claims in any AVeriTeC format"
    )
    parser.add_argument(
        "--stores", type=input_path, metavar="DIR", help="a knowledge store for each claim: ID.json or .jsonl"
    )
    parser.add_argument(
        "--stores-extra",
        type=input_name,
        action="append",
        default=[],
        metavar="PATH",
        help="documents for every claim; may repeat. Without --stores they are all that is searched, and indexed once",
    )
    parser.add_argument(
        "--cases", type=output_folder, metavar="DIR", help="keep the receipt of each claim in this folder"
    )
    parser.add_argument("--recipe", type=input_name, default=DEFAULT, metavar="NAME|FILE", help=RECIPE_HELP)
    parser.add_argument(
        "--out",
        required=True,
        type=OutputFile(SUFFIXES, beside=(JOURNAL, FAILURES)),
        action="append",
        metavar="FILE",
        help="the submission: .json, .jsonl or .csv; may repeat for more formats. The journal is beside the first",
    )
    parser.add_argument("--first", type=first, metavar="N", help="only the first N claims")
    parser.add_argument(
        "--workers", type=whole(1, 256), default=1, metavar="N", help="processes on this machine (default: 1)"
    )
    parser.add_argument("--scheduler", default="", metavar="ADDRESS", help="work on a Dask cluster: tcp://host:8786")
    parser.add_argument(
        "--within",
        type=amount(0.1, 1e6),
        metavar="SECONDS",
        help="the longest time for one claim; if time runs short, it gets fewer passages and questions",
    )
    parser.add_argument("--retry-failures", action="store_true", help="try again what failed in earlier runs")
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")
    add_no_questions(parser)
    add_model_arguments(parser)


def run(args: argparse.Namespace) -> int:
    check(args)
    claims = read_claims(args.claims)[: args.first]
    plan, numbers = plan_from(args), count(1)

    def on_done(done: Done, before: bool) -> None:
        number = next(numbers)
        if not before:
            tell(line(number, len(claims), done))

    with closing(executor_for(plan, workers=args.workers, scheduler=args.scheduler)) as executor:
        report = run_batch(
            claims, plan, executor, args.out, on_done, retry_failures=args.retry_failures, stop=asked_to_end
        )
    print(json.dumps(to_json(report), ensure_ascii=False) if args.json else "\n".join(report_lines(report)))
    if report.failures:
        tell(f"{failures_path(args.out[0])} lists them; --retry-failures tries them again.")
    return 1 if report.failures else 0


def check(args: argparse.Namespace) -> None:
    """Raise BadInput for faults that are visible before a model is loaded."""
    if args.scheduler and args.workers > 1:
        raise BadInput("A Dask cluster brings its own workers: leave out --workers or --scheduler.")
    if args.stores is None and not args.stores_extra:
        raise BadInput("Give --stores, a store for each claim, or --stores-extra, documents for all of them.")
    if args.stores and not args.stores.is_dir():
        raise BadInput(f"{args.stores} is no folder: give the one that holds a store for each claim.")


def plan_from(args: argparse.Namespace) -> BatchPlan:
    """Return the plan of the batch. Paths become absolute: workers may have another folder."""
    recipe, own_recipe = chosen_recipe(args.recipe)
    training = str(args.training.absolute()) if args.training else ""
    request = Request(
        Claim(""),
        recipe=recipe,
        own_recipe=own_recipe,
        training=training,
        model=args.model,
        seed=args.seed,
        questions=not args.no_questions,
        keep_index=args.stores is None,
    )
    return BatchPlan(
        request,
        stores=args.stores.absolute() if args.stores else None,
        extra=tuple(path if path.startswith(PREFIX) else str(Path(path).absolute()) for path in args.stores_extra),
        within=args.within,
        cases=args.cases.absolute() if args.cases else None,
    )


def line(number: int, count: int, done: Done) -> str:
    """Return the terminal's line on one claim."""
    what = words_of(shown_label(done.prediction)).word if done.prediction else f"FAILED: {done.error}"
    less = f"  (less: {'; '.join(done.left_out)})" if done.left_out else ""
    return f"{number}/{count}  claim {done.claim_id}  {done.seconds:.1f} s  {what}{less}"
