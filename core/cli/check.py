"""`python -m core check FILE --gold FILE`: would this submission be accepted?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from core.annotations import Problem
from core.averitec.averitec import read_gold, read_submission
from core.averitec.checking import grouped
from core.cli.common.paths import input_path
from core.scoring.leaderboard import all_problems


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=input_path, metavar="FILE", help="a submission, - for standard input")
    parser.add_argument("--gold", type=input_path, required=True, metavar="FILE", help="the gold file it answers")
    parser.add_argument("--all", action="store_true", help="a line for each id, and not one for many that say the same")


def run(args: argparse.Namespace) -> int:
    gold = read_gold(args.gold)
    submission = read_submission(args.file)
    problems = all_problems(submission, gold)
    for line in [problem_line(one) for one in by_weight(problems)] if args.all else problem_lines(problems):
        print(line)
    fatal = sum(problem.fatal for problem in problems)
    read = f"{len(submission.predictions)} predictions for {len(gold)} claims"
    if fatal:
        print(f"Not accepted: {read}, {fatal} problems that must be solved and {len(problems) - fatal} remarks.")
        return 1
    print(f"Accepted: {read}, {len(problems)} remarks.")
    return 0


def problem_lines(problems: Sequence[Problem]) -> list[str]:
    """Return one line a kind of problem, the fatal ones first."""
    return [problem_line(problem) for problem in by_weight(grouped(problems))]


def by_weight(problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems, those first that keep a file from being scored."""
    return sorted(problems, key=lambda problem: not problem.fatal)


def problem_line(problem: Problem) -> str:
    """Return a problem on one line, its parts separated by tabs."""
    kind = "error" if problem.fatal else "remark"
    return f"{kind}\t{problem.where}\t{problem.field}\t{problem.message}"
