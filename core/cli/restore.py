"""`python -m core restore FILE`: a backup into the database that is set, of either kind."""

from __future__ import annotations

import argparse
import json

from core.cli.common.paths import input_path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", type=input_path, metavar="FILE", help="a file that `backup` wrote; stop the server first"
    )
    parser.add_argument("--replace", action="store_true", help="delete what the database holds now")
    parser.add_argument("--json", action="store_true", help="print how many rows of each table were restored, as JSON")


def run(args: argparse.Namespace) -> int:
    from core.settings import settings
    from core.storage.backup import restore
    from core.storage.store import Store

    restored = restore(Store(settings().database_url), args.file, replace=args.replace)
    if args.json:
        print(json.dumps({"file": str(args.file), "created": restored.created, "rows": restored.rows}, indent=1))
    else:
        print(f"{sum(restored.rows.values()):,} rows restored, as they were at {restored.created}.")
    return 0
