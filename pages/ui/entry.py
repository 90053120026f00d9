"""The way into a page leads through app.py."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager


def through_app() -> None:
    """Begin again with app.py if this page was run without it; to be called first on every page.

    A new server has not seen `st.navigation` yet and takes the files of the folder pages/ for its navigation. Files
    like pages/0_rate.py give it an address for each page. They only call this function. Without them the first visitor
    by a link reads "Page not found". A page by itself has no style, no owner and no other pages.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()
