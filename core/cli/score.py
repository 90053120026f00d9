"""`python -m core score`: submissions against gold data, as a leaderboard."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace

from core.annotations import GoldClaim, Submission
from core.averitec.answer_files import holds_answers, parse_answers, parse_key
from core.averitec.averitec import read_gold, read_submission
from core.averitec.checking import problem_lines
from core.cli.common.numbers import amount, first, whole
from core.cli.common.paths import input_name, input_path, output_file
from core.cli.common.terminal import ProgressLine
from core.errors import BadInput
from core.files import write_whole
from core.records import read_bytes
from core.scoring.judging import Judging
from core.scoring.leaderboard import (
    Leaderboard,
    SystemReport,
    distinct_names,
    leaderboard,
    nothing_judged,
    ranked_by,
    report_answers,
    report_system,
)
from core.scoring.leaderboard_tables import board_table, breakdown_table, items_table
from core.scoring.metrics.ev2r import RULES
from core.scoring.metrics.hungarian_meteor import equals_shared_task, meteor_signature
from core.scoring.metrics.hungarian_meteor_metric import HungarianMeteor
from core.scoring.metrics.metric import Metric
from core.scoring.open_metrics import Opening
from core.scoring.progress import ProgressMonitor
from core.scoring.registry import METRICS
from core.scoring.score_json import board_json
from core.tabular.exports import to_csv, to_latex, to_text
from core.wording import numbered_names

DEFAULT_METRICS = ("hungarian-meteor", "verdict")
FORMATS = {"csv": to_csv, "latex": to_latex}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--submission",
        type=input_path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="JSON, JSON lines or CSV; - for stdin",
    )
    parser.add_argument("--gold", type=input_path, required=True, metavar="FILE", help="gold JSON, JSON lines or CSV")
    parser.add_argument(
        "--metric", action="append", choices=METRICS, help="may be repeated; default: hungarian-meteor and verdict"
    )
    add_judge_arguments(parser)
    parser.add_argument("--first", type=first, metavar="N", help="only the first N gold claims")
    parser.add_argument("--json", action="store_true", help="print every score as JSON, with its signature")
    parser.add_argument("--format", choices=FORMATS, help="print the leaderboard as CSV or LaTeX")
    parser.add_argument("--breakdown", action="store_true", help="also print scores by claim type and gold verdict")
    parser.add_argument(
        "--fetch-words", action="store_true", help="first fetch NLTK's Punkt and WordNet over the network"
    )
    parser.add_argument("--items", type=output_file, metavar="FILE", help="write one CSV row per item and metric")


def add_judge_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of metrics with a judging model."""
    parser.add_argument(
        "--judge", type=input_name, default="bundled", help="'bundled', a .gguf file, or http://server/v1#model"
    )
    parser.add_argument("--way", default="stepwise", choices=("official", "stepwise"), help="how Ev²R asks the judge")
    parser.add_argument("--rule", default=">0.5", choices=RULES, help="which Ev²R recall counts as enough evidence")
    parser.add_argument(
        "--repeat",
        type=whole(1, 1000),
        default=1,
        metavar="N",
        help="judge N times with other seeds and give the deviation",
    )
    parser.add_argument("--recall-only", action="store_true", help="leave out precision and F1: a third of the cost")
    parser.add_argument(
        "--no-cache", action="store_true", help="ask the judge everything once more; nothing is taken from the cache"
    )
    parser.add_argument(
        "--prompts",
        type=input_name,
        metavar="DIR",
        help="prompts to take in place of ours, such as the published ones",
    )
    parser.add_argument(
        "--price", type=amount(0, 1e9), metavar="P", help="of a million tokens, to compute the cost of judging"
    )
    parser.add_argument(
        "--attempt",
        type=whole(1, 1000),
        default=1,
        metavar="N",
        help="2, 3 …: ask again, with another seed, the failed questions",
    )


def run(args: argparse.Namespace) -> int:
    answers = holds_answers(args.gold.name, read_bytes(args.gold))
    reports = answer_reports(args) if answers else claim_reports(args)
    boards = [leaderboard(reports, main) for main in ranked_by(reports[0])]
    say_usage(reports, args.price)
    if failure := nothing_judged(reports):
        print(failure, file=sys.stderr)
        return 1
    if args.items:
        write_whole(args.items, to_csv(items_table(reports)))
    if args.json:
        print(json.dumps(board_json(boards, reports), ensure_ascii=False, indent=1))
    elif args.format:
        # LaTeX wants a label of its own for each table.
        tables = [replace(board_table(one), name=f"leaderboard-{place}") for place, one in enumerate(boards, start=1)]
        print("\n".join(map(FORMATS[args.format], tables)), end="")
    else:
        print("\n\n".join(board_text(board, breakdown=args.breakdown) for board in boards))
    return 0


