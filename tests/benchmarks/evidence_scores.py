"""Evidence scores beside human coverage ratings: the public half of the 2024 shared task's evaluation.

    python -m tests.benchmarks.evidence_scores --metric soft-coverage
    python -m tests.benchmarks.evidence_scores --metric ev2r --judge bundled --way stepwise --first 40

Prints Spearman, Pearson and Kendall with semantic_coverage and their 95 % bootstrap intervals, under the
published recipe and the default one, and what the scoring cost. Needs ../shared/data. `--items FILE` writes the
scores as `core score --items` does, for `core agreement`.
"""

import argparse
import csv
import io
import sys
import time
from dataclasses import replace
from pathlib import Path

from core.agreement.pasted_evidence import read_pasted
from core.agreement.ratings import read_ratings
from core.agreement.recipes import RECIPES
from core.agreement.scored_items import read_scored_items
from core.agreement.study import build_study, pairs
from core.annotations import GoldAnswer, GoldClaim, GoldQuestion, PredictedEvidence, Prediction
from core.cli.common.action_command import add_fields, request_of
from core.files import write_whole
from core.scoring.items import ItemScore
from core.scoring.judge_settings import JudgeSettings
from core.scoring.metrics.metric import Metric
from core.scoring.open_metrics import Opening
from core.scoring.progress import ProgressMonitor
from core.statistics.correlation import Coefficient, correlate
from core.tabular.exports import csv_text
from core.types import Claim, Label
from tests.benchmarks.measuring import DATA, parser_of

EVIDENCE = DATA / "human_eval" / "evidence_public.csv"
RATINGS = DATA / "human_eval" / "responses_public.csv"


def rated_claims(first: int | None) -> tuple[list[GoldClaim], dict[str, Prediction]]:
    """Return the rated items as gold claims and predictions, in the order of the file."""
    gold, predictions = [], {}
    for row in list(csv.DictReader(io.StringIO(EVIDENCE.read_text(encoding="utf-8"), newline="")))[:first]:
        reference = read_pasted(row["reference evidence"])[1]
        questions = tuple(GoldQuestion(pair.question, (GoldAnswer(pair.answer),)) for pair in reference)
        gold.append(GoldClaim(Claim(row["claim"], id=row["id"]), Label.REFUTED, questions))
        evidence = tuple(
            PredictedEvidence(pair.question, pair.answer) for pair in read_pasted(row["predicted evidence"])[1]
        )
        predictions[row["id"]] = Prediction(row["id"], row["claim"], None, evidence)
    return gold, predictions


def open_metric(chosen: argparse.Namespace) -> Metric:
    return Opening([chosen.metric], request_of(chosen, JudgeSettings).judging).metrics()[0]


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--metric", default="soft-coverage", choices=("soft-coverage", "ev2r"))
    parser.add_argument("--first", type=int, metavar="N")
    parser.add_argument("--items", type=Path, metavar="FILE")
    add_fields(parser, JudgeSettings)
    chosen = parser.parse_args()
    gold, predictions = rated_claims(chosen.first)
    metric = open_metric(chosen)
    wall, cpu = time.monotonic(), time.process_time()
    measured = metric.measure(gold, predictions, ProgressMonitor(show_progress))
    print(
        f"{len(gold)} items in {time.monotonic() - wall:.1f} s, {time.process_time() - cpu:.1f} s CPU of this process"
    )
    print(measured.signature)
    if chosen.items:
        rows = [[i.claim_id, "", i.metric, "" if i.value is None else i.value, i.status] for i in measured.items]
        write_whole(chosen.items, csv_text(("id", "system", "metric", "value", "status"), rows))
    rated = (name for name in dict.fromkeys(item.metric for item in measured.items) if ":averitec" not in name)
    for name in rated:  # the rated items have no predicted verdict, so none passes
        report(name, [item for item in measured.items if item.metric == name])
    return 0


def show_progress(done: int, total: int) -> None:
    print(f"\r{done} of {total}", end="\n" if done == total else "", file=sys.stderr, flush=True)


def report(name: str, items: list[ItemScore]) -> None:
    """Print the correlations of one metric under both recipes."""
    scored = [item for item in items if item.value is not None]
    table = csv_text(("id", "metric", "value"), ([item.claim_id, name, item.value] for item in scored))
    evidence = EVIDENCE.read_bytes()
    print(f"{name}: {len(scored)} scored, {len(items) - len(scored)} unscored")
    for recipe in RECIPES.values():
        ratings = read_ratings(RATINGS.name, RATINGS.read_bytes())
        known = {item.claim_id for item in scored}
        kept = replace(ratings, responses=tuple(r for r in ratings.responses if r.item in known))
        study = build_study(
            kept, read_scored_items([("scores.csv", table.encode()), (EVIDENCE.name, evidence)]), recipe
        )
        found = pairs(study, name, "semantic_coverage")
        for coefficient in Coefficient:
            result = correlate(found.scores, found.ratings, coefficient=coefficient, seed=recipe.seed)
            interval = result.interval
            bounds = f"[{interval.low:.3f}, {interval.high:.3f}]" if interval else result.reason
            value = "undefined" if result.value is None else f"{result.value:.4f}"
            print(f"  {recipe.name:10} {coefficient.value:14} {value} {bounds} n={result.n}")


if __name__ == "__main__":
    raise SystemExit(main())
