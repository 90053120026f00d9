"""What a background job is: its states, what is asked, what came of it, and the ledger that keeps it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

Json = dict[str, Any]

STALE_SECONDS = 20.0
"""A running job whose server has not said so for this long was interrupted: the server went away."""


class State(StrEnum):
    """Where a job is. INTERRUPTED is never stored: it follows from a server that fell silent."""

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
class Order:
    """What somebody wants done. `facts` are shown where jobs are listed; `about` is searched beside the title.

    `uses` is the id of a language model that must stay while the job waits or runs. Jobs of one `slot` share the
    workers that their lane has for it.
    """

    owner: str
    title: str
    request: Json
    facts: Json = field(default_factory=dict)
    about: str = ""
    uses: str = ""
    slot: str = ""


@dataclass(frozen=True)
class Status:
    """A job as lists show it: all but what may be long. Times are in seconds since 1970.

    `label` says what a finished job came to and `share` how likely that is, in [0, 1]; `error` why another did not;
    `progress` is what its lane reported last, `stop` that it is being cancelled while it runs.
    """

    id: str
    lane: str
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
    """A job with what was asked for and what it came to."""

    request: Json
    result: Json | None


@dataclass(frozen=True)
class Result:
    """What a job came to: everything to keep, a label to list and find it by, and its probability, if it has one."""

    content: Json
    label: str = ""
    share: float | None = None


class Ledger(Protocol):
    """Where jobs are kept. Every method raises StoreError where it cannot be read or written.

    What a server writes of a job counts only while the job is that server's.
    """

    def add(self, lane: str, order: Order, *, place: str, tries: int) -> str: ...

    def waiting(self, lane: str, owner: str = "") -> int: ...

    def claim(self, full: Mapping[str, Collection[str]], *, server: str, place: str) -> Job | None: ...

    def beat(self, server: str) -> dict[str, bool]: ...

    def advance(self, job_id: str, server: str, progress: Json) -> None: ...

    def end(self, job_id: str, server: str, state: State, seconds: float, *, error: str, result: Result) -> bool: ...

    def release(self, job_id: str, server: str) -> None: ...

    def cancel(self, job_id: str, owner: str) -> State | None: ...

    def resume(self, job_id: str, owner: str, *, tries: int, request: Json | None) -> bool: ...
