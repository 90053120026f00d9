"""`python -m core check FILE --gold FILE`: would this submission be accepted?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from core.annotations import Problem
from core.averitec.averitec import read_gold, read_submission
from core.scoring.report import all_problems

SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="a submission: JSON, JSON lines or leaderboard CSV")
    parser.add_argument("--gold", type=Path, required=True, metavar="FILE", help="the gold file it answers")
    parser.add_argument("--all", action="store_true", help=f"list every problem, not only the first {SHOWN} of a kind")


def run(args: argparse.Namespace) -> int:
    gold = read_gold(args.gold)
    submission = read_submission(args.file)
    problems = all_problems(submission, gold)
    for line in problem_lines(problems, every=args.all):
        print(line)
    fatal = sum(problem.fatal for problem in problems)
    read = f"{len(submission.predictions)} predictions for {len(gold)} claims"
    if fatal:
        print(f"Not accepted: {read}, {fatal} problems that must be solved and {len(problems) - fatal} remarks.")
        return 1
    print(f"Accepted: {read}, {len(problems)} remarks.")
    return 0


def problem_lines(problems: Sequence[Problem], *, every: bool) -> list[str]:
    """Return one line a problem, the fatal ones first; long runs of one kind are cut unless `every`."""
    lines, counts = [], dict[tuple[bool, str, str], int]()
    for problem in sorted(problems, key=lambda problem: not problem.fatal):
        kind = (problem.fatal, problem.field, problem.message.split("'")[-1])
        counts[kind] = counts.get(kind, 0) + 1
        if every or counts[kind] <= SHOWN:
            mark = "error" if problem.fatal else "remark"
            lines.append(f"{mark}\t{problem.where}\t{problem.field}\t{problem.message}")
    more = sum(max(0, count - SHOWN) for count in counts.values())
    return lines if every or not more else [*lines, f"… and {more} more of the same kinds (`check --all` lists them)"]
