"""The job that scores a phase's submissions again by another gold file. Its owner is the task's id."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from sqlalchemy import update

from core.dataclass_json import from_json, to_json
from core.errors import BadInput
from core.jobs.jobs import Jobs
from core.jobs.kinds import JobContext, JobKind
from core.jobs.limits import JobLimits
from core.jobs.store import JobStore
from core.jobs.types import Job, JobResult, Listed
from core.storage.store import Store
from core.storage.tables import task_golds
from core.tasks.rescoring import Moved, NewGold, propose_gold, replacements, rescore
from core.tasks.task_job import monitor_of
from core.tasks.task_store import organised_task, plan_of

RESCORE, LISTED = "rescore", Listed("A new gold file")
TRIES = 3


@dataclass(frozen=True)
class RescoreRequest:
    """A gold file that is not in force yet, by its id."""

    gold: str


Rescorings = Jobs[RescoreRequest, Job]


def rescore_kind(store: Store) -> JobKind[RescoreRequest, Job]:
    """Return the kind of a scoring by a new gold file. Another server may start it again, where it goes on."""
    return JobKind(
        RESCORE,
        "a scoring by a new gold file",
        "scorings by a new gold file",
        partial(handle, store),
        lambda request, folder: LISTED,
        to_json,
        lambda record: from_json(record, RescoreRequest),
        lambda job, request, folder: job,
        JobLimits(tries=TRIES),
    )


def handle(store: Store, request: RescoreRequest, context: JobContext) -> JobResult:
    """Score again, and report how many claims of all submissions are done."""
    return JobResult({"moved": to_json(rescore(store, request.gold, monitor_of(context)))})


def replace_gold(store: Store, task: str, owner: str, phase: str, new: NewGold, *, other_claims: bool = False) -> str:
    """Queue the scoring by a new gold file, and return its job's id. The phase is an id or a name.

    Raises as `propose_gold`, and BadInput while another file of the phase is at work; Denied.
    """
    jobs = JobStore(store)
    with store.transaction() as connection:
        found = plan_of(organised_task(connection, task, owner).plan).phase(phase)
    for one in replacements(store, task, found.id):
        status = jobs.status(one.job, task) if one.job and one.since is None else None
        if status and status.state.live:
            raise BadInput(f"{one.file} is being scored by: wait for its end, or cancel it first.")
    with store.transaction(writing=True) as connection:
        gold = propose_gold(connection, task, owner, found.id, new, now=store.clock(), other_claims=other_claims)
        request = to_json(RescoreRequest(gold))
        job = jobs.add(RESCORE, task, LISTED, request, tries=TRIES, connection=connection)
        connection.execute(update(task_golds).where(task_golds.c.id == gold).values(job=job))
    return job


def moved_of(done: Job) -> Moved | None:
    """Return the largest change of rank that a finished job found."""
    found = (done.result or {})["moved"]
    return from_json(found, Moved) if found else None
