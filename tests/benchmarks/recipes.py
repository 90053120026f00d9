"""The eight published designs (and our own) on one model: `python -m tests.benchmarks.recipes [--claims 50]`.

    python -m tests.benchmarks.recipes [--claims 50] [--recipes a,b] [--train FILE] [--out FOLDER] [--model MODEL]

Each claim is searched in its own store, all other public stores and the haystack, read and indexed anew. Every claim
that is done is a line of FOLDER/RECIPE.jsonl, so a run that was stopped goes on where it was; --table prints what
is there. With --train, each recipe is run a second time with training claims as examples, as many as its steps take.
The three real submissions are scored on the same claims by the same scorer.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.annotations import GoldClaim, Prediction, Submission, prediction_of
from core.averitec.averitec import read_gold, read_submission
from core.averitec.averitec_rows import prediction_from_row, submission_row
from core.batch.report import percentile
from core.batch.types import cost_of
from core.interfaces import Models
from core.scoring.leaderboard import report_system
from core.scoring.metrics.hungarian_meteor_metric import HungarianMeteor
from core.scoring.metrics.metric import Metric
from core.scoring.metrics.soft_coverage import SoftCoverage
from core.scoring.metrics.verdict import Verdicts
from core.scoring.metrics.words import find_words
from core.types import Case, Failure, Label, Outcome
from core.verification.opening import NearestExamples, open_models
from core.verification.recipes.catalogue import RECIPES, Recipe
from core.verification.recipes.recipe_files import recipe_toml
from core.verification.request import Request
from core.verification.runner import investigate
from tests.benchmarks.measuring import AVERITEC, parser_of

SYSTEMS = ("ctu_aic", "efc", "hero_baseline")
SCORES = {
    "Q": "hungarian-meteor:q",
    "Q+A": "hungarian-meteor:q+a",
    "AVeriTeC@.25": "hungarian-meteor:averitec@0.25",
    "soft coverage": "soft-coverage:q+a",
    "right label": "verdict:accuracy",
}
HEADS = ("recipe", "s, median", "s, 95th", *SCORES, "precision@10", "model calls", "prompt tokens", "written", "failed")

Row = dict[str, Any]


@dataclass(frozen=True)
class Bench:
    """What every recipe is run with. `own` is the mark of a claim's own store in the addresses of its documents."""

    models: Models
    model: str
    gold: Sequence[GoldClaim]
    folder: Path


def main() -> int:
    args = arguments()
    gold = read_gold(AVERITEC / "dev_public.json")[: args.claims]
    names = args.recipes.split(",") if args.recipes else list(RECIPES)
    args.out.mkdir(parents=True, exist_ok=True)
    if not args.table:
        bench = Bench(open_models(args.model), args.model, gold, args.out)
        run_all(bench, names, args.train)
    order = [name for recipe in RECIPES for name in (recipe, f"{recipe}+examples")]
    rows = {name: kept(args.out / f"{name}.jsonl") for name in order}
    print(table(rows, gold))
    return 0


def arguments() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("--claims", type=int, default=50)
    parser.add_argument("--recipes", default="", help=f"some of {','.join(RECIPES)}")
    parser.add_argument("--train", type=Path, metavar="FILE", help="training claims for few-shot examples")
    parser.add_argument("--model", default="bundled")
    parser.add_argument("--out", type=Path, default=Path("/tmp/veridesk-recipes"), metavar="FOLDER")
    parser.add_argument("--table", action="store_true", help="run nothing: print the table of what is in FOLDER")
    return parser.parse_args()


def run_all(bench: Bench, names: Sequence[str], train: Path | None) -> None:
    """Run the recipes, and with training claims each a second time."""
    for name in names:
        run(bench, RECIPES[name], name)
    if train is None:
        return
    shown = replace(bench, models=replace(bench.models, examples=NearestExamples(read_gold(train))))
    for name in names:
        run(shown, RECIPES[name], f"{name}+examples")


def kept(path: Path) -> list[Row]:
    """Return what earlier runs wrote; a line without its end was cut off by a kill."""
    lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
    return [json.loads(line) for line in lines]


def run(bench: Bench, recipe: Recipe, name: str) -> None:
    """Run one recipe on the claims that its journal does not have."""
    path = bench.folder / f"{name}.jsonl"
    done = kept(path)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in done), encoding="utf-8")
    ids = {row["id"] for row in done}
    for gold in bench.gold:
        if gold.id not in ids:
            row = row_for(gold, recipe, bench)
            with path.open("a", encoding="utf-8") as journal:
                journal.write(json.dumps(row, ensure_ascii=False) + "\n")
            print(f"{name} {gold.id}: {row['seconds']:.1f} s {row['error']}", file=sys.stderr, flush=True)


