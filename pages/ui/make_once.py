"""Make a job, a campaign or a shared task once, where its button is clicked twice."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from core.jobs.jobs import Jobs
from core.jobs.kinds import RequestT, ViewT
from core.jobs.types import State

SECOND_CLICK_SECONDS = 10.0
"""The same order within this time is the second click of two."""


@dataclass(frozen=True)
class Made:
    """Something that a session has just made: its order, its id, and the monotonic time."""

    asked: object
    id: str
    time: float


def start_once(
    jobs: Jobs[RequestT, ViewT], owner: str, request: RequestT, files: Mapping[str, bytes] | None = None
) -> str:
    """Start a job and return its id; a second click returns the id of the first one's job. Raises as `Jobs.start`."""
    asked = owner, request, {name: hash(content) for name, content in (files or {}).items()}
    return make_once(
        jobs.kind.name,
        asked,
        lambda: jobs.start(owner, request, files),
        lambda job_id: not stopped(jobs, owner, job_id),
    )


def make_once(kind: str, asked: object, make: Callable[[], str], holds: Callable[[str], bool] = lambda _: True) -> str:
    """Return the id that `make` returns. The same order of a kind a moment ago gives its id, if that still `holds`.

    After a second click, Streamlit ends the run of the first at its next use of the session. So nothing uses the
    session between `make` and the note of its id.
    """
    recent: list[Made] = st.session_state.setdefault(f"made-{kind}", [])
    recent[:] = [one for one in recent if time.monotonic() - one.time < SECOND_CLICK_SECONDS]
    for one in recent:
        if one.asked == asked and holds(one.id):
            return one.id
    made = make()
    recent.append(Made(asked, made, time.monotonic()))
    return made


def stopped(jobs: Jobs[RequestT, ViewT], owner: str, job_id: str) -> bool:
    """Return whether a job was cancelled or deleted: a new order for it is meant."""
    status = jobs.status(job_id, owner)
    return status is None or status.state is State.CANCELLED
