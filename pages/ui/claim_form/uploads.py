"""Keep the documents of uploaded files: read once, and kept over page changes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, count

import streamlit as st

from core.errors import BadInput
from core.types import Document

MAX_TEXT = 30_000_000
"""Characters of uploaded text that one session keeps in memory."""

Uploads = dict[str, tuple[Document, ...]]
"""The documents of each uploaded file, by its name."""


def uploads() -> Uploads:
    kept: Uploads = st.session_state.setdefault("verify-uploads", {})
    return kept


def add_uploads(found: Sequence[tuple[str, tuple[Document, ...]]]) -> None:
    """Keep the documents of files, given by name; of two files of one name the second gets a number.

    Raises BadInput if they are more text than a session may hold.
    """
    held = dict(uploads())
    for name, documents in found:
        names = chain([name], (f"{name} ({number})" for number in count(2)))
        held[next(free for free in names if held.get(free, documents) == documents)] = documents
    size = sum(len(document.text) for documents in held.values() for document in documents)
    if size > MAX_TEXT:
        raise BadInput(
            f"The files have {size:,} characters of text. The limit is {MAX_TEXT:,}. Remove some files, or keep them "
            "as a knowledge store. Then give its path under Stored documents."
        )
    uploads().update(held)


def drop_upload(name: str) -> None:
    uploads().pop(name, None)
