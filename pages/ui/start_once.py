"""A job that two clicks on its button start once."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from core.jobs.jobs import Jobs
from core.jobs.kinds import RequestT, ViewT
from core.jobs.types import State

SECOND_CLICK_SECONDS = 5.0
"""The same request within this time is the second click of two."""


@dataclass(frozen=True)
class Started:
    """A job that a session has just started, the order for it, and the monotonic time."""

    asked: object
    job_id: str
    time: float


def start_once(
    jobs: Jobs[RequestT, ViewT], owner: str, request: RequestT, files: Mapping[str, bytes] | None = None
) -> str:
    """Start a job and return its id; a second click returns the id of the first one's job. Raises as `Jobs.start`.

    After a second click, Streamlit ends the run of the first at its next use of the session. So nothing uses the
    session between the start and the note of it.
    """
    recent: list[Started] = st.session_state.setdefault(f"started-{jobs.kind.name}", [])
    recent[:] = [one for one in recent if time.monotonic() - one.time < SECOND_CLICK_SECONDS]
    asked = owner, request, {name: hash(content) for name, content in (files or {}).items()}
    for one in recent:
        if one.asked == asked and not stopped(jobs, owner, one.job_id):
            return one.job_id
    job_id = jobs.start(owner, request, files)
    recent.append(Started(asked, job_id, time.monotonic()))
    return job_id


def stopped(jobs: Jobs[RequestT, ViewT], owner: str, job_id: str) -> bool:
    """Return whether a job was cancelled or deleted: a new order for it is meant."""
    status = jobs.status(job_id, owner)
    return status is None or status.state is State.CANCELLED
