"""The kind of job that verifies a file of claims, in a folder and a process of its own.

So a batch goes on after its page and its server are gone, and resumes after the machine was off.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from core.batch.batch_folder import FIGURES, LOG, OPENED, PROCESS, Batch, BatchRequest
from core.batch.journal import is_locked
from core.dataclass_json import from_json, to_json
from core.errors import Cancelled, VerideskError
from core.files import ROOT, write_whole
from core.jobs.jobs import Jobs
from core.jobs.kinds import JobContext, JobKind
from core.jobs.limits import JobLimits
from core.jobs.store import JobStore
from core.jobs.types import Job, JobResult, Json, Listed
from core.models.choice import parse_choice
from core.verification.verify_job import Cases, keep_case

END_SECONDS = 30.0
"""A batch that was asked to end and has not after so long is ended by force; its journal is whole at any moment."""

MAX_KEPT = 20
"""How many batches without a name stay on disk of one owner; beginning another deletes the oldest that has ended."""

MAX_WORKERS = 64
LOOK_SECONDS = 0.1


Batches = Jobs[BatchRequest, Batch]


def batch_kind(folders: Path, store: JobStore) -> JobKind[BatchRequest, Batch]:
    """Return the kind of a batch. One is at work at a time: each has models of its own in memory."""
    known: dict[str, Batch] = {}

    def view(job: Job, asked: BatchRequest, folder: Path | None) -> Batch:
        assert folder
        for gone in [name for name, batch in known.items() if not batch.folder.exists()]:
            known.pop(gone, None)
        return known.setdefault(job.id, Batch(job, folder, asked, store))

    def handle(asked: BatchRequest, context: JobContext) -> JobResult:
        run(view(context.job, asked, context.folder), context, retry_failures=asked.retry_failures)
        return JobResult({})

    return JobKind(
        "batch", "a batch", "batches", handle, listed, to_json, read_asked, view,
        limits=JobLimits(tries=2, kept=MAX_KEPT), local=True, folders=folders,
    )  # fmt: skip


def listed(asked: BatchRequest, folder: Path | None) -> Listed:
    return Listed(asked.title, {"claims": len(asked.ids), "recipe": asked.recipe}, uses=asked.model)


def read_asked(record: Json) -> BatchRequest:
    return from_json(record, BatchRequest)


def case_of(batch: Batch, claim_id: str, cases: Cases) -> str:
    """Return the id of a claim's case among its owner's, stored there on demand; "" if it has none."""
    owner = batch.job.owner
    receipt, kept = batch.receipt(claim_id), batch.opened()
    if receipt is None:
        return ""
    if claim_id not in kept or cases.status(kept[claim_id], owner) is None:
        kept[claim_id] = keep_case(cases, owner, receipt)
        write_whole(batch.folder / OPENED, json.dumps(kept))
    return kept[claim_id]


def run(batch: Batch, context: JobContext, *, retry_failures: bool) -> None:
    """Begin a batch's process, or watch the one that an earlier server began, until it ends."""
    process = None if is_locked(batch.tail.path) else begin(batch, retry_failures=retry_failures)
    while process.poll() is None if process else is_locked(batch.tail.path):
        if context.stop():
            if not context.closing():  # else it goes on, and the next server finds it at work
                end(batch, process)
            raise Cancelled("Stopped.")
        time.sleep(LOOK_SECONDS)
    if batch.figures is None:
        raise VerideskError(batch.trouble or f"The batch ended before its time; {batch.folder / LOG} may say why.")


def begin(batch: Batch, *, retry_failures: bool) -> subprocess.Popen[bytes]:
    """Start the process of a batch, in a session of its own."""
    (batch.folder / FIGURES).unlink(missing_ok=True)
    with (batch.folder / FIGURES).open("wb") as figures, (batch.folder / LOG).open("wb") as log:
        process = subprocess.Popen(
            batch.command(retry_failures=retry_failures),
            cwd=ROOT,
            env=with_key(batch.asked.model),
            stdin=subprocess.DEVNULL,
            stdout=figures,
            stderr=log,
            start_new_session=True,  # so that it can be ended with all that it started, and nothing else
        )
    (batch.folder / PROCESS).write_text(str(process.pid))
    return process


def end(batch: Batch, process: subprocess.Popen[bytes] | None) -> None:
    """End the process of a batch, whoever began it, with all that it started."""
    with suppress(ProcessLookupError):  # it has just ended by itself
        os.killpg(int((batch.folder / PROCESS).read_text()), signal.SIGTERM)
    if process:
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:  # stopped, or it does not hear
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def with_key(model: str) -> dict[str, str]:
    """Return the environment of a batch, with the key that was given for its server."""
    choice = parse_choice(model)
    kept = os.environ.get("VERIDESK_API_KEYS", "")
    return {**os.environ, "VERIDESK_API_KEYS": f"{choice.url}={choice.api_key} {kept}" if choice.api_key else kept}
