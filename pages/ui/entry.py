"""The way into a page leads through app.py."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager


def through_app() -> None:
    """Begin again with app.py if this page was run without it; to be called first on every page.

    A page by itself has no style, no owner and no other pages.
    """
    if PagesManager.uses_pages_directory:
        to_app()


def to_app() -> None:
    """Begin again with app.py: the whole of a file like pages/0_rate.py.

    A new server has not seen `st.navigation` yet and takes these files for its navigation. They give it an address for
    each page. Without them the first visitor by a link reads "Page not found". They ask for no flag, because another
    visitor's run may just have changed it.
    """
    PagesManager.uses_pages_directory = False
    st.rerun()
