"""Run a batch: skip finished claims, journal each result, write the submission at the end."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from core.annotations import Prediction
from core.averitec.averitec import write_submission
from core.averitec.leaderboard_csv import submission_csv
from core.batch import FAILURES
from core.batch.journal import add_line, journal_path, locked, open_journal, record_of
from core.batch.report import BatchReport, report_on
from core.batch.types import BatchPlan, Done, key_of
from core.batch.worker import open_worker, work_on
from core.executor import Executor, LocalExecutor
from core.files import write_whole
from core.interfaces import Stop, never
from core.models.choice import parse_choice
from core.types import Claim

OnDone = Callable[[Done, bool], None]
"""Called for each finished claim; True for claims of an earlier run."""


def executor_for(plan: BatchPlan, *, workers: int = 1, scheduler: str = "") -> Executor:
    """Return the workers of a Dask scheduler, or without one `workers` processes on this machine."""
    if scheduler:
        from core.dask_executor import DaskExecutor  # needs Dask, which is optional

        return DaskExecutor(partial(open_worker, plan), scheduler)
    return LocalExecutor(partial(open_worker, plan), workers, keys_for(plan.request.model))


def keys_for(model: str) -> dict[str, str]:
    """Return the environment variable that gives a process the key of the model's server."""
    choice = parse_choice(model)
    known = os.environ.get("VERIDESK_API_KEYS", "")
    return {"VERIDESK_API_KEYS": f"{choice.url}={choice.api_key} {known}"} if choice.api_key else {}


def run_batch(
    claims: Sequence[Claim],
    plan: BatchPlan,
    executor: Executor,
    outs: Sequence[Path],
    on_done: OnDone = lambda done, before: None,
    *,
    retry_failures: bool = False,
    stop: Stop = never,
) -> BatchReport:
    """Process the claims, write the submission to each of `outs`, and return the figures of all runs.

    The journal is beside the first of `outs`; a run skips the claims in it. Failed claims of an earlier run are
    repeated only with `retry_failures`. The submission is in the order of the claims, without failed ones, which
    OUT.failures.json lists. Its bytes are the same for any number of workers and runs.

    Raises BadInput if another run writes this journal or began it with other settings, and as `Executor.map`.
    """
    path = journal_path(outs[0])
    with locked(path) as journal:
        earlier = open_journal(journal, path, plan)
        known = [done for claim in claims if (done := settled(earlier, claim, retry_failures=retry_failures))]
        outcome = {done.claim_id: done for done in known}
        for done in known:
            on_done(done, True)
        left = {claim.id: claim for claim in claims if claim.id not in outcome}
        for result in executor.map(work_on, list(left.values()), give_up=give_up, stop=stop):
            done = replace(result, asked=key_of(left[result.claim_id]))
            add_line(journal, record_of(done))
            outcome[done.claim_id] = done
            on_done(done, False)
        in_order = [outcome[claim.id] for claim in claims]
        write_outcome(in_order, outs)
    return report_on(in_order)


def give_up(claim: Claim, why: str) -> Done:
    return Done(claim.id, None, why)


def settled(earlier: dict[str, Done], claim: Claim, *, retry_failures: bool) -> Done | None:
    """Return an earlier run's result of a claim; None if the claim has changed or must be repeated."""
    done = earlier.get(claim.id)
    if done is None or done.asked != key_of(claim) or (done.prediction is None and retry_failures):
        return None
    return done


def write_outcome(outcome: Sequence[Done], outs: Sequence[Path]) -> None:
    """Write the submission in each format, and the list of failed claims."""
    for out in outs:
        write_predictions(out, [done.prediction for done in outcome if done.prediction])
    failures = {done.claim_id: done.error for done in outcome if not done.prediction}
    write_whole(failures_path(outs[0]), json.dumps(failures, indent=1, ensure_ascii=False) + "\n")


def failures_path(out: Path) -> Path:
    """Return the path of the list of a submission's failures."""
    return out.with_name(out.name + FAILURES)


def write_predictions(path: Path, predictions: Sequence[Prediction]) -> None:
    """Write a submission in the format of the file's suffix, completely or not at all."""
    if path.suffix == ".csv":
        write_whole(path, submission_csv(predictions))
    else:
        write_submission(path, predictions)
