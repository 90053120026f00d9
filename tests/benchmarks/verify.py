"""Seconds per claim, from cold documents to a verdict, with the embedded models.

    python -m tests.benchmarks.verify [--claims 50] [--recipe quoted_passages] [--json FILE]

Each claim is searched in its own store, all other public stores and the haystack, read and indexed anew. Prints the
median and the 95th percentile beside the 7.0 s that the fastest system of the shared task took on an A10G GPU.
"""

import json
import resource
import statistics
import sys
import time
from pathlib import Path

from core.averitec.averitec import read_gold
from core.batch.report import percentile
from core.types import Case
from core.verification.opening import open_models
from core.verification.recipes.catalogue import DEFAULT
from core.verification.request import Request
from core.verification.runner import investigate
from tests.benchmarks.measuring import AVERITEC, parser_of

GOAL_SECONDS = 7.0


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--claims", type=int, default=50)
    parser.add_argument("--recipe", default=DEFAULT)
    parser.add_argument("--json", type=Path, help="write every claim's seconds here")
    args = parser.parse_args()
    stores = (str(AVERITEC / "knowledge_store"), str(AVERITEC / "haystack.jsonl"))
    models = open_models("bundled")
    rows = []
    for gold in read_gold(AVERITEC / "dev_public.json")[: args.claims]:
        started = time.perf_counter()
        outcome = investigate(Request(gold.claim, stores=stores, recipe=args.recipe), models)
        seconds = time.perf_counter() - started
        assert isinstance(outcome, Case), outcome
        own = [hit.passage.document.url.startswith(f"https://passage.invalid/dev/{gold.id}/") for hit in outcome.hits]
        rows.append(
            {
                "id": gold.id,
                "seconds": seconds,
                "precision_at_10": sum(own) / len(own),
                "right": outcome.verdict.label == gold.label,
                "stages": {item.step: item.seconds for item in outcome.times},
            }
        )
        print(f"{gold.id}: {seconds:.1f} s", file=sys.stderr)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1))
    print(table(rows, args.recipe))
    return 0


def table(rows: list[dict], recipe: str) -> str:
    """Return the figures that the README quotes."""
    seconds = sorted(row["seconds"] for row in rows)
    stages = {name: statistics.median(row["stages"][name] for row in rows) for name in rows[0]["stages"]}
    lines = [
        f"{recipe}, {len(rows)} claims: median {statistics.median(seconds):.1f} s, "
        f"95th percentile {percentile(seconds, 0.95):.1f} s (goal: median at most {GOAL_SECONDS} s)",
        f"precision at 10: {statistics.mean(row['precision_at_10'] for row in rows):.3f}, "
        f"right label: {statistics.mean(row['right'] for row in rows):.2f}",
    ]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    lines += [f"  {name}: {taken:.2f} s" for name, taken in stages.items()]
    return "\n".join([*lines, f"memory of this process at most {peak:.0f} MiB, without the language model's"])


if __name__ == "__main__":
    sys.exit(main())
