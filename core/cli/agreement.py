"""`python -m core agreement`: human ratings beside scores, the tables of the paper and their uncertainty."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from core.agreement.study import CLUSTERS
from core.cli.common.numbers import seed, whole
from core.cli.common.paths import input_path, output_file
from core.errors import BadInput
from core.files import write_whole
from core.records import read_bytes

if TYPE_CHECKING:
    from core.agreement.analysis import RaterAgreement
    from core.agreement.ratings import RatingImport


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--ratings",
        required=True,
        type=input_path,
        metavar="FILE",
        help="form export, CSV or XLSX, or a campaign's JSON lines",
    )
    parser.add_argument(
        "--scores",
        default=[],
        type=input_path,
        nargs="+",
        metavar="FILE",
        help="scores by item: CSV with a column per metric, or `core score --items`; more files are joined by id. "
        "Without any, only the agreement of the raters is printed",
    )
    parser.add_argument(
        "--evidence",
        type=input_path,
        metavar="FILE",
        help="CSV with the items' claims, labels and evidence, joined by id",
    )
    parser.add_argument(
        "--controls", type=input_path, metavar="FILE", help="CSV with the ids of control items and their gold labels"
    )
    parser.add_argument("--with-controls", action="store_true", help="count marked control items as all others")
    parser.add_argument("--recipe", choices=("default", "published"), default="default")
    parser.add_argument("--metric", default="", help="metric of Tables 10 and 11 (the one that correlates best)")
    parser.add_argument("--scale", default="", help="scale of Tables 8, 10 and 11 (semantic_coverage)")
    parser.add_argument("--coefficient", choices=("spearman", "pearson", "kendall_tau_b"), default="spearman")
    parser.add_argument(
        "--cluster",
        choices=tuple(CLUSTERS),
        help="the independent unit (by the design: claim if a tenth of the items share theirs, else item). The claim "
        "is the column claim_id, else the item's id or an equal text. claim-system also speaks of other systems",
    )
    parser.add_argument("--seed", type=seed, help="seed of every resampling (7)")
    parser.add_argument("--resamples", type=whole(10, 100_000), help="bootstrap resamples (2000)")
    parser.add_argument("--report", type=output_file, metavar="FILE", help="write an HTML report without other files")
    parser.add_argument("--tables", type=output_file, metavar="FILE", help="write a zip of all tables as CSV and LaTeX")
    parser.add_argument("--json", action="store_true", help="print every figure as JSON")


def run(args: argparse.Namespace) -> int:
    from core.agreement.agreement_report import report_tables, to_archive, to_json, to_report
    from core.agreement.analysis import analyse, rater_agreement
    from core.agreement.ratings import read_ratings
    from core.agreement.scored_items import read_control_key, read_scored_items
    from core.agreement.study import RECIPES
    from core.statistics.correlation import Coefficient

    recipe = RECIPES[args.recipe]
    recipe = replace(
        recipe,
        seed=recipe.seed if args.seed is None else args.seed,
        resamples=recipe.resamples if args.resamples is None else args.resamples,
        cluster=recipe.cluster if args.cluster is None else args.cluster,
    )
    if recipe.resamples < 1:
        raise BadInput("--resamples must be at least 1.")
    files = [*args.scores, *([args.evidence] if args.evidence else [])]
    ratings = read_ratings(args.ratings.name, read_bytes(args.ratings))
    if args.with_controls:
        ratings = replace(ratings, responses=tuple(replace(one, control=False) for one in ratings.responses))
    key = read_control_key(args.controls.name, read_bytes(args.controls)) if args.controls else {}
    if not args.scores:
        return print_raters(ratings, rater_agreement(ratings, args.scale, recipe, key), as_json=args.json)
    analysis = analyse(
        ratings,
        read_scored_items([(path.name, read_bytes(path)) for path in files]),
        recipe,
        control_key=key,
        metric=args.metric,
        scale=args.scale,
        coefficient=Coefficient(args.coefficient),
    )
    say_unused(ratings, analysis.notes)
    if args.report:
        write_whole(args.report, to_report(analysis, command=_command(args)))
    if args.tables:
        write_whole(args.tables, to_archive(analysis))
    if args.json:
        json.dump(to_json(analysis), sys.stdout, indent=1, ensure_ascii=False)
        print()
    else:
        from core.agreement.findings import against_the_others, best_metric
        from core.tabular.exports import to_text

        answer = " ".join(
            filter(None, (best_metric(analysis), against_the_others(analysis), analysis.study.cluster_reason))
        )
        print("\n\n".join([answer, *map(to_text, report_tables(analysis))]))
    return 0


def say_unused(ratings: RatingImport, notes: Sequence[str] = ()) -> None:
    """Name on standard error the unusable parts of the files, and every guess."""
    from core.agreement.ratings import unused_answers

    report = ratings.report
    unused = sorted((*report.skipped, *report.unused_answers), key=lambda one: one.row)
    for note in (*([f"{report.file}: {unused_answers(unused)}."] if unused else []), *report.notes, *notes):
        print(note, file=sys.stderr)


def print_raters(ratings: RatingImport, raters: RaterAgreement, *, as_json: bool) -> int:
    """Print how raters agree with each other, which needs no scores."""
    from core.agreement.rater_tables import rater_tables
    from core.tabular.exports import to_text

    say_unused(ratings)
    if as_json:
        print(json.dumps(asdict(raters), ensure_ascii=False, indent=1))
    else:
        print("\n\n".join(map(to_text, rater_tables(raters))))
    return 0


def _command(args: argparse.Namespace) -> str:
    import shlex

    words = ["python", "-m", "core", "agreement", "--ratings", str(args.ratings), "--scores", *map(str, args.scores)]
    for name in ("evidence", "controls", "recipe", "metric", "scale", "coefficient", "cluster", "seed", "resamples"):
        value = getattr(args, name)
        if value not in (None, ""):
            words += [f"--{name}", str(value)]
    words += ["--with-controls"] if args.with_controls else []
    return shlex.join(words)