def say_usage(reports: Sequence[SystemReport], price: float | None) -> None:
    """Report on stderr the cost of judging, for each system."""
    for report in reports:
        if report.usage:
            cost = f" Cost: {report.usage.cost_words(price)}." if price is not None else ""
            print(f"{report.name}: {report.usage.words}{cost}", file=sys.stderr)


def claim_reports(args: argparse.Namespace) -> list[SystemReport]:
    """Score submissions of claims."""
    annotated = read_gold(args.gold)
    gold, later = annotated[: args.first], {claim.id for claim in annotated[args.first :] if args.first}
    read = distinct_names([read_submission(path) for path in args.submission])
    submissions = [replace(s, predictions=tuple(p for p in s.predictions if p.claim_id not in later)) for s in read]
    metrics = open_metrics(args, args.metric or DEFAULT_METRICS)
    return [score_one(submission, gold, metrics) for submission in submissions]


def answer_reports(args: argparse.Namespace) -> list[SystemReport]:
    """Score files of answers to questions. Only the metric `answers` can."""
    if set(args.metric or ["answers"]) != {"answers"}:
        raise BadInput(f"{args.gold.name} holds questions with answers: only --metric answers can score them.")
    questions = parse_key(args.gold.name, read_bytes(args.gold))
    key, later = questions[: args.first], {record.id for record in questions[args.first :] if args.first}
    names = numbered_names(path.stem for path in args.submission)
    read = [parse_answers(path.name, read_bytes(path)) for path in args.submission]
    given = [[record for record in answers if record.id not in later] for answers in read]
    scores = opening(args, ["answers"]).answer_scores()
    return [
        report_answers(name, answers, key, scores, monitor_on_terminal(name))
        for name, answers in zip(names, given, strict=True)
    ]


def open_metrics(args: argparse.Namespace, names: Sequence[str]) -> list[Metric]:
    """Return the metrics by name; say so on stderr if Hungarian METEOR cannot equal the shared task's here."""
    if args.fetch_words:
        from core.scoring.metrics.words import fetch_language_data

        if absent := fetch_language_data():
            print(f"These could not be fetched: {', '.join(absent)}.", file=sys.stderr)
    metrics = opening(args, names).metrics()
    for metric in metrics:
        if isinstance(metric, HungarianMeteor) and not equals_shared_task(meteor_signature(metric.language)):
            print(INCOMPLETE.format(metric.language.signature), file=sys.stderr)
    return metrics


def opening(args: argparse.Namespace, names: Sequence[str]) -> Opening:
    """Return the opening of the metrics by name, with the judge of the command line."""
    return Opening(tuple(names), judging_of(args))


def judging_of(args: argparse.Namespace) -> Judging:
    """Return the judge of the command line."""
    precision, attempt = not args.recall_only, args.attempt - 1
    return Judging(args.judge, args.way, args.rule, args.repeat, precision, attempt, args.no_cache, args.prompts or "")


INCOMPLETE = (
    "Punkt's tables or WordNet 3.0 are not on this machine ({}): Hungarian METEOR will differ from the shared "
    "task's. Set NLTK_DATA, install Debian's wordnet-base, or run `python -m core score --fetch-words`."
)


def score_one(submission: Submission, gold: Sequence[GoldClaim], metrics: Sequence[Metric]) -> SystemReport:
    """Score one system, its progress and remarks on stderr."""
    report = report_system(submission, gold, metrics, monitor_on_terminal(submission.name))
    for line in problem_lines(report.problems):
        print(f"{submission.name}\t{line}", file=sys.stderr)
    return report


def monitor_on_terminal(name: str) -> ProgressMonitor:
    """Return a monitor that says on standard error how far the scoring is."""
    return ProgressMonitor(ProgressLine(name, "claims").show)


def board_text(board: Leaderboard, *, breakdown: bool = False) -> str:
    """Return a leaderboard as an aligned table, with its signature below; `breakdown` adds the groups' table."""
    tables = [board_table(board), *([breakdown_table(board)] if breakdown else [])]
    return "\n\n".join(map(to_text, tables))
