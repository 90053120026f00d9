"""Define a background job: its states, its request and its result."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

Json = dict[str, Any]

STALE_SECONDS = 20.0
"""Seconds of silence after which a running job counts as interrupted."""


class State(StrEnum):
    """The state of a job. INTERRUPTED is never stored: it follows from a silent server."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"

    @property
    def live(self) -> bool:
        return self in (State.WAITING, State.RUNNING)


@dataclass(frozen=True)
class Listed:
    """A job in lists: its title and facts are shown, its title and `about` are searched.

    `uses` is the id of a language model that must stay until the job ends. Jobs with the same `slot` share workers.
    """

    title: str
    facts: Json = field(default_factory=dict)
    about: str = ""
    uses: str = ""
    slot: str = ""


@dataclass(frozen=True)
class Status:
    """A job in lists, without its long fields. Times are in seconds since 1970.

    `label` names the result of a finished job and `share` its probability, in [0, 1]. `error` is the message of a
    failed one. `progress` is the last report, `stop` is true while a running job is being cancelled.
    """

    id: str
    kind: str
    slot: str
    owner: str
    created: float
    state: State
    title: str
    facts: Json
    uses: str
    label: str
    share: float | None
    error: str
    started: float | None
    seconds: float | None
    progress: Json | None
    stop: bool


@dataclass(frozen=True)
class Job(Status):
    """A job with its request and its result."""

    request: Json
    result: Json | None


@dataclass(frozen=True)
class JobResult:
    """The result of a job: its content, a label for lists, and its probability, if it has one."""

    content: Json
    label: str = ""
    share: float | None = None
