"""The case that a session looks at, read from its receipt once and not on every rerun."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.interfaces import ModelIdentity
from core.jobs.types import Job
from core.types import Case
from core.verification.receipt import Json, receipt_from_json
from core.verification.request import Request


@dataclass(frozen=True)
class OpenedCase:
    """A finished case and its receipt."""

    id: str
    request: Request
    case: Case
    llm: ModelIdentity
    receipt: Json


def opened(stored: Job) -> OpenedCase:
    """Return a finished case. Raises BadRecord if its receipt was written by another version."""
    kept = st.session_state.get("opened")
    if isinstance(kept, OpenedCase) and kept.id == stored.id:
        return kept
    assert stored.result is not None  # asked for finished cases only
    request, case, llm, _ = receipt_from_json(stored.result)
    found = OpenedCase(stored.id, request, case, llm, stored.result)
    st.session_state["opened"] = found
    return found
