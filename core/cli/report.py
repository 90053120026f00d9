"""`python -m core report CASE|receipt.json`: a case as something to hand over."""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path

from core.cli.common.paths import input_name, output_file
from core.errors import BadInput, BadRecord
from core.files import write_whole
from core.jobs.store import JobStore
from core.records import parse_json, read_text
from core.settings import settings
from core.storage.store import Store
from core.verification.receipt import Json
from core.verification.report.report_files import FORMATS, report_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "case", type=input_name, help="a receipt (JSON), or the id of a case: the part after ?case= in its address"
    )
    parser.add_argument("--format", choices=FORMATS, default="html", help="the kind of file (default: html)")
    parser.add_argument("--out", type=output_file, metavar="FILE", help="where to write it (default: standard output)")


def run(args: argparse.Namespace) -> int:
    report = report_of(receipt_named(args.case), made=datetime.now(UTC).astimezone().date())
    content = FORMATS[args.format].write(report)
    if args.out:
        write_whole(args.out, content)
    elif args.format == "docx":
        raise BadInput("A Word file is no text for a terminal: say with --out where to write it.")
    else:
        print(content.decode(), end="")
    return 0


def receipt_named(name: str) -> Json:
    """Return the receipt in a file, or that of a case in the database. Raises BadInput if there is neither."""
    path = Path(name)
    if path.suffix == ".json" or path.is_file():
        return receipt_in(path)
    result = JobStore(Store(settings().database_url)).result_of(name)
    if result is None:
        raise BadInput(f"There is no receipt {name!r} and no finished case of that name: give one of the two.")
    return result


def receipt_in(path: Path) -> Json:
    """Return the JSON object of a receipt file, still to be read as one. Raises BadInput if it holds none."""
    record = parse_json(path.name, read_text(path))
    if not (isinstance(record, dict) and is_text(record)):
        raise BadRecord(f"{path} cannot be read as a receipt: it is no JSON object of text in UTF-8.")
    return record


def is_text(record: Json) -> bool:
    """Say whether a JSON object can be written in UTF-8: half of a character, such as \\ud800, cannot."""
    try:
        json.dumps(record, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
