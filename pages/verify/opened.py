"""The case that a session looks at, read from its receipt once and not on every rerun."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.errors import VerideskError
from core.interfaces import ModelIdentity
from core.jobs import Job
from core.models.cards import card_for
from core.types import Case
from core.verification.receipt import receipt_from_json
from core.verification.recipes.catalogue import DEFAULT
from core.verification.request import Request
from core.verification.verdict.head import load_head
from core.verification.verdict.judges import FITTED_HEAD
from pages.verify.documents import evidence_csv


@dataclass(frozen=True)
class Opened:
    """A finished case with the files that it can be downloaded as."""

    id: str
    request: Request
    case: Case
    llm: ModelIdentity
    receipt: bytes
    table: bytes


def opened(stored: Job) -> Opened:
    """Return a finished case. Raises BadRecord if its receipt was written by another version."""
    kept = st.session_state.get("opened")
    if isinstance(kept, Opened) and kept.id == stored.id:
        return kept
    assert stored.result is not None  # asked for finished cases only
    request, case, llm, _ = receipt_from_json(stored.result)
    receipt = json.dumps(stored.result, indent=1, ensure_ascii=False).encode("utf-8", "replace")
    found = Opened(stored.id, request, case, llm, receipt, evidence_csv(case))
    st.session_state["opened"] = found
    return found


def measured(found: Opened) -> Mapping[str, Any] | None:
    """Return what is known of the worth of the judge that decided, None if nobody measured it."""
    verdict = found.case.verdict
    try:
        if verdict and verdict.judge == FITTED_HEAD:
            return load_head(DEFAULT).measured
        if verdict and verdict.judge == found.llm.name:
            return card_for(found.llm.digest, name=found.llm.name).measured
    except VerideskError:
        return None
    return None
