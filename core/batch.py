"""Many claims: one record a claim on disk as soon as it is done, so that a run goes on where it was stopped."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.errors import BadInput, BadRecord
from core.formats.annotations import PredictedEvidence, Prediction
from core.formats.averitec import write_submission
from core.formats.averitec_rows import prediction_from_row, submission_row
from core.types import Case, Claim, Failure, Outcome
from core.verify import Request, Workbench, investigate


@dataclass(frozen=True)
class Done:
    """One claim that was worked on: its prediction, or the sentence that says why there is none."""

    claim_id: str
    prediction: Prediction | None
    error: str
    seconds: float


def prediction_of(case: Case, seconds: float) -> Prediction:
    """Return a case as a submission states it, with the text of the document behind each answer."""
    evidence = tuple(
        PredictedEvidence(
            pair.question,
            pair.answer,
            pair.passage.document.url if pair.passage else "",
            pair.passage.document.text if pair.passage else "",
        )
        for pair in case.evidence
    )
    verdict = case.verdict
    return Prediction(
        case.claim.id,
        case.claim.text,
        verdict.label if verdict else None,
        evidence,
        label_text=str(verdict.label) if verdict else "",
        seconds=seconds,
    )


def request_for(claim: Claim, stores: Path, extra: Sequence[str], request: Request) -> Request:
    """Return the request for one claim, whose own store is STORES/ID.json or .jsonl."""
    own = next((path for path in (stores / f"{claim.id}.json", stores / f"{claim.id}.jsonl") if path.exists()), None)
    if own is None:
        raise BadInput(f"{stores} has no store for claim {claim.id}: {claim.id}.json is expected there.")
    return replace(request, claim=claim, stores=(str(own), *extra))


def record_of(done: Done) -> dict[str, Any]:
    """Return what one line of the journal holds."""
    submission = submission_row(done.prediction) if done.prediction else None
    return {"claim_id": done.claim_id, "seconds": done.seconds, "error": done.error, "submission": submission}


def read_journal(path: Path) -> dict[str, Done]:
    """Return what earlier runs finished, by claim id; the last record of a claim counts."""
    finished: dict[str, Done] = {}
    if not path.exists():
        return finished
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n")[:-1], start=1):
        try:
            record = json.loads(line)
            row = record["submission"]
            prediction = prediction_from_row(path.name, f"line {number}", row, number) if row else None
            done = Done(record["claim_id"], prediction, record["error"], record["seconds"])
        except (ValueError, KeyError, TypeError) as error:
            raise BadRecord(
                f"{path}:{number}: this line is no record of a batch ({error}); delete the file."
            ) from error
        finished[done.claim_id] = replace(done, prediction=prediction and replace(prediction, seconds=done.seconds))
    return finished


def mend(path: Path) -> None:
    """Cut off a last line without its end: a run was stopped while writing it."""
    if path.exists():
        whole = path.read_bytes()
        with path.open("r+b") as journal:
            journal.truncate(whole.rfind(b"\n") + 1)


def append(path: Path, done: Done) -> None:
    """Add one record to the journal and wait until it is on disk."""
    with path.open("a", encoding="utf-8") as journal:
        journal.write(json.dumps(record_of(done), ensure_ascii=False) + "\n")
        journal.flush()
        os.fsync(journal.fileno())


def work(claim: Claim, ask: Callable[[Claim], Request], bench: Workbench) -> Done:
    """Return what one claim came to; bad input fails this claim and no other."""
    started = time.perf_counter()
    try:
        outcome: Outcome = investigate(ask(claim), bench)
    except BadInput as error:
        outcome = Failure(claim.id, "Find the store", str(error))
    seconds = round(time.perf_counter() - started, 3)
    if isinstance(outcome, Failure):
        return Done(claim.id, None, f"{outcome.step}: {outcome.error}", seconds)
    return Done(claim.id, prediction_of(outcome, seconds), "", seconds)


def run_batch(
    claims: Sequence[Claim], ask: Callable[[Claim], Request], bench: Workbench, out: Path
) -> Iterator[tuple[Done, bool]]:
    """Work through the claims and yield each one, with whether an earlier run had done it.

    Failures of earlier runs are tried again. The submission at `out` is written when all are done; it leaves failed
    claims out, and OUT.failures.json names them.
    """
    journal = out.with_suffix(out.suffix + ".journal")
    mend(journal)
    finished = read_journal(journal)
    for claim in claims:
        before = finished.get(claim.id)
        if before and before.prediction:
            yield before, True
            continue
        finished[claim.id] = work(claim, ask, bench)
        append(journal, finished[claim.id])
        yield finished[claim.id], False
    outcomes = [finished[claim.id] for claim in claims]
    write_submission(out, [done.prediction for done in outcomes if done.prediction])
    failures = {done.claim_id: done.error for done in outcomes if not done.prediction}
    out.with_suffix(out.suffix + ".failures.json").write_text(json.dumps(failures, indent=1) + "\n", encoding="utf-8")
