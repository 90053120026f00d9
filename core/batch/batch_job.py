"""Define the job that verifies a file of claims, in its own folder.

The folder holds the claims, the stores that were uploaded as a ZIP, the journal, the receipts and the submission. A
batch resumes from its journal after a cancel, a failure or a restart of the server.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from core.archive.catalogue import check_readable
from core.batch.journal import Tail, is_locked, journal_path
from core.batch.run import executor_for, run_batch
from core.batch.types import BatchPlan, Done, read_claims_file, receipt_path
from core.dataclass_json import from_json, to_json
from core.errors import Cancelled
from core.executor import Executor
from core.files import json_of, write_whole
from core.jobs.jobs import Jobs
from core.jobs.kinds import JobContext, JobKind
from core.jobs.limits import JobLimits
from core.jobs.store import JobStore
from core.jobs.types import Job, JobResult, Json, Listed, State, Status
from core.search.search_plan import SearchOrder
from core.settings import settings
from core.types import Claim
from core.verification.request import Request
from core.verification.verdict.verdict_words import listed_as, shown_label
from core.verification.verify_job import Cases, keep_case

MAX_KEPT = 20
"""Number of unnamed batches kept per owner. A new batch deletes the oldest ended one."""

TRIES = 20
"""Number of automatic starts of a batch, such as after server restarts. Each resumes from the journal."""

MAX_WORKERS = 64
LOOK_SECONDS = 0.1
CASES, OPENED, STORES = "cases", "opened.json", "stores"
SUBMISSIONS = ("submission.json", "submission.jsonl", "submission.csv")


@dataclass(frozen=True)
class BatchRequest:
    """The order for a batch.

    `claims_name` names the file of claims in the batch's folder, `title` is the owner's name for it. `ids` are the ids
    of the claims in order; `gold` says whether they are annotated. `stores` is a folder on this machine, empty if the
    stores were uploaded as a ZIP. `extra` are paths of documents for every claim. With the name of a `collection`, only
    `extra` is searched. `own_recipe` is the text of the owner's recipe file, which `recipe` names; empty for a built-in
    recipe. `training` is the path of annotated claims for examples, or empty. `within` is the longest time for one
    claim, in seconds. `workers` is the number of processes, 0 for the workers of the Dask cluster. `searches` and
    `consents` are as in `BatchPlan`.
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
    own_recipe: str = ""
    training: str = ""
    collection: str = ""
    retry_failures: bool = False
    searches: dict[str, SearchOrder] = field(default_factory=dict)
    consents: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """The result of one claim in a list on the page.

    `label` is as in `listed_as`, empty for a failure. `worker` and `speaking` are as in `Done`.
    """

    claim_id: str
    label: str
    error: str
    seconds: float
    left_out: tuple[str, ...]
    worker: str = ""
    speaking: int | None = None


@dataclass
class Batch:
    """One batch of one owner."""

    job: Status
    folder: Path
    asked: BatchRequest
    jobs: JobStore
    tail: Tail = field(init=False)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        self.tail = Tail(journal_path(self.outs[0]))

    @property
    def id(self) -> str:
        return self.job.id

    @property
    def status(self) -> Status | None:
        """Return the present status of its job; None after its deletion."""
        return self.jobs.status(self.id, self.job.owner)

    @property
    def title(self) -> str:
        """Return its owner's name for it, or the name of its file."""
        status = self.status
        return status.title if status else self.asked.title

    @property
    def running(self) -> bool:
        """Return whether it runs or waits."""
        status = self.status
        return bool(status and status.state.live)

    @property
    def figures(self) -> Json | None:
        """Return its `BatchReport` as JSON once all claims are done; None before."""
        job = self.jobs.load(self.id, self.job.owner)
        return job.result if job else None

    @property
    def trouble(self) -> str:
        """Return the sentence of its failure; empty if it did not fail."""
        status = self.status
        return status.error if status and status.state is State.FAILED else ""

    @property
    def outs(self) -> list[Path]:
        return [self.folder / name for name in SUBMISSIONS]

    @cached_property
    def claims(self) -> dict[str, Claim]:
        """Return its claims by id, in their order."""
        content = (self.folder / self.asked.claims_name).read_bytes()
        return {claim.id: claim for claim in read_claims_file(self.asked.claims_name, content)[0]}

    @property
    def plan(self) -> BatchPlan:
        """Return the plan for its claims."""
        asked = self.asked
        request = Request(
            Claim(""),
            recipe=asked.recipe,
            own_recipe=asked.own_recipe,
            training=asked.training,
            model=asked.model,
            keep_index=bool(asked.collection) and not asked.searches,
        )
        stores = Path(asked.stores) if asked.stores else self.folder / STORES
        own = None if asked.collection else stores
        cases = self.folder / CASES
        return BatchPlan(request, own, asked.extra, asked.within, cases, asked.searches, asked.consents)

    def progress(self) -> Mapping[str, Outcome]:
        """Return the results so far by claim id; only new lines of the journal are read."""
        with self.lock:  # several pages may read at once
            for done in self.tail.read():
                self.outcomes[done.claim_id] = outcome_of(done)
        return {claim_id: self.outcomes[claim_id] for claim_id in self.asked.ids if claim_id in self.outcomes}

    def receipt(self, claim_id: str) -> Json | None:
        """Return the receipt of a claim; None if the claim failed or is unfinished."""
        claim = self.claims.get(claim_id)
        path = receipt_path(self.folder / CASES, claim) if claim else None
        return dict(json_of(path.read_text(encoding="utf-8"))) if path and path.exists() else None

    def opened(self) -> dict[str, str]:
        """Return the ids of the cases that were opened from its claims, by claim id."""
        path = self.folder / OPENED
        return dict(json_of(path.read_text(encoding="utf-8"))) if path.exists() else {}

    def files(self) -> list[Path]:
        """Return the finished submission in each format."""
        return [path for path in self.outs if path.exists()]


