"""`python -m core store`: build knowledge stores of one's own, and say what is in one."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from core.averitec.averitec import read_gold
from core.cli.verify import add_model_arguments
from core.errors import BadInput, Cancelled
from core.llm.backends import open_model
from core.models.choice import parse_choice
from core.search.queries import KINDS_FILE, Kind, QueryWriter, read_kinds
from core.search.reading import PAUSE_SECONDS
from core.search.sender import Sender
from core.search.sources import SOURCES, open_source
from core.search.stores.build import build_store
from core.search.stores.claims import StoreClaim, read_store_claims
from core.search.stores.rows import StorePlan
from core.search.stores.stats import StoreStats, store_stats
from core.search.types import Source
from core.settings import settings
from core.wording import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    chosen = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    build = chosen.add_parser("build", help="build a store; started again in the same folder, it goes on where it was")
    build.add_argument("--claims", type=Path, required=True, metavar="FILE", help="claims, with annotations or without")
    build.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder that the store is built in")
    build.add_argument(
        "--source", action="append", required=True, metavar="NAME[=ADDRESS]", help=f"{', '.join(SOURCES)}; may repeat"
    )
    build.add_argument("--kinds", type=Path, default=KINDS_FILE, metavar="FILE", help="kinds of query (TOML)")
    build.add_argument("--claim-only", action="store_true", help="leave out kinds that need gold annotations")
    build.add_argument("--pages", type=int, default=1, metavar="N", help="pages of results a query (default: 1)")
    build.add_argument("--workers", type=int, default=1, metavar="N", help="claims worked on at once (default: 1)")
    build.add_argument("--yes", action="store_true", help="build without asking first")
    add_model_arguments(build)
    stats = chosen.add_parser("stats", help="addresses, texts and tokens a claim, and gold evidence found by kind")
    stats.add_argument("folder", type=Path, metavar="DIR", help="a store: a folder of files CLAIM_ID.json")
    stats.add_argument("--gold", type=Path, metavar="FILE", help="annotated claims, to see how much of them was found")
    stats.add_argument("--json", action="store_true", help="print one JSON object in place of the table")


def run(args: argparse.Namespace) -> int:
    return {"build": build, "stats": stats}[args.action](args)


def build(args: argparse.Namespace) -> int:
    if args.pages < 1 or args.workers < 1:
        raise BadInput("--pages and --workers must be at least 1.")
    kinds = [kind for kind in read_kinds(args.kinds).values() if not (args.claim_only and kind.needs_gold)]
    claims = read_store_claims(args.claims, kinds, claim_only=args.claim_only)
    sources = [open_source(named) for named in args.source]
    agree(args, claims, kinds, sources)
    llm = open_model(parse_choice(args.model)) if any(kind.method == "model" for kind in kinds) else None
    manifest = build_store(
        args.out,
        claims,
        StorePlan(tuple(kinds), args.pages, seed=args.seed),
        sources,
        QueryWriter(llm, args.seed),
        Sender(settings().contact),
        pause=PAUSE_SECONDS,
        workers=args.workers,
        report=lambda done: print(f"{done} of {counted(len(claims), 'claim')} done", file=sys.stderr),
    )
    print(f"{counted(manifest['rows'], 'row')}, {manifest['with_text']:,} with text, in {args.out}")
    for name in ("asked", "left_out", "without_text"):
        print(f"  {name}: {', '.join(f'{count} {reason}' for reason, count in manifest[name].items()) or 'none'}")
    return 0


def agree(args: argparse.Namespace, claims: list[StoreClaim], kinds: list[Kind], sources: list[Source]) -> None:
    """Say what is to be asked of whom, and ask. Raises BadInput where no terminal can, Cancelled for a no."""
    places = ", ".join(f"{source.title} ({source.place})" for source in sources)
    what = f"Queries of {counted(len(kinds), 'kind')} for {counted(len(claims), 'claim')} go to {places}"
    print(f"{what}, and every page they name is read.", file=sys.stderr)
    if args.yes:
        return
    if not sys.stdin.isatty():
        raise BadInput("No terminal can ask you here whether that may be done: say --yes.")
    print("Go on? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Cancelled("Nothing was sent.")


def stats(args: argparse.Namespace) -> int:
    found = store_stats(args.folder, read_gold(args.gold) if args.gold else ())
    print(json.dumps(summary_of(found)) if args.json else report(found))
    return 0


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


def report(found: StoreStats) -> str:
    """Return the figures as a person reads them."""
    lines = [f"{counted(len(found.claims), 'claim')}; a claim has on average"]
    for name, words in (
        ("addresses", "addresses"),
        ("with_text", "of them with text"),
        ("sentences", "sentences"),
        ("tokens", "tokens (words and signs)"),
    ):
        lines.append(f"  {found.mean(name):14,.1f} {words}")
    lines.append(f"{'Kind of query':32} {'rows':>8}" + ("  gold evidence found" if found.gold else ""))
    for kind, rows in sorted(found.rows.items(), key=lambda item: -item[1]):
        share = found.gold_found.get(kind, 0) / found.gold if found.gold else 0.0
        bar = f"  {share:6.1%} {'█' * round(20 * share)}" if found.gold else ""
        lines.append(f"{kind:32} {rows:8,}{bar}")
    return "\n".join(lines)
