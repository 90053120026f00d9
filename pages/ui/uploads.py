"""An uploaded file, read once for as long as it stays in its form."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

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
