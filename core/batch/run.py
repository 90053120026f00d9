"""Run a batch: journal what is done, go on where an earlier run stopped, and write the submission at the end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from core.annotations import Prediction
from core.averitec.averitec import write_submission
from core.averitec.leaderboard_csv import submission_csv
from core.batch.journal import add_line, journal_path, locked, open_journal, record_of
from core.batch.pool import run_pool
from core.batch.types import BatchPlan, Done, Source, key_of
from core.batch.worker import Worker, open_worker
from core.files import write_whole
from core.types import Claim

SUFFIXES = (".json", ".jsonl", ".csv")
FAILURES = ".failures.json"


def run_batch(
    claims: Sequence[Claim], plan: BatchPlan, source: Source, outs: Sequence[Path], *, retry_failures: bool = False
) -> Iterator[tuple[Done, bool]]:
    """Work through the claims and yield each, with whether an earlier run had done it; those come first.

    What failed in an earlier run stays failed unless `retry_failures`. The submission, in the order of the claims,
    is written to `outs` when all are done; it leaves failed claims out, and OUT.failures.json names them. The journal
    stands beside the first of `outs`. Raises BadInput if another run is at work there or used other settings.
    """
    path = journal_path(outs[0])
    with locked(path) as journal:
        finished = open_journal(journal, path, plan)
        earlier = [done for claim in claims if (done := settled(finished, claim, retry_failures=retry_failures))]
        yield from ((done, True) for done in earlier)
        known = {done.claim_id for done in earlier}
        open_ones = {claim.id: claim for claim in claims if claim.id not in known}
        for came in source(list(open_ones.values())):
            done = replace(came, asked=key_of(open_ones[came.claim_id]))
            add_line(journal, record_of(done))
            finished[done.claim_id] = done
            yield done, False
        write_outcome([finished[claim.id] for claim in claims], outs)


def settled(finished: dict[str, Done], claim: Claim, *, retry_failures: bool) -> Done | None:
    """Return what an earlier run made of a claim; None if it must be worked on, as when it has changed."""
    done = finished.get(claim.id)
    if done is None or done.asked != key_of(claim) or (done.prediction is None and retry_failures):
        return None
    return done


def write_outcome(outcome: Sequence[Done], outs: Sequence[Path]) -> None:
    """Write the submission in each format, and which claims failed."""
    for out in outs:
        write_predictions(out, [done.prediction for done in outcome if done.prediction])
    failures = {done.claim_id: done.error for done in outcome if not done.prediction}
    write_whole(failures_path(outs[0]), json.dumps(failures, indent=1, ensure_ascii=False) + "\n")


def failures_path(out: Path) -> Path:
    """Return where the failures of a submission are listed."""
    return out.with_name(out.name + FAILURES)


def write_predictions(path: Path, predictions: Sequence[Prediction]) -> None:
    """Write a submission in the format that the file's name ends in; a kill leaves no half of it."""
    if path.suffix == ".csv":
        write_whole(path, submission_csv(predictions))
    else:
        write_submission(path, predictions)


def work_here(claims: Sequence[Claim], plan: BatchPlan) -> Iterator[Done]:
    """Work on the claims in this process, one after the other. A `Source` once the plan is given."""
    if not claims:
        return
    worker = open_worker(plan)
    try:
        for claim in claims:
            yield worker.work(claim)
    finally:
        worker.close()


def work_on_cluster(claims: Sequence[Claim], plan: BatchPlan, address: str) -> Iterator[Done]:
    """Work on the claims with the workers of a Dask scheduler."""
    if not claims:
        return
    from core.cluster import run_on_cluster

    yield from run_on_cluster(
        claims,
        Worker.work,
        partial(open_worker, plan),
        address=address,
        given_up=lambda claim, why: Done(claim.id, None, why),
    )


def source_for(plan: BatchPlan, *, workers: int = 1, scheduler: str = "") -> Source:
    """Return who works: this process, several of them, or the workers of a Dask cluster."""
    if scheduler:
        return partial(work_on_cluster, plan=plan, address=scheduler)
    if workers == 1:
        return partial(work_here, plan=plan)
    return partial(run_pool, plan=plan, workers=workers)