def row_for(gold: GoldClaim, recipe: Recipe, bench: Bench) -> Row:
    """Return what one claim came to."""
    stores = (str(AVERITEC / "knowledge_store"), str(AVERITEC / "haystack.jsonl"))
    request = Request(gold.claim, stores=stores, recipe=recipe.name, own_recipe=recipe_toml(recipe), model=bench.model)
    started = time.perf_counter()
    outcome: Outcome = investigate(request, bench.models)
    row: Row = {"id": gold.id, "seconds": time.perf_counter() - started, "error": "", "submission": None}
    if isinstance(outcome, Failure):
        return {**row, "error": f"{outcome.step}: {outcome.error}"}
    return {**row, **figures(outcome, gold)}


def figures(case: Case, gold: GoldClaim) -> Row:
    prediction = prediction_of(case)
    light = replace(prediction, evidence=tuple(replace(pair, scraped_text="") for pair in prediction.evidence))
    first = [hit.passage.document.url for hit in case.hits[:10]]
    own = [url.startswith(f"https://passage.invalid/dev/{gold.id}/") for url in first]
    return {
        "submission": submission_row(light),
        "cost": vars(cost_of(case.completions)),
        "precision": sum(own) / len(own) if own else None,
    }


def table(rows: dict[str, list[Row]], gold: Sequence[GoldClaim]) -> str:
    """Return the README's table: a line for each recipe that was run, and for each real submission."""
    from core.retrieval.dense import load_encoder

    metrics = [HungarianMeteor(find_words()), Verdicts(), SoftCoverage(load_encoder())]
    lines = [HEADS, tuple("---" for _ in HEADS)]
    for name, done in rows.items():
        ids = {row["id"] for row in done}
        worked_on = [claim for claim in gold if claim.id in ids]
        if worked_on:
            lines.append(
                recipe_line(name, [row for row in done if row["id"] in {c.id for c in gold}], worked_on, metrics)
            )
    lines += submission_lines(gold, metrics)
    refuted = statistics.mean(claim.label is Label.REFUTED for claim in gold)
    text = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    return f"{text}\n\n{len(gold)} claims; always “Refuted” is right for {refuted:.3f} of them."


def recipe_line(
    name: str, done: Sequence[Row], gold: Sequence[GoldClaim], metrics: Sequence[Metric]
) -> tuple[str, ...]:
    out = [row for row in done if row["submission"]]
    predictions = [prediction_from_row(name, row["id"], row["submission"]) for row in out]
    seconds = sorted(row["seconds"] for row in done)
    precision = [row["precision"] for row in out if row["precision"] is not None]
    shown = name if len(done) == len(gold) else f"{name} ({len(done)} claims)"
    return (
        shown,
        f"{statistics.median(seconds):.1f}",
        f"{percentile(seconds, 0.95):.1f}",
        *scores(name, predictions, gold, metrics),
        f"{statistics.mean(precision):.3f}" if precision else "–",
        *(f"{statistics.mean(row['cost'][key] for row in out):.0f}" if out else "–" for key in COSTS),
        str(len(done) - len(out)),
    )


COSTS = ("generations", "prompt_tokens", "completion_tokens")


def submission_lines(gold: Sequence[GoldClaim], metrics: Sequence[Metric]) -> Iterator[tuple[str, ...]]:
    """Yield the lines of the real submissions; what they cost is not in them."""
    ids = {claim.id for claim in gold}
    for system in SYSTEMS:
        given = read_submission(AVERITEC / "submissions" / f"{system}.csv")
        predictions = [one for one in given.predictions if one.claim_id in ids]
        yield (f"{system} (submitted)", "–", "–", *scores(system, predictions, gold, metrics), *("–",) * 5)


def scores(
    name: str, predictions: Sequence[Prediction], gold: Sequence[GoldClaim], metrics: Sequence[Metric]
) -> tuple[str, ...]:
    """Return the means over the claims, a claim without prediction as 0."""
    if not predictions:
        return ("–",) * len(SCORES)
    report = report_system(Submission(name, tuple(predictions)), gold, metrics)
    found = [report.score(metric) for metric in SCORES.values()]
    return tuple(f"{one.value:.3f}" if one and one.value is not None else "–" for one in found)


if __name__ == "__main__":
    sys.exit(main())
