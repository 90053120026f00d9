"""Find the collections of the person at the page, and open one."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.documents.collections import Collection, Collections
from core.documents.examples import examples
from core.documents.knowledge_store import load_store
from core.errors import BadInput
from core.settings import settings
from core.types import Document
from pages.ui.owner import owner

EXAMPLES = "Documents of the examples"


def collections() -> Collections:
    return Collections(settings().collections)


def mine() -> dict[str, Collection]:
    """Return the visitor's collections, by id."""
    return {one.id: one for one in collections().of(owner() or "")}


def chosen_collection(collection_id: str | None) -> Collection:
    """Return the collection of this id. Raises BadInput if it is not there, or another's."""
    found = collections().find(collection_id or "", owner() or "")
    if found is None:
        raise BadInput("Choose a collection, or another place where the evidence comes from.")
    return found


def example_collection() -> Collection:
    """Return the documents of the examples as the visitor's collection, made on the first use."""
    known = next((one for one in mine().values() if one.name == EXAMPLES), None)
    documents = [document for one in examples() for document in one.documents]
    return known or collections().keep(owner() or "", EXAMPLES, documents)


def documents_of(collection: Collection) -> tuple[Document, ...]:
    return documents_at(str(collections().path(collection)))


@st.cache_resource(show_spinner="Opening the collection", max_entries=4)
def documents_at(path: str) -> tuple[Document, ...]:
    """Return a collection's documents. They never change, so they are cached."""
    return load_store(Path(path)).documents
