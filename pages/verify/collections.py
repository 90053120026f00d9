"""Collections on the form of Verify: files are kept as one, and one is chosen to be searched."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.documents.collections import MAX_NAME, Collection, Collections
from core.documents.knowledge_store import load_store
from core.errors import BadInput
from core.settings import settings
from core.types import Document
from core.verification.reading import each_once
from core.wording import readable_name
from pages.ui.notices import attempt, quiet
from pages.ui.owner import owner
from pages.verify import draft
from pages.verify.source_list import source_list, with_own_date
from pages.verify.uploads import uploads

NAME = "verify-collection-name"


def collections() -> Collections:
    return Collections(settings().collections)


def mine() -> dict[str, Collection]:
    """Return the collections of whoever is there, by id."""
    return {one.id: one for one in collections().of(owner() or "")}


def collection_field() -> None:
    """Show the choice of a collection and what is in it."""
    offered = mine()
    key = draft.field("collection")
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
            st.button("Rename", on_click=attempt, args=(rename, collection))
            quiet("Cases that searched it keep what they found.")
            st.button("Delete this collection", on_click=attempt, args=(collections().delete, collection))


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
        st.button("Keep", on_click=attempt, args=(keep,))


def keep() -> None:
    """Keep the files of the form as a collection, with their dates as corrected, and choose it. Raises BadInput."""
    documents = each_once(with_own_date(document) for found in uploads().values() for document in found)
    made = collections().keep(owner() or "", st.session_state[NAME], documents)
    uploads().clear()
    draft.fill({"where": draft.COLLECTION, "collection": made.id})


def chosen_collection(collection_id: str | None) -> Collection:
    """Return the collection of this id. Raises BadInput if it is not there, or another's."""
    found = collections().find(collection_id or "", owner() or "")
    if found is None:
        raise BadInput("Choose a collection, or another place where the evidence comes from.")
    return found


def documents_of(collection: Collection) -> tuple[Document, ...]:
    return documents_at(str(collections().path(collection)))


@st.cache_resource(show_spinner="Opening the collection", max_entries=4)
def documents_at(path: str) -> tuple[Document, ...]:
    """Return the documents of a collection, which never change, read once for as long as it is looked at."""
    return load_store(Path(path)).documents
