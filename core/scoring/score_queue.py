"""Scoring runs and stress tests as jobs of the queue, kept with all that they came to.

What a judge said is kept on disk (`core.llm.caching`), so a run that was stopped goes on where it was.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from cattrs.preconf.json import make_converter
from cattrs.strategies import configure_tagged_union

from core.errors import BadInput
from core.interfaces import Stop
from core.job_queue import JobQueue, Lane, Report
from core.jobs import Job as QueuedJob
from core.jobs import Json, Order, State, Status
from core.jobs import Result as Kept
from core.scoring.progress import Watch
from core.scoring.report import SystemReport
from core.scoring.work import Job, Result, Scored
from core.storage.jobs import JobTable

LANE = "score"
MAX_KEPT = 20
"""How many runs without a name are kept of one owner; beginning another deletes the oldest that has ended."""
MAX_NAME = 200


def _is_array(kind: Any) -> bool:
    return getattr(kind, "__origin__", None) is np.ndarray


_json: Any = make_converter()  # a union of dataclasses is no type to mypy
_json.register_unstructure_hook_func(_is_array, lambda array: array.tolist())
_json.register_structure_hook_func(_is_array, lambda rows, _: np.array(rows, np.int64))
configure_tagged_union(Job, _json)
configure_tagged_union(Result, _json)


@dataclass(frozen=True)
class Run:
    """One scoring run: how it stands, what it is to score, and its result once it is done."""

    status: Status
    job: Job
    result: Result | None

    @property
    def id(self) -> str:
        return self.status.id

    @property
    def state(self) -> State:
        return self.status.state

    @property
    def reports(self) -> tuple[SystemReport, ...]:
        """The systems' reports; none if the run has not scored any."""
        return self.result.reports if isinstance(self.result, Scored) else ()


class Runs:
    """The scoring runs of everybody. Every look-up names its owner."""

    def __init__(self, jobs: JobTable, queue: JobQueue) -> None:
        self.jobs, self.queue = jobs, queue
        queue.open_lane(Lane(LANE, self._run, "a scoring run", "scoring runs"))

    def start(self, owner: str, job: Job) -> str:
        """Put a run in the queue and return its id. Raises as `JobQueue.submit`."""
        unnamed = [run for run in self.of(owner) if not run.facts.get("named")]
        for old in unnamed[MAX_KEPT - 1 :]:
            if not old.state.live:
                self.jobs.delete(old.id, owner)
        facts = {"parts": list(job.parts), "kind": type(job).__name__}
        uses = job.opening.judging.model
        return self.queue.submit(LANE, Order(owner, ", ".join(job.parts), _written(job), facts, uses=uses))

    def status(self, run_id: str, owner: str) -> Status | None:
        """Return how far the owner's run is, None if there is none of this id."""
        status = self.jobs.status(run_id, owner)
        return status if status and status.lane == LANE else None

    def find(self, run_id: str, owner: str) -> Run | None:
        """Return the owner's run with all that it came to, None if there is none of this id."""
        kept = self.jobs.load(run_id, owner)
        if kept is None or kept.lane != LANE:
            return None
        return Run(kept, _read(kept), _json.structure(kept.result, Result) if kept.result else None)

    def of(self, owner: str) -> tuple[Status, ...]:
        """Return the owner's runs, the newest first."""
        return self.jobs.search(owner, LANE, limit=100).entries

    def rename(self, run: Status, name: str) -> None:
        """Name a run, which is then kept until it is deleted. Raises BadInput for a name that is none."""
        if not name.strip() or len(name) > MAX_NAME:
            raise BadInput(f"A run's name has 1 to {MAX_NAME} characters.")
        self.jobs.rename(run.id, run.owner, name.strip(), run.facts | {"named": True})

    def delete(self, run: Status) -> None:
        """Delete a run with all that it came to, and the links to it; one that is at work is cancelled."""
        self.queue.cancel(run.id, run.owner)
        self.jobs.delete(run.id, run.owner)

    def again(self, run: Run) -> None:
        """Do a run once more: what was judged is kept, and only what could not be judged is asked, with other chances.

        Raises as `JobQueue.resume`.
        """
        self.queue.resume(run.status, request=_written(replace(run.job, opening=run.job.opening.again())))

    def _run(self, queued: QueuedJob, report: Report, stop: Stop) -> Kept:
        job = _read(queued)
        doing, begun = "", time.monotonic()

        def begin(part: str) -> None:
            nonlocal doing
            doing = part
            report({"doing": part, "done": 0, "total": 0})

        def advance(done: int, total: int) -> None:
            nonlocal begun
            if not done:
                begun = time.monotonic()
            report({"doing": doing, "done": done, "total": total, "seconds": time.monotonic() - begun}, minor=True)

        try:
            return Kept(_json.unstructure(job.work(begin, Watch(advance, stop)), Result))
        finally:
            job.opening.close()


def _written(job: Job) -> Json:
    return dict(_json.unstructure(job, Job))


def _read(kept: QueuedJob) -> Job:
    try:
        job: Job = _json.structure(kept.request, Job)
    except Exception as error:
        raise BadInput("This scoring run was kept by another version of Veridesk: score its files anew.") from error
    return job
