"""Batches that outlive a page and the server: each has a folder of its own and runs as a process of its own.

The folder holds what was asked for, the claims, the stores that came as a ZIP, the journal and the submission. So
a batch goes on while nobody looks, and can be resumed after the machine was off.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from core.batch.journal import Tail, is_locked, journal_path
from core.errors import BadInput, Cancelled, VerideskError
from core.files import ROOT
from core.interfaces import Stop
from core.job_queue import JobQueue, Lane, Report
from core.jobs import Job, Order, Result, Status
from core.models.choice import parse_choice
from core.storage.jobs import JobTable

MAX_KEPT = 20
"""How many batches of one owner stay on disk; beginning another deletes the oldest that has ended."""

ASKED, PROCESS, FIGURES, LOG, STORES = "asked.json", "process", "figures.json", "log.txt", "stores"
RECIPE = "recipe.toml"
SUBMISSIONS = ("submission.json", "submission.jsonl", "submission.csv")
MAX_WORKERS = 64
LANE = "batch"
LOOK_SECONDS = 0.1
CANCEL_SECONDS = 15.0
"""How long a cancel waits for the process to end."""


@dataclass(frozen=True)
class Asked:
    """What a batch is to do. `stores` is a folder on this machine, empty if they came as a ZIP.

    `claims_name` is what the file of claims is called in the batch's folder, `title` what its owner calls it; `ids`
    are those of its claims in order, and `gold` says whether it is annotated. `own_recipe` is the text of a recipe file
    of the owner's, whose name is then `recipe`; empty for a built-in one.
    `training` is the path of annotated claims to take examples from, or empty.
    """

    claims_name: str
    ids: tuple[str, ...]
    gold: bool
    recipe: str
    model: str
    stores: str = ""
    extra: tuple[str, ...] = ()
    workers: int = 1
    within: float | None = None
    title: str = ""
    owner: str = ""
    created: float = 0.0
    own_recipe: str = ""
    training: str = ""


@dataclass(frozen=True)
class Outcome:
    """What became of one claim, as a page lists it. `label` is empty where it failed."""

    claim_id: str
    label: str
    error: str
    seconds: float
    left_out: tuple[str, ...]


@dataclass
class Batch:
    """One batch of one owner."""

    id: str
    folder: Path
    asked: Asked
    jobs: JobTable
    tail: Tail = field(init=False)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        self.tail = Tail(journal_path(self.folder / SUBMISSIONS[0]))

    @property
    def status(self) -> Status | None:
        """How its job stands; None once it was deleted."""
        return self.jobs.status(self.id, self.asked.owner)

    @property
    def running(self) -> bool:
        """Whether it is at work, or waits to be."""
        status = self.status
        return bool(status and status.state.live)

    @property
    def figures(self) -> dict[str, Any] | None:
        """What `core.batch.report` wrote when all claims had been worked on; None before."""
        try:
            return dict(json.loads((self.folder / FIGURES).read_text(encoding="utf-8")))
        except (OSError, ValueError):  # not there, or not whole: it has not come to its end
            return None

    @property
    def trouble(self) -> str:
        """The sentence with which it ended before its time; empty if it was stopped or has not ended."""
        log = self.folder / LOG
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
        return next((line.removeprefix("batch: ") for line in reversed(lines) if line.startswith("batch: ")), "")

    def progress(self) -> Mapping[str, Outcome]:
        """Return what became of the claims so far, by id; only what is new is read."""
        with self.lock:  # several pages may look at once
            for done in self.tail.read():
                label = str(done.prediction.label or "") if done.prediction else ""
                self.outcomes[done.claim_id] = Outcome(done.claim_id, label, done.error, done.seconds, done.left_out)
        return {claim_id: self.outcomes[claim_id] for claim_id in self.asked.ids if claim_id in self.outcomes}

    def files(self) -> list[Path]:
        """Return the submission in each format, once it is written."""
        return [path for name in SUBMISSIONS if (path := self.folder / name).exists()]

    @property
    def stores_folder(self) -> Path:
        return Path(self.asked.stores) if self.asked.stores else self.folder / STORES

    def command(self, *, retry_failures: bool) -> list[str]:
        """Return the command line that does it, or goes on with it."""
        asked = self.asked
        words = ["--claims", str(self.folder / asked.claims_name), "--stores", str(self.stores_folder)]
        words += [word for path in asked.extra for word in ("--stores-extra", path)]
        words += [word for name in SUBMISSIONS for word in ("--out", str(self.folder / name))]
        recipe = str(self.folder / RECIPE) if asked.own_recipe else asked.recipe
        words += ["--recipe", recipe, "--model", asked.model, "--workers", str(asked.workers), "--json"]
        words += ["--within", str(asked.within)] if asked.within else []
        words += ["--training", asked.training] if asked.training else []
        words += ["--retry-failures"] if retry_failures else []
        return [sys.executable, "-m", "core", "batch", *words]


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
        for old in self.of(owner)[MAX_KEPT - 1 :]:
            self.delete(old)
        name = secrets.token_urlsafe(24)
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
        process.wait()


def write_batch(folder: Path, asked: Asked, owner: str, claims: bytes, stores: Mapping[str, bytes]) -> None:
    """Write the folder of a new batch; what makes it one is written last."""
    (folder / STORES).mkdir(parents=True)
    (folder / asked.claims_name).write_bytes(claims)
    if asked.own_recipe:
        (folder / RECIPE).write_text(asked.own_recipe, encoding="utf-8")
    for name, content in stores.items():
        (folder / STORES / name).write_bytes(content)
    record = {**asdict(asked), "owner": owner, "created": time.time()}
    (folder / ASKED).write_text(json.dumps(record), encoding="utf-8")


def with_key(model: str) -> dict[str, str]:
    """Return the environment of a batch, with the key that was given for its server."""
    choice = parse_choice(model)
    kept = os.environ.get("VERIDESK_API_KEYS", "")
    return {**os.environ, "VERIDESK_API_KEYS": f"{choice.url}={choice.api_key} {kept}" if choice.api_key else kept}
