"""Choose the documents of a batch: a ZIP or a folder of stores, or one collection for all claims."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.archive.types import ArchiveEntry
from core.batch.types import stores_from_zip, without_store
from core.documents.archive import unpacked
from core.documents.collections import Collection
from core.errors import VerideskError
from core.wording import counted, readable_name
from pages.ui.archives import archive_field
from pages.ui.collections import mine
from pages.ui.notices import notice, quiet
from pages.ui.server_paths import checked_path

ZIP, PATH, COLLECTION, ARCHIVE = "A ZIP of stores", "A folder on this machine", "A collection", "An archive"
NAMED = 8
"""The most claims without a store to name."""

Given = Path | dict[str, bytes] | Collection | ArchiveEntry
"""The claims' documents: a folder, the files of a ZIP by name, or one collection or archive for all."""


def stores_field(ids: list[str]) -> Given | None:
    """Show the choice of documents; return it, or None without documents."""
    where = st.segmented_control(
        "Documents of each claim",
        [ZIP, PATH, COLLECTION, ARCHIVE],
        required=True,
        key="batch-where",
        persist_state="session",
    )
    if where == COLLECTION:
        return collection_field()
    if where == ARCHIVE:
        return archive_field("batch-archive")
    try:
        found = stores_in_zip(ids) if where == ZIP else stores_in_folder()
    except VerideskError as error:
        notice(str(error))
        return None
    if found is None or not ids:
        return found
    missing = without_store(ids, {path.name for path in found.iterdir()} if isinstance(found, Path) else found)
    if len(missing) == len(ids):
        notice(f"No claim has a store there. A file must be called, for example, {ids[0]}.json or {ids[0]}.jsonl.")
        return None
    if missing:
        more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
        named = f"{', '.join(missing[:NAMED])}{more}"
        they = "It" if len(missing) == 1 else "They"
        notice(f"No store for {counted(len(missing), 'claim')}: {named}. {they} will fail.")
    return found


def collection_field() -> Collection | None:
    """Show the choice of a collection, which is searched for every claim."""
    offered = mine()
    if not offered:
        quiet("No collection yet. On Verify, add files under My files and keep them as a collection.")
        return None
    if st.session_state.get("batch-collection") not in offered:
        st.session_state["batch-collection"] = next(iter(offered))
    chosen = st.selectbox(
        "Collection",
        list(offered),
        format_func=lambda one: readable_name(offered[one].name) if one in offered else one,
        key="batch-collection",
        persist_state="session",
    )
    quiet(f"{counted(offered[chosen].documents, 'document')}, used for every claim and indexed once.")
    return offered[chosen]


def stores_in_zip(ids: list[str]) -> dict[str, bytes] | None:
    file = st.file_uploader(
        "ZIP",
        type=["zip"],
        key="batch-stores",
        help="A file ID.json or ID.jsonl for each claim, in any folder: JSON lines of {url, url2text}. "
        "50 MB at most; more goes as a folder.",
    )
    if file is None:
        return None
    kept = st.session_state.get("batch-stores-read")
    if kept and kept[:2] == (file.file_id, ids):
        read: dict[str, bytes] = kept[2]
        return read
    read = stores_from_zip(unpacked(file.name, file.getvalue()), ids)
    st.session_state["batch-stores-read"] = (file.file_id, ids, read)
    return read


def stores_in_folder() -> Path | None:
    written = st.text_input(
        "Folder of stores",
        key="batch-folder",
        persist_state="session",
        placeholder="/data/knowledge_store",
        help="A folder on the machine that runs Veridesk, with ID.json or ID.jsonl for each claim.",
    )
    return checked_path(written, folder=True) if written.strip() else None