Batches = Jobs[BatchRequest, Batch]


def outcome_of(done: Done) -> Outcome:
    """Return a result for a list on the page."""
    label = listed_as(shown_label(done.prediction)) if done.prediction else ""
    return Outcome(done.claim_id, label, done.error, done.seconds, done.left_out, done.worker, done.speaking)


def batch_files(asked: BatchRequest, claims: bytes, stores: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of a new batch's folder, by name; `stores` are the files of a ZIP by name."""
    return {asked.claims_name: claims, **{f"{STORES}/{name}": text for name, text in stores.items()}}


def batch_kind(
    folders: Path, store: JobStore, executor_for: Callable[..., Executor] = executor_for
) -> JobKind[BatchRequest, Batch]:
    """Return the kind of a batch. One batch runs at a time, because each loads its own models."""
    known: dict[str, Batch] = {}

    def view(job: Job, asked: BatchRequest, folder: Path | None) -> Batch:
        assert folder
        for name, batch in list(known.items()):  # a copy: other threads add to it
            if not batch.folder.exists():
                known.pop(name, None)
        return known.setdefault(job.id, Batch(job, folder, asked, store))

    def handle(asked: BatchRequest, context: JobContext) -> JobResult:
        check_readable(asked.extra, context.job.owner)
        batch = view(context.job, asked, context.folder)
        plan, claims, retry = batch.plan, list(batch.claims.values()), asked.retry_failures
        scheduler = "" if asked.workers else settings().scheduler
        while is_locked(batch.tail.path):  # by another server that has lost this batch unknowingly
            if context.stop():
                raise Cancelled("Stopped.")
            time.sleep(LOOK_SECONDS)
        with closing(executor_for(plan, workers=max(1, asked.workers), scheduler=scheduler)) as executor:
            report = run_batch(claims, plan, executor, batch.outs, retry_failures=retry, stop=context.stop)
        return JobResult(to_json(report))

    return JobKind(
        "batch", "a batch", "batches", handle, listed, to_json, read_asked, view,
        limits=JobLimits(tries=TRIES, kept=MAX_KEPT), local=True, folders=folders,
    )  # fmt: skip


def listed(asked: BatchRequest, folder: Path | None) -> Listed:
    return Listed(asked.title, {"claims": len(asked.ids), "recipe": asked.recipe}, uses=asked.model)


def read_asked(record: Json) -> BatchRequest:
    return from_json(record, BatchRequest)


def case_of(batch: Batch, claim_id: str, cases: Cases) -> str:
    """Return the id of a claim's case in its owner's history, after storing it there; "" without a case."""
    owner = batch.job.owner
    receipt, kept = batch.receipt(claim_id), batch.opened()
    if receipt is None:
        return ""
    if claim_id not in kept or cases.status(kept[claim_id], owner) is None:
        kept[claim_id] = keep_case(cases, owner, receipt)
        write_whole(batch.folder / OPENED, json.dumps(kept))
    return kept[claim_id]
