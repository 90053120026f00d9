"""The consent that a page shows, as it comes back with the press of a button."""

from __future__ import annotations

import streamlit as st

KEY = "on-screen"


def put_on_screen(digest: str) -> None:
    """Tell the browser which consent the page shows.

    A hidden field holds its digest. The browser sends each field with each press, with the value that it has drawn. So
    a press made before a change was drawn brings the digest from before the change.
    """
    st.session_state[KEY] = digest
    with st.container(key="vd-on-screen"):
        st.text_input("Digest of the requests that leave this machine", key=KEY, label_visibility="collapsed")


def on_screen() -> str:
    """Return the digest of the consent that was on the screen when a button was pressed."""
    return str(st.session_state.get(KEY, ""))
