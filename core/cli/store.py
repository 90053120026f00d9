"""`python -m core store`: build your own knowledge stores, and show one's contents."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from core.averitec.averitec import read_gold
from core.cli.common.asking import ask
from core.cli.common.numbers import whole
from core.cli.common.paths import PICTURES, OutputFile, input_name, input_path, output_folder
from core.cli.common.search_arguments import add_same_day
from core.cli.common.terminal import asked_to_end
from core.cli.verify import add_model_arguments
from core.files import write_whole
from core.search.queries import KINDS_FILE
from core.search.sources import SOURCES
from core.search.stores.build import BuildProgress, may_pass
from core.search.stores.orders import (
    MAX_PAGES,
    MAX_WORKERS,
    BuildOrder,
    OpenedBuild,
    carry_out,
    forecast,
    gold_sites,
    open_build,
    places,
    progress_words,
)
from core.search.stores.stats import StoreStats, store_stats
from core.search.stores.stats_tables import kinds_chart, stats_tables
from core.tabular.exports import EXPORTS, to_text
from core.wording import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    chosen = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    build = chosen.add_parser("build", help="build a store; in the folder of a stopped build, resume it")
    build.add_argument(
        "--claims", type=input_path, required=True, metavar="FILE", help="claims, with annotations or without"
    )
    build.add_argument(
        "--out", type=output_folder, required=True, metavar="DIR", help="the folder that the store is built in"
    )
    build.add_argument(
        "--source",
        type=input_name,
        action="append",
        required=True,
        metavar="NAME[=ADDRESS]",
        help=f"{', '.join(SOURCES)}; may repeat",
    )
    build.add_argument("--kinds", type=input_path, default=KINDS_FILE, metavar="FILE", help="kinds of query (TOML)")
    build.add_argument("--claim-only", action="store_true", help="leave out kinds that need gold annotations")
    build.add_argument(
        "--pages", type=whole(1, MAX_PAGES), default=1, metavar="N", help="pages of results (default: 1)"
    )
    build.add_argument(
        "--workers", type=whole(1, MAX_WORKERS), default=1, metavar="N", help="claims worked on at once (default: 1)"
    )
    build.add_argument(
        "--scheduler",
        default="",
        metavar="ADDRESS",
        help="a Dask cluster (tcp://host:8786) writes the queries and reads the pages; this machine asks for them",
    )
    add_same_day(build)
    build.add_argument("--yes", action="store_true", help="build without asking first")
    add_model_arguments(build)
    stats = chosen.add_parser("stats", help="addresses, texts and tokens a claim, and gold evidence found by kind")
    stats.add_argument("folder", type=input_path, metavar="DIR", help="a store: a folder of files CLAIM_ID.json")
    stats.add_argument(
        "--gold", type=input_path, metavar="FILE", help="annotated claims, to see how much of them was found"
    )
    stats.add_argument("--json", action="store_true", help="print one JSON object in place of the tables")
    stats.add_argument(
        "--chart", type=OutputFile(PICTURES), metavar="FILE", help="draw the results of each kind: .svg, .pdf or .png"
    )
    stats.add_argument(
        "--tables", type=output_folder, metavar="DIR", help="write the tables there, as CSV, XLSX, LaTeX and JSON"
    )


def run(args: argparse.Namespace) -> int:
    return {"build": build, "stats": stats}[args.action](args)


def build(args: argparse.Namespace) -> int:
    order = BuildOrder(
        str(args.claims),
        tuple(args.source),
        kinds_file=str(args.kinds),
        claim_only=args.claim_only,
        pages=args.pages,
        same_day=args.same_day,
        seed=args.seed,
        model=args.model,
        workers=args.workers,
        scheduler=args.scheduler,
    )
    opened = open_build(order)
    agreed = replace(opened, order=replace(order, consent=agree(args, opened)))
    manifest = carry_out(agreed, args.out, report=BuildReporter(len(opened.claims)), stop=asked_to_end)
    print(f"{counted(manifest['rows'], 'row')}, {manifest['with_text']:,} with text, in {args.out}")
    for name in ("asked", "left_out", "without_text"):
        print(f"  {name}: {', '.join(f'{count} {reason}' for reason, count in manifest[name].items()) or 'none'}")
    for message, count in manifest["failures"].items():
        print(f"  not answered, {count} times: {message}")
    if may_pass(manifest):
        print("Run the same command once more to repeat the failed queries, and nothing else.")
    return 0


class BuildReporter:
    """Reports each finished claim on the terminal."""

    def __init__(self, claims: int) -> None:
        self.claims, self.done = claims, 0

    def __call__(self, progress: BuildProgress) -> None:
        if progress.claims > self.done:
            self.done = progress.claims
            print(progress_words(progress, self.claims), file=sys.stderr, flush=True)


def agree(args: argparse.Namespace, opened: OpenedBuild) -> str:
    """List the queries and their receivers, ask, and return the digest of the consent.

    Raises BadInput where no terminal can ask, Cancelled for a no.
    """
    most = forecast(opened)
    what = f"Queries of {counted(len(opened.kinds), 'kind')} for {counted(len(opened.claims), 'claim')}"
    print(f"{what} go to {places(opened.sources)}.", file=sys.stderr)
    for place, queries in most.most.items():
        print(f"  {place}: at most {counted(queries, 'query', 'queries')}", file=sys.stderr)
    print(f"Then Veridesk reads at most {counted(most.pages, 'page')} from their answers.", file=sys.stderr)
    if sites := gold_sites(opened):
        print(f"Among these are the documents behind the annotated answers: {sites}.", file=sys.stderr)
    ask("Go on?", yes=args.yes)
    return most.digest


def stats(args: argparse.Namespace) -> int:
    found = store_stats(args.folder, read_gold(args.gold) if args.gold else ())
    tables = stats_tables(found)
    if args.chart:
        write_chart(args.chart, found)
    if args.tables:
        args.tables.mkdir(parents=True, exist_ok=True)
        for table in tables:
            for write, suffix, _ in EXPORTS.values():
                write_whole(args.tables / f"{table.name}.{suffix}", write(table))
    print(json.dumps(summary_of(found)) if args.json else "\n\n".join(to_text(table) for table in tables))
    return 0


def write_chart(path: Path, found: StoreStats) -> None:
    """Draw the results of each kind of query."""
    from core.tabular.charts import picture

    write_whole(path, picture(kinds_chart(found), path.suffix.removeprefix(".")))


def summary_of(found: StoreStats) -> dict[str, object]:
    """Return the figures as JSON."""
    means = {name: round(found.mean(name), 1) for name in ("addresses", "with_text", "sentences", "tokens")}
    return {
        "claims": len(found.claims),
        "mean": means,
        "rows": found.rows,
        "gold": found.gold,
        "gold_found": found.gold_found,
    }
