"""Read the claims of a batch from a file, from the page or from the examples."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from core.archive.types import ArchiveEntry
from core.batch.batch_job import BatchRequest
from core.batch.types import read_claims_file
from core.documents.collections import Collection
from core.documents.examples import examples, examples_json
from core.verification.recipes.catalogue import DEFAULT
from core.wording import counted
from pages.batch.stores import COLLECTION, ZIP, Given
from pages.ui.collections import collections
from pages.ui.markup import readable
from pages.ui.notices import notice, quiet
from pages.ui.uploads import read_once

FILE, WRITTEN = "A file", "Written here"
MAX_WRITTEN = 500
"""The most claims to write on the page; a file may have more."""


@dataclass(frozen=True)
class Ready:
    """The input of a batch: the plan, the file of claims and its stores."""

    asked: BatchRequest
    claims: bytes
    stores: dict[str, bytes]


def take_collection() -> None:
    """Choose the collection named in the address, once, before drawing the form."""
    for key, first in (("batch-claims-as", FILE), ("batch-where", ZIP)):
        st.session_state.setdefault(key, first)
    if named := st.query_params.get("collection"):
        st.session_state.update({"batch-where": COLLECTION, "batch-claims-as": WRITTEN, "batch-collection": named})
        del st.query_params["collection"]


def claims_field() -> Ready | None:
    """Show the choice of claims; return them, or None without readable ones."""
    come_as = st.segmented_control(
        "Claims", [FILE, WRITTEN], required=True, key="batch-claims-as", persist_state="session"
    )
    return claims_written() if come_as == WRITTEN else claims_in_file()


def claims_written() -> Ready | None:
    written = st.text_area(
        "Claims, one per line",
        key="batch-written",
        persist_state="session",
        height=150,
        placeholder="One claim per line",
    )
    texts = list(dict.fromkeys(line for text in written.splitlines() if (line := " ".join(readable(text).split()))))
    if len(texts) > MAX_WRITTEN:
        notice(f"{len(texts):,} claims are too many to write here: the limit is {MAX_WRITTEN}. Bring them as a file.")
        return None
    if not texts:
        return None
    quiet(f"{counted(len(texts), 'claim')}.")
    return claims_of(texts)


def claims_of(texts: list[str]) -> Ready:
    """Return claims as a batch, numbered from 1."""
    rows = [{"claim_id": number, "claim": text} for number, text in enumerate(texts, start=1)]
    ids = tuple(str(row["claim_id"]) for row in rows)
    asked = BatchRequest("claims.json", ids, False, DEFAULT, "bundled", title=counted(len(texts), "claim"))
    return Ready(asked, json.dumps(rows).encode(), {})


def claims_in_file() -> Ready | None:
    """Show the uploader of the claims; return the file's contents, or None without a readable file."""
    file = st.file_uploader(
        "File of claims",
        type=["json", "jsonl", "csv"],
        key="batch-claims",
        max_upload_size=50,
        help="AVeriTeC JSON or JSON lines, or the leaderboard's CSV; labels are optional and ignored.",
    )
    if file is None:
        return None
    ready = read_once(file, batch_of, key="batch-claims-read")
    if ready:
        annotated = "annotated: the result can be scored" if ready.asked.gold else "without annotations"
        quiet(f"{counted(len(ready.asked.ids), 'claim')}, {annotated}.")
    return ready


def batch_of(name: str, content: bytes) -> Ready:
    """Return a file of claims as a batch. Raises BadInput or BadRecord with a sentence on its error."""
    claims, gold = read_claims_file(name, content)
    ids = tuple(claim.id for claim in claims)
    kept_name = f"claims{Path(name).suffix.lower()}"
    return Ready(BatchRequest(kept_name, ids, gold, DEFAULT, "bundled", title=readable(name)), content, {})


def example() -> Ready:
    """Return the bundled examples as a batch."""
    offered = examples()
    stores = {
        f"{one.id}.json": "".join(
            json.dumps({"url": item.url, "title": item.title, "url2text": item.text.split("\n")}) + "\n"
            for item in one.documents
        ).encode()
        for one in offered
    }
    asked = BatchRequest(
        "claims.json", tuple(one.id for one in offered), False, DEFAULT, "bundled", title="Bundled examples"
    )
    return Ready(asked, examples_json(), stores)


def with_documents(ready: Ready, given: Given) -> Ready:
    if isinstance(given, Collection | ArchiveEntry):
        place = given.address if isinstance(given, ArchiveEntry) else str(collections().path(given))
        extra = (place, *ready.asked.extra)
        title = f"{ready.asked.title}, against {given.name}"
        return replace(ready, asked=replace(ready.asked, extra=extra, collection=given.name, title=title))
    if isinstance(given, Path):
        return replace(ready, asked=replace(ready.asked, stores=str(given)))
    return replace(ready, stores=given)
