"""Derive a kind of background job from an action: its request and its result are kept as JSON."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic

from core.actions.action import Action, ActionContext, RequestT, ResultT
from core.dataclass_json import from_json, to_json
from core.jobs.kinds import JobContext, JobKind
from core.jobs.limits import JobLimits
from core.jobs.types import Job, JobResult, Json, Listed, State, Status


@dataclass(frozen=True)
class ActionRun(Generic[RequestT, ResultT]):
    """One run of an action: its state, its request, and its result once it is done."""

    status: Status
    request: RequestT
    result: ResultT | None

    @property
    def state(self) -> State:
        return self.status.state


def action_kind(
    action: Action[RequestT, ResultT],
    one: str,
    many: str,
    result: type[ResultT],
    listed: Callable[[RequestT], Listed],
    limits: JobLimits,
) -> JobKind[RequestT, ActionRun[RequestT, ResultT]]:
    """Return the kind of an action's jobs; `one` and `many` name them in sentences, `listed` in lists."""

    def handle(request: RequestT, context: JobContext) -> JobResult:
        return JobResult(to_json(action.run(request, reporting(context)), result))

    def view(job: Job, request: RequestT, folder: Path | None) -> ActionRun[RequestT, ResultT]:
        return ActionRun(job, request, from_json(job.result, result) if job.result else None)

    return JobKind(
        action.name, one, many, handle,
        lambda request, folder: listed(request),
        lambda request: dict(to_json(request, action.request)),
        lambda record: from_json(record, action.request),
        view, limits,
    )  # fmt: skip


def reporting(context: JobContext) -> ActionContext:
    """Return the context in which an action reports its part, items, seconds and remarks as the job's progress."""
    progress: Json = {"doing": "", "done": 0, "total": 0}
    begun = time.monotonic()

    def begin(part: str) -> None:
        progress.update(doing=part, done=0, total=0)
        context.report(dict(progress))

    def advance(done: int, total: int) -> None:
        nonlocal begun
        if not done:
            begun = time.monotonic()
        progress.update(done=done, total=total, seconds=time.monotonic() - begun)
        context.report(dict(progress), minor=True)

    def tell(remark: str) -> None:
        progress["remarks"] = [*progress.get("remarks", ()), remark]
        context.report(dict(progress))

    return ActionContext(begin, advance, tell, context.stop)
