"""A batch without models: `python -m tests.batch.slow_batch CLAIMS SECONDS RETRY`, each claim taking so many seconds.

A claim that says "fails" fails unless RETRY is 1; one that says "refuses" ends the batch with a sentence; one that
says "unsure" has a verdict that is not sure enough to be quoted.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.annotations import PredictedEvidence, Prediction
from core.batch.report import report_json, report_on
from core.batch.run import run_batch
from core.batch.types import BatchPlan, Cost, Done
from core.types import Claim, Label
from core.verification.request import Request


def main() -> int:
    file, seconds, retry = Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3] == "1"
    # Without the reader's process and the database, which would take longer than the claims do.
    claims = [Claim(row["claim"], id=str(row["claim_id"])) for row in json.loads(file.read_text(encoding="utf-8"))]

    def source(wanted: Sequence[Claim]) -> Iterator[Done]:
        for claim in wanted:
            if "refuses" in claim.text:
                print("batch: The model cannot be loaded.", file=sys.stderr)
                raise SystemExit(2)
            time.sleep(seconds)
            pair = PredictedEvidence("Is it?", claim.text, "https://example.org", "The whole text.")
            prediction = Prediction(
                claim.id, claim.text, Label.REFUTED, (pair,), label_text="Refuted", cannot_tell="unsure" in claim.text
            )
            failed = "fails" in claim.text and not retry
            error = "Search the documents: nothing was found." if failed else ""
            left_out = ("Write a question for each passage: 4 passages of 10",) if "late" in claim.text else ()
            yield Done(claim.id, None if failed else prediction, error, seconds, Cost(1, 9, 5, 3), left_out, "w", 1000)

    outs = [file.with_name(f"submission.{ending}") for ending in ("json", "jsonl", "csv")]
    done = {one.claim_id: one for one, _ in run_batch(claims, plan(), source, outs, retry_failures=retry)}
    print(json.dumps(report_json(report_on([done[claim.id] for claim in claims]))))
    return 0


def plan() -> BatchPlan:
    return BatchPlan(Request(Claim("")), Path("stores"))


if __name__ == "__main__":
    sys.exit(main())
