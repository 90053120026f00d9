"""Batches that outlive a page and the server: each has a folder of its own and runs as a process of its own.

So a batch goes on while nobody looks, and can be resumed after the machine was off.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from core.batch.batch_folder import ASKED, FIGURES, LOG, OPENED, PROCESS, Asked, Batch, write_batch
from core.batch.journal import is_locked
from core.errors import BadInput, Cancelled, VerideskError
from core.files import ROOT, write_whole
from core.interfaces import Stop
from core.job_queue import JobQueue, Lane, Report
from core.jobs import Job, Order, Result
from core.models.choice import parse_choice
from core.storage.jobs import JobTable
from core.storage.store import new_id
from core.verification.case_queue import Cases

END_SECONDS = 30.0
"""A batch that was asked to end and has not after so long is ended by force; its journal is whole at any moment."""

MAX_KEPT = 20
"""How many batches without a name stay on disk of one owner; beginning another deletes the oldest that has ended."""

MAX_NAME = 200

MAX_WORKERS = 64
LANE = "batch"
LOOK_SECONDS = 0.1
CANCEL_SECONDS = 15.0
"""How long a cancel waits for the process to end."""


class Batches:
    """The batches in a folder, as jobs of the queue. One is at work at a time: each has models of its own in memory."""

    def __init__(self, folder: Path, jobs: JobTable, queue: JobQueue) -> None:
        self.folder, self.jobs, self.queue = folder, jobs, queue
        self.known: dict[str, Batch] = {}
        queue.open_lane(Lane(LANE, self._run, "a batch", "batches", tries=2, local=True))

    def start(self, owner: str, asked: Asked, claims: bytes, stores: Mapping[str, bytes]) -> str:
        """Put a batch in the queue and return its id. `stores` are the files of a ZIP by their name.

        Raises BadInput if too many wait, or if the disk does not take it.
        """
        unnamed = [batch for batch in self.of(owner) if batch.status and not batch.status.facts.get("named")]
        for old in unnamed[MAX_KEPT - 1 :]:
            self.delete(old)
        name = new_id()
        folder = self.folder / name
        facts = {"claims": len(asked.ids), "recipe": asked.recipe}
        order = Order(owner, asked.title, {"folder": name, "retry": False}, facts, uses=asked.model)
        try:
            write_batch(folder, asked, owner, claims, stores)
            return self.queue.submit(LANE, order)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise BadInput(f"The batch cannot be kept in {self.folder}: {error.strerror}. Free some space.") from error
        except VerideskError:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def find(self, batch_id: str, owner: str) -> Batch | None:
        """Return the owner's batch; None if there is none of this id, or if it is another's."""
        job = self.jobs.load(batch_id, owner)
        there = job and job.lane == LANE and (self.folder / job.request["folder"] / ASKED).exists()
        return self._open(job) if job and there else None

    def of(self, owner: str) -> list[Batch]:
        """Return the owner's batches, newest first."""
        listed = self.jobs.search(owner, LANE, limit=100).entries
        return [batch for one in listed if (batch := self.find(one.id, owner))]

    def resume(self, batch: Batch, *, retry_failures: bool = False) -> None:
        """Go on with a batch that has stopped. Raises BadInput if too many wait."""
        if status := self.jobs.status(batch.id, batch.asked.owner):
            self.queue.resume(status, request={"folder": batch.folder.name, "retry": retry_failures})

    def cancel(self, batch: Batch) -> None:
        """End a batch with all that it started; what is done stays, and it can be resumed."""
        self.queue.cancel(batch.id, batch.asked.owner)
        deadline = time.monotonic() + CANCEL_SECONDS
        while batch.running and time.monotonic() < deadline:
            time.sleep(LOOK_SECONDS)

    def rename(self, batch: Batch, name: str) -> None:
        """Name a batch, which is then kept until it is deleted. Raises BadInput for a name that is none."""
        if not name.strip() or len(name) > MAX_NAME:
            raise BadInput(f"A batch's name has 1 to {MAX_NAME} characters.")
        if status := batch.status:
            self.jobs.rename(batch.id, batch.asked.owner, name.strip(), status.facts | {"named": True})

    def case_of(self, batch: Batch, claim_id: str, cases: Cases) -> str:
        """Return the id of a claim's case among its owner's, put there when it is asked for; "" if it has none."""
        owner = batch.asked.owner
        receipt, kept = batch.receipt(claim_id), batch.opened()
        if receipt is None:
            return ""
        if claim_id not in kept or self.jobs.status(kept[claim_id], owner) is None:
            kept[claim_id] = cases.keep(owner, receipt)
            write_whole(batch.folder / OPENED, json.dumps(kept))
        return kept[claim_id]

    def delete(self, batch: Batch) -> None:
        """End a batch and delete all of it."""
        self.cancel(batch)
        self.jobs.delete(batch.id, batch.asked.owner)
        self.known.pop(batch.id, None)
        shutil.rmtree(batch.folder, ignore_errors=True)

    def _open(self, job: Job) -> Batch:
        if job.id not in self.known:
            folder = self.folder / job.request["folder"]
            record = json.loads((folder / ASKED).read_text(encoding="utf-8"))
            asked = Asked(**{**record, "ids": tuple(record["ids"]), "extra": tuple(record["extra"])})
            self.known[job.id] = Batch(job.id, folder, asked, self.jobs)
        return self.known[job.id]

    def _run(self, job: Job, report: Report, stop: Stop) -> Result:
        batch = self._open(job)
        # One that a server before this one began may still be at work.
        process = None if is_locked(batch.tail.path) else begin(batch, retry_failures=job.request["retry"])
        while process.poll() is None if process else is_locked(batch.tail.path):
            if stop():
                if not self.queue.closed.is_set():  # else it goes on, and the next server finds it at work
                    end(batch, process)
                raise Cancelled("Stopped.")
            time.sleep(LOOK_SECONDS)
        if batch.figures is None:
            raise VerideskError(batch.trouble or f"The batch ended before its time; {batch.folder / LOG} may say why.")
        return Result({})


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
