"""`python -m core convert IN OUT`: gold files and submissions between JSON, JSON lines and leaderboard CSV."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from core.averitec.averitec import holds_gold, parse_gold, parse_submission, write_gold, write_submission
from core.averitec.leaderboard_csv import gold_csv, submission_csv
from core.cli.check import problem_lines
from core.cli.common.paths import OutputFile, input_path
from core.errors import BadInput
from core.files import write_whole
from core.records import read_bytes
from core.wording import counted

SUFFIXES = (".json", ".jsonl", ".csv")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source", type=input_path, metavar="IN", help="a gold file or submission; its content decides which"
    )
    parser.add_argument(
        "target", type=OutputFile(SUFFIXES), metavar="OUT", help="the file to write: .json, .jsonl or .csv"
    )


def run(args: argparse.Namespace) -> int:
    content = read_bytes(args.source)
    if holds_gold(args.source.name, content):
        return _convert_gold(args.source.name, content, args.target)
    return _convert_submission(args.source.name, content, args.target)


def _convert_gold(name: str, content: bytes, target: Path) -> int:
    claims = parse_gold(name, content)
    if target.suffix == ".csv":
        write_whole(target, gold_csv(claims))
        print("CSV holds no claim types, dates, addresses or answer types: these are left out.", file=sys.stderr)
    else:
        write_gold(target, claims)
    print(f"{len(claims)} gold claims written to {target}")
    return 0


def _convert_submission(name: str, content: bytes, target: Path) -> int:
    submission = parse_submission(name, content)
    for line in problem_lines(submission.problems):
        print(line, file=sys.stderr)
    if not submission.accepted:
        raise BadInput(f"{name} cannot be converted before the errors above are solved.")
    if target.suffix == ".csv":
        write_whole(target, submission_csv(submission.predictions))
        print("CSV holds no addresses, scraped text, seconds or justifications: these are left out.", file=sys.stderr)
    else:
        write_submission(target, submission.predictions)
    print(f"{counted(len(submission.predictions), 'prediction')} written to {target}")
    return 0
