"""The job that scores a phase's submissions again by another gold file. Its owner is the task's id."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from core.dataclass_json import from_json, to_json
from core.errors import BadInput
from core.jobs.jobs import Jobs
from core.jobs.kinds import JobContext, JobKind
from core.jobs.limits import JobLimits
from core.jobs.types import Job, JobResult, Listed
from core.storage.store import Store
from core.tasks.rescoring import NewGold, note_job, propose_gold, replacements, rescore
from core.tasks.task_job import monitor_of
from core.tasks.task_store import organised_task

RESCORE = "rescore"


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
        lambda request, folder: Listed("A new gold file"),
        to_json,
        lambda record: from_json(record, RescoreRequest),
        lambda job, request, folder: job,
        JobLimits(tries=3),
    )


def handle(store: Store, request: RescoreRequest, context: JobContext) -> JobResult:
    """Score again, and report how many claims of all submissions are done."""
    return JobResult({"moved": to_json(rescore(store, request.gold, monitor_of(context)))})


def replace_gold(
    runs: Rescorings, task: str, owner: str, phase: str, new: NewGold, *, other_claims: bool = False
) -> str:
    """Begin to score by a new gold file in the background, and return its id.

    Raises as `propose_gold`, and BadInput while another file of the phase is at work; Denied.
    """
    store = runs.store.store
    with store.transaction() as connection:
        organised_task(connection, task, owner)
    for one in replacements(store, task, phase):
        status = runs.status(one.job, task) if one.job and one.since is None else None
        if status and status.state.live:
            raise BadInput(f"{one.file} is being scored by: wait for its end, or cancel it first.")
    gold = propose_gold(store, task, owner, phase, new, other_claims=other_claims)
    note_job(store, gold, runs.start(task, RescoreRequest(gold)))
    return gold
