"""List the knowledge stores to be searched, with their number of documents."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.documents.knowledge_store import StoreSize, measure_store
from core.errors import BadInput
from core.files import expanded
from core.wording import counted, readable_name, size_words
from pages.ui.claim_form.typed_request import chosen_stores
from pages.ui.notices import notice, quiet


def store_list(written: str) -> None:
    """List the stores that are written in the form, or name the fault of one."""
    if not written.strip():
        return
    try:
        paths = chosen_stores(written)
        sizes = {path: measured(path, expanded(Path(path)).stat().st_mtime) for path in paths}
    except (BadInput, OSError) as error:
        notice(str(error) if isinstance(error, BadInput) else f"{error.filename}: nothing is stored there.")
        return
    with st.expander(f"To be searched: {in_all(sizes)}", icon=":material/list:", key="verify-stores"):
        for path, size in sizes.items():
            quiet(f"{readable_name(Path(path).name)}: {size_in_words(size)}")
        quiet("Their titles and dates are read with them: the case lists each, and those left out.")


@st.cache_data(show_spinner="Counting the documents of the store", max_entries=16)
def measured(path: str, changed: float) -> StoreSize:
    """Return how large a store is, counted once for each version of it."""
    return measure_store(Path(path))


def in_all(sizes: dict[str, StoreSize]) -> str:
    records = [size.records for size in sizes.values() if size.records is not None]
    stores = counted(len(sizes), "store")
    return f"{stores} with {counted(sum(records), 'document')}" if len(records) == len(sizes) else stores


def size_in_words(size: StoreSize) -> str:
    """Return how many documents in how many files, and how large."""
    documents = "too many documents to count" if size.records is None else counted(size.records, "document")
    files = f" in {size.files:,} files" if size.files > 1 else ""
    return f"{documents}{files}, {size_words(size.size)}"
