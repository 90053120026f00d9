"""The form of Verify: a claim, where its evidence comes from, and settings that stay out of the way."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from core.documents.examples import examples
from core.errors import VerideskError
from core.models.installed import available_models, default_choice
from core.wording import counted
from pages.ui.evidence import day
from pages.ui.markup import plain
from pages.ui.notices import attempt, notice, notices, quiet, reading_toast
from pages.verify import draft
from pages.verify.collections import collection_field
from pages.verify.draft import (
    ADDRESSES,
    COLLECTION,
    EXAMPLE,
    FILES,
    PLACES,
    SEARCH,
    STORE,
    field,
    leave_example,
    use_example,
)
from pages.verify.file_fields import file_fields
from pages.verify.lines import addresses, malformed
from pages.verify.recipe_form import recipe_field, training_field
from pages.verify.search.fields import search_fields
from pages.verify.source_list import source_list
from pages.verify.store_list import store_list
from pages.verify.uploads import add_uploads


def claim_fields() -> None:
    st.text_area(
        "Claim",
        key=field("text"),
        persist_state="session",
        height=110,
        on_change=leave_example,
        label_visibility="collapsed",
        placeholder="Write or paste one statement that can be true or false",
        help="One statement that can be true or false. Several statements: check them one by one.",
    )
    with st.expander("More about the claim", icon=":material/edit_note:"):
        left, right = st.columns(2)
        left.text_input("Who said it", key=field("speaker"), persist_state="session")
        right.date_input(
            "When it was said",
            key=field("date"),
            persist_state="session",
            min_value="1900-01-01",
            format="YYYY-MM-DD",
            help="Documents published later are left out: they could know how it ended.",
        )
        left.text_input("Where it appeared", key=field("source"), persist_state="session")
        right.text_input("Place it is about", key=field("place"), persist_state="session")
    said = st.session_state[field("date")]
    if said:
        # The fields above are usually folded away, and a date left there decides what is searched.
        quiet(f"Said on {day(said)}: documents published later are left out, unless the settings say otherwise.")


def evidence_fields() -> None:
    where = st.segmented_control(
        "Where the evidence comes from",
        PLACES,
        key=field("where"),
        required=True,
        persist_state="session",
    )
    # One container of its own for each, so that fields of one kind never take over those of another.
    with st.container(key=f"vd-where-{PLACES.index(where or EXAMPLE)}"):
        FIELDS[where or EXAMPLE]()


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
        "Web addresses, one a line",
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
        help="To see their titles and dates, and to leave some out, before the search. They then stand under My files.",
        on_click=attempt,
        args=(read_pages,),
    ):
        st.rerun()


def read_pages() -> None:
    """Fetch the pages and take them in as documents. Raises BadInput if none could be read."""
    from core.documents.web import fetch_all  # an HTTP client, which takes a tenth of a second

    asked = addresses(st.session_state[field("urls")])
    with reading_toast(len(asked), "page"):
        found = fetch_all(asked)
    add_uploads([(document.url, (document,)) for document in found.documents])
    st.session_state["verify-problems"] = list(found.problems)
    draft.fill({"where": FILES})


def store_fields() -> None:
    written = st.text_area(
        "Where they are stored on this machine, one path a line",
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


FIELDS: dict[str, Callable[[], None]] = {
    SEARCH: partial(search_fields, field("")),
    EXAMPLE: example_field,
    FILES: file_fields,
    COLLECTION: collection_field,
    ADDRESSES: address_field,
    STORE: store_fields,
}


def settings_fields() -> None:
    with st.expander("Settings", icon=":material/tune:"):
        recipe_field()
        model_field()
        training_field(field("training"))
        st.toggle(
            "Also search documents published after the claim",
            key=field("late"),
            persist_state="session",
            help="They may report the outcome, so a check that uses them is not one that could be made at the time.",
        )
        st.number_input(
            "Sentences a passage",
            key=field("sentences"),
            persist_state="session",
            min_value=1,
            max_value=10,
            step=1,
            help="Documents are searched in windows of so many sentences: fewer find single facts, more keep context.",
        )
        st.number_input(
            "Seed", key=field("seed"), persist_state="session", min_value=0, step=1, help="The same seed repeats a run."
        )


def model_field() -> None:
    names = {choice.id: choice.name for choice in available_models()}
    if st.session_state.get(field("model")) not in names:
        try:
            st.session_state[field("model")] = default_choice().id
        except VerideskError as error:
            notice(str(error))
            st.session_state[field("model")] = next(iter(names))
    st.selectbox(
        "Language model",
        list(names),
        format_func=lambda choice: names.get(choice, choice),
        key=field("model"),
        persist_state="session",
        help="Writes the questions. Add models on the page Models.",
    )
