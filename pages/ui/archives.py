"""The archives that the person at the page may read, and the choice of one."""

from __future__ import annotations

import streamlit as st

from core.archive.catalogue import own_archives
from core.archive.types import ArchiveEntry
from core.errors import BadInput
from core.wording import readable_name
from pages.ui.notices import quiet
from pages.ui.owner import owner


def readable_archives() -> dict[str, ArchiveEntry]:
    """Return the visitor's archives by id. Raises StoreError."""
    return {one.id: one for one in own_archives().of(owner() or "")}


def chosen_archive(archive_id: str | None) -> ArchiveEntry:
    """Return the archive of this id. Raises BadInput if it is not there, or not the visitor's to read."""
    found = readable_archives().get(archive_id or "")
    if found is None:
        raise BadInput("Choose an archive, or another place where the evidence comes from.")
    return found


def archive_field(key: str) -> ArchiveEntry | None:
    """Show the choice of an archive; return None where there is none."""
    offered = readable_archives()
    if st.session_state.get(key) not in offered:
        st.session_state[key] = next(iter(offered), None)
    if not offered:
        quiet("No archive yet. Make one on the page Archive, and add documents to it.")
        return None
    chosen = st.selectbox(
        "Archive",
        list(offered),
        format_func=lambda one: readable_name(offered[one].name) if one in offered else one,
        key=key,
        persist_state="session",
        help="Of an archive the documents nearest to the claim are read, in the versions of the claim’s day.",
    )
    return offered[chosen]
