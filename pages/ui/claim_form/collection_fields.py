"""Keep the form's files as a collection, and choose a collection to search."""

from __future__ import annotations

import streamlit as st

from core.documents.collections import MAX_NAME, Collection
from core.verification.reading import each_once
from core.wording import readable_name
from pages.ui.claim_form import claim_draft
from pages.ui.claim_form.source_list import source_list, with_own_date
from pages.ui.claim_form.uploads import uploads
from pages.ui.collections import collections, documents_of, mine
from pages.ui.notices import attempt_button, quiet
from pages.ui.owner import owner

NAME = "verify-collection-name"


def collection_field() -> None:
    """Show the choice of a collection and its contents."""
    offered = mine()
    key = claim_draft.field("collection")
    if st.session_state.get(key) not in offered:
        st.session_state[key] = next(iter(offered), None)
    if not offered:
        quiet("No collection yet. Add files under My files, and keep them there as a collection: they are read once.")
        return
    chosen = st.selectbox(
        "Collection",
        list(offered),
        format_func=lambda one: readable_name(offered[one].name) if one in offered else one,
        key=key,
        persist_state="session",
        help="Documents that you keep under a name. They are indexed once, and searched for many claims.",
    )
    collection = offered[chosen]
    source_list(documents_of(collection))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link(
            "pages/batch/page.py",
            label="Check a list of claims against it",
            icon=":material/playlist_play:",
            query_params={"collection": collection.id},
        )
        with st.popover("Rename or delete", icon=":material/edit:", type="tertiary"):
            st.text_input("Name of the collection", collection.name, max_chars=MAX_NAME, key=name_field(collection))
            attempt_button("Rename", rename, collection, key="collection-rename")
            quiet("Cases that used this collection keep their findings.")
            attempt_button("Delete this collection", collections().delete, collection, key="collection-delete")


def name_field(collection: Collection) -> str:
    return f"name-{collection.id}"


def rename(collection: Collection) -> None:
    collections().rename(collection, st.session_state[name_field(collection)])


def keep_field() -> None:
    """Offer to keep the files of the form as a collection."""
    if not uploads() or not owner():
        return
    with st.popover("Keep as a collection", icon=":material/folder_special:"):
        st.text_input("Name of the collection", max_chars=MAX_NAME, key=NAME)
        quiet("The documents stay on this server, for you alone, until you delete the collection.")
        attempt_button("Keep", keep, key="collection-keep")


def keep() -> None:
    """Keep the files of the form as a collection, with their dates as corrected, and choose it. Raises BadInput."""
    documents = each_once(with_own_date(document) for found in uploads().values() for document in found)
    made = collections().keep(owner() or "", st.session_state[NAME], documents)
    uploads().clear()
    claim_draft.fill({"where": claim_draft.COLLECTION, "collection": made.id})
