"""The claims that a store is to be built for."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.averitec.averitec import holds_gold
from core.documents.examples import examples_json
from core.errors import VerideskError
from core.search.stores.claims import StoreClaim, parse_store_claims
from core.wording import counted
from pages.ui.notices import quiet
from pages.ui.uploads import read_once

EXAMPLE = "build-example"
"""The session's key of the choice of the bundled claims."""


@dataclass(frozen=True)
class Uploaded:
    """A file of claims; `annotated` says that queries may be made from gold questions, answers and documents."""

    name: str
    content: bytes
    claims: tuple[StoreClaim, ...]
    annotated: bool


def claims_field() -> Uploaded | None:
    """Show the uploader and return the claims of a file or of the examples; None without a readable file."""
    file = st.file_uploader(
        "Claims",
        type=["json", "jsonl", "csv"],
        key="build-claims",
        max_upload_size=50,
        help="AVeriTeC JSON or JSON lines, or the leaderboard's CSV. Each claim's date excludes later pages. With "
        "annotated questions and answers, all thirteen kinds of query can be used.",
    )
    if file is None:
        st.toggle("Use the claims of the examples", key=EXAMPLE, persist_state="session")
        if not st.session_state[EXAMPLE]:
            return None
        st.code(examples_json().decode(), language=None, wrap_lines=True, height=120)
        uploaded: Uploaded | None = read("examples.json", examples_json())
    else:
        uploaded = read_once(file, read, key="build-claims-read")
    if uploaded:
        say(uploaded)
    return uploaded


def read(name: str, content: bytes) -> Uploaded:
    """Return a file's contents. Raises BadInput or BadRecord, with a sentence on its fault."""
    rows = parse_store_claims(name, content, claim_only=True)
    annotated = bool(rows) and gold_in(name, content)
    claims = parse_store_claims(name, content, claim_only=False) if annotated else rows
    return Uploaded(name, content, tuple(claims), annotated and any(claim.material.questions for claim in claims))


def gold_in(name: str, content: bytes) -> bool:
    try:
        return holds_gold(name, content)
    except VerideskError:  # claims without labels, as of a test set
        return False


def say(uploaded: Uploaded) -> None:
    undated = sum(claim.claim.date is None for claim in uploaded.claims)
    dates = f"; {counted(undated, 'claim')} without a date, for which pages of any date are taken" if undated else ""
    gold = "annotated: gold documents are added" if uploaded.annotated else "without annotations"
    quiet(f"{counted(len(uploaded.claims), 'claim')}, {gold}{dates}.")
