"""`python -m core backup FILE`: everything in the database as one file."""

from __future__ import annotations

import argparse
import json

from core.cli.common.paths import output_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=output_file, metavar="FILE", help="the ZIP file to write; it must not exist yet")
    parser.add_argument("--json", action="store_true", help="print how many rows of each table it holds, as JSON")


def run(args: argparse.Namespace) -> int:
    from core.settings import settings
    from core.storage.backup import back_up
    from core.storage.store import Store

    made = back_up(Store(settings().database_url), args.file)
    if args.json:
        print(json.dumps({"file": str(args.file), "created": made.created, "rows": made.rows}, indent=1))
    else:
        print(f"{sum(made.rows.values()):,} rows written to {args.file}.")
        print("It holds all cases, campaigns and ratings, with raters' names and addresses: keep it where only you can")
        print("read it. Models, indexes and settings are not in it.")
    return 0
