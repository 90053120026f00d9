"""Ask where the evidence of a claim comes from: the person's documents, a search or an example."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from core.archive.catalogue import own_archives
from core.documents.examples import examples
from core.wording import counted
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
    current,
    field,
    fill,
    use_example,
)
from pages.ui.claim_form.collection_fields import collection_field
from pages.ui.claim_form.file_fields import file_fields
from pages.ui.claim_form.lines import addresses, malformed
from pages.ui.claim_form.search_fields import search_fields
from pages.ui.claim_form.source_list import source_list
from pages.ui.claim_form.store_list import store_list
from pages.ui.claim_form.uploads import add_uploads
from pages.ui.markup import plain
from pages.ui.notices import attempt, notices, quiet, reading_toast

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
    elif st.button(
        "Read these pages now",
        type="tertiary",
        icon=":material/download:",
        disabled=not written.strip(),
        help="See their titles and dates, and leave some out, before the search. They then appear under My files.",
        on_click=attempt,
        args=(read_pages,),
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
