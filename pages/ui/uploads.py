"""Uploaded files: each is read once, and their number of bytes in a server's memory is bounded."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

import streamlit as st
from starlette.exceptions import HTTPException
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileManager, UploadedFileRec

from core.errors import VerideskError
from pages.ui.notices import notice

Read = TypeVar("Read")


def read_once(file: UploadedFile, read: Callable[[str, bytes], Read], *, key: str) -> Read | None:
    """Return the result of `read` on the file's name and content, kept in the session under `key`.

    If the file cannot be read, show why and return None.
    """
    kept: tuple[str, Read] | None = st.session_state.get(key)
    if kept is None or kept[0] != file.file_id:
        try:
            kept = (file.file_id, read(file.name, file.getvalue()))
        except VerideskError as error:
            notice(str(error))
            return None
        st.session_state[key] = kept
    return kept[1]


MAX_OF_VISITOR = 300 * 2**20
"""Bytes of one open page; leaving it gives them back."""

MAX_IN_ALL = 2 * 2**30


def bound_uploads(files: UploadedFileManager) -> None:
    """Make the server refuse an upload that exceeds a bound. The uploader shows the refusal beside the file."""
    if not isinstance(files, MemoryUploadedFileManager):
        return
    add, turn = files.add_file, threading.Lock()

    def add_if_there_is_room(session_id: str, file: UploadedFileRec) -> None:
        with turn:
            check_room(files, session_id, file)
            add(session_id, file)

    files.add_file = add_if_there_is_room  # type: ignore[method-assign]


def check_room(files: MemoryUploadedFileManager, session_id: str, file: UploadedFileRec) -> None:
    """Raise the answer "too large" (413) if a file takes one visitor, or all visitors, over the bound."""
    held = {
        session: sum(len(one.data) for one in list(kept.values())) for session, kept in [*files.file_storage.items()]
    }
    size = len(file.data)
    if held.get(session_id, 0) + size > MAX_OF_VISITOR:
        raise HTTPException(413, f"Your files are more than {MAX_OF_VISITOR >> 20} MB together: remove some.")
    if sum(held.values()) + size > MAX_IN_ALL:
        raise HTTPException(413, "Too many files are being worked on here: try again in some minutes.")
