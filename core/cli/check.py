"""`python -m core check FILE`: would this submission be accepted? Is this evidence package as it was made?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from core.annotations import Problem
from core.averitec.averitec import read_gold, read_submission
from core.averitec.checking import grouped
from core.cli.common.paths import input_path
from core.errors import BadInput
from core.scoring.leaderboard import all_problems
from core.verification.package.container import SUFFIX, Package, open_package
from core.verification.package.signing import public_key_in
from core.wording import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        type=input_path,
        metavar="FILE",
        help="a submission, - for standard input; or a package (.wacz)",
    )
    parser.add_argument("--gold", type=input_path, metavar="FILE", help="the gold file that a submission answers")
    parser.add_argument(
        "--key", type=input_path, metavar="FILE", help="the public key (Ed25519 in PEM) that must have signed a package"
    )
    parser.add_argument("--all", action="store_true", help="a line for each id, and not one for many that say the same")


def run(args: argparse.Namespace) -> int:
    if args.file.suffix == SUFFIX:
        print(package_in_words(open_package(args.file), public_key_in(args.key) if args.key else None))
        return 0
    if args.gold is None or args.key:
        raise BadInput(f"{args.file} is checked as a submission: name its gold file with --gold, and no --key.")
    gold = read_gold(args.gold)
    submission = read_submission(args.file)
    problems = all_problems(submission, gold)
    for line in [problem_line(one) for one in by_weight(problems)] if args.all else problem_lines(problems):
        print(line)
    fatal = sum(problem.fatal for problem in problems)
    read = f"{counted(len(submission.predictions), 'prediction')} for {counted(len(gold), 'claim')}"
    if fatal:
        said = counted(len(problems) - fatal, "remark")
        print(f"Not accepted: {read}, {counted(fatal, 'problem')} to be solved and {said}.")
        return 1
    print(f"Accepted: {read}, {counted(len(problems), 'remark')}.")
    return 0


def package_in_words(package: Package, key: bytes | None) -> str:
    """Return the result of a check in sentences. Raises BadInput if the package is not signed with this key."""
    signed = package.signature
    if key and (signed is None or signed.key != key):
        by = f"another key, {signed.fingerprint}" if signed else "no key"
        raise BadInput(f"{package.path} is signed with {by}: do not take it for one of this signer's.")
    whole = f"Unchanged since {package.created}: {len(package.places)} parts."
    if signed is None:
        return f"{whole} Nobody signed it, so its maker could have written anything."
    return f"{whole} Signed with the key {signed.fingerprint}{' that you named' if key else ''}."


def problem_lines(problems: Sequence[Problem]) -> list[str]:
    """Return one line per kind of problem, the fatal ones first."""
    return [problem_line(problem) for problem in by_weight(grouped(problems))]


def by_weight(problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems, those first that keep a file from being scored."""
    return sorted(problems, key=lambda problem: not problem.fatal)


def problem_line(problem: Problem) -> str:
    """Return a problem on one line, its parts separated by tabs."""
    kind = "error" if problem.fatal else "remark"
    return f"{kind}\t{problem.where}\t{problem.field}\t{problem.message}"
