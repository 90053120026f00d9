"""Ask where the evidence of a claim comes from: the person's documents, a search or an example."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st

from core.archive.catalogue import own_archives
from core.documents.examples import examples
from core.documents.knowledge_store import StoreSize, measure_store
from core.errors import BadInput
from core.files import expanded
from core.wording import counted, readable_name, size_words
from pages.ui.archives import archive_field
from pages.ui.claim_form import claim_draft
from pages.ui.claim_form.claim_draft import (
    ADDRESSES,
    ARCHIVE,
    COLLECTION,
    DOCUMENTS,
    DOORS,
    EXAMPLE,
    FILES,
    PLACES,
    SEARCH,
    STORE,
    addresses,
    current,
    field,
    fill,
    malformed,
    use_example,
)
from pages.ui.claim_form.collection_fields import collection_field
from pages.ui.claim_form.file_fields import file_fields
from pages.ui.claim_form.search_fields import search_fields
from pages.ui.claim_form.source_list import source_list
from pages.ui.claim_form.typed_request import chosen_stores
from pages.ui.claim_form.uploads import add_uploads
from pages.ui.markup import plain
from pages.ui.notices import attempt_button, notice, notices, quiet, reading_toast

DOOR = "verify-door"
CAPTIONS = (
    "Files, web addresses, or documents kept here",
    "Encyclopaedias, news or the web. You see every request first",
    "Five claims with their documents",
)


def evidence_fields() -> None:
    """Show the three doors, and the fields behind the open one."""
    st.session_state[DOOR] = claim_draft.door()
    st.radio(
        "Where does the evidence come from?",
        list(DOORS),
        captions=CAPTIONS,
        horizontal=True,
        key=DOOR,
        on_change=open_door,
        width="stretch",
    )
    if claim_draft.door() == DOCUMENTS:
        st.segmented_control(
            "Which documents?",
            DOORS[DOCUMENTS],
            key=field("where"),
            required=True,
            persist_state="session",
            label_visibility="collapsed",
        )
        fill({"kind": current()["where"]})
    where = current()["where"]
    # One container of its own for each, so that fields of one kind never take over those of another.
    with st.container(key=f"vd-where-{PLACES.index(where)}"):
        FIELDS[where]()


def open_door() -> None:
    """Open the door that was chosen; in a callback."""
    claim_draft.open_door(st.session_state[DOOR])


def example_field() -> None:
    offered = {example.id: example for example in examples()}
    chosen = st.radio(
        "Begin with one of these claims",
        list(offered),
        format_func=lambda example_id: plain(offered[example_id].claim.text),
        key=field("example"),
        index=None,
        on_change=take_example,
        persist_state="session",
    )
    if chosen:
        quiet(f"{counted(len(offered[chosen].documents), 'document')}. {offered[chosen].note}")
        source_list(offered[chosen].documents)


def take_example() -> None:
    """Put the example's claim into the form."""
    chosen = st.session_state[field("example")]
    for example in examples():
        if example.id == chosen:
            use_example(example)


def address_field() -> None:
    written = st.text_area(
        "Web addresses, one per line",
        key=field("urls"),
        persist_state="session",
        height=100,
        placeholder="https://www.example.org/article",
        help="Pages are fetched by this machine when the search begins. Addresses inside your network are refused.",
    )
    if problems := malformed(written):
        notices(problems)
    elif attempt_button(
        "Read these pages now",
        read_pages,
        type="tertiary",
        icon="download",
        disabled=not written.strip(),
        help="See their titles and dates, and leave some out, before the search. They then appear under My files.",
        key="read-pages",
    ):
        st.rerun()


def read_pages() -> None:
    """Fetch the pages and take them in as documents. Raises BadInput if none could be read."""
    from core.documents.web import fetch_all  # loading the HTTP client takes a tenth of a second

    asked = addresses(st.session_state[field("urls")])
    with reading_toast(len(asked), "page"):
        found = fetch_all(asked)
    add_uploads([(document.url, (document,)) for document in found.documents])
    st.session_state["verify-problems"] = list(found.problems)
    claim_draft.fill({"where": FILES})


def store_fields() -> None:
    written = st.text_area(
        "Where they are stored on this machine, one path per line",
        key=field("store"),
        persist_state="session",
        height=75,
        placeholder="/data/stores/123.jsonl",
        help="A knowledge store: a JSONL file of {url, url2text}, or a folder of such files, on the machine that runs "
        "Veridesk.",
    )
    store_list(written)
    st.checkbox(
        "Keep the index for the next search",
        key=field("keep"),
        persist_state="session",
        help="The next search in the same store starts at once. Kept stores are listed under Settings.",
    )


def archive_fields() -> None:
    if entry := archive_field(field("archive")):
        held = own_archives().open(entry.id).stats()
        quiet(f"{counted(held.documents, 'document')}. The claim is checked against the versions of its day.")


FIELDS: dict[str, Callable[[], None]] = {
    SEARCH: partial(search_fields, field("")),
    EXAMPLE: example_field,
    FILES: file_fields,
    COLLECTION: collection_field,
    ADDRESSES: address_field,
    STORE: store_fields,
    ARCHIVE: archive_fields,
}


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
