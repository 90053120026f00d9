"""The way into a page leads through app.py."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager


def through_app() -> None:
    """Begin again with app.py if this page was run without it; to be called first on every page.

    A server that was just started has not seen `st.navigation` yet and takes the folder pages/ for its navigation.
    A link to one page then runs that file alone: without style, without an owner, without the other pages.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()
