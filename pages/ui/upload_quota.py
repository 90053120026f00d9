"""How much of uploaded files a server holds in memory: of one visitor, and of all. Streamlit bounds each file only."""

from __future__ import annotations

import threading

from starlette.exceptions import HTTPException
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileManager, UploadedFileRec

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
