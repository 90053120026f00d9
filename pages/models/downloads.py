"""Show the downloads of this machine, which run in the background."""

from __future__ import annotations

import streamlit as st

from core.jobs.types import State
from core.models.download_job import Download
from pages.models.models import download_words
from pages.ui.app_state import app_state
from pages.ui.markup import plain
from pages.ui.notices import attempt, in_words, troubles


def downloads_live() -> bool:
    """Return whether a download waits or runs."""
    return any(download.state.live for download in app_state().downloads.all())


def show_downloads(were_live: bool) -> None:
    """Show the downloads; refresh every second if one was live when the page began."""
    st.fragment(in_words(_rows), run_every=1.0 if were_live else None)(were_live)


def _rows(were_live: bool) -> None:
    troubles()
    listed = app_state().downloads.all()
    if listed:
        st.subheader("Downloads")
    for download in listed:
        _row(download)
    if were_live != any(download.state.live for download in listed):
        st.rerun()  # the whole page, to list finished models and watch new downloads


def _row(download: Download) -> None:
    name = download.plan.name
    with st.container(border=True):
        st.markdown(f"**{plain(name)}**")
        share = min(download.received / download.plan.model.size, 1.0)
        st.progress(share, text=plain(download_words(download, app_state().jobs.ahead(download.job))))
        if download.sentence:
            st.caption(plain(download.sentence))
        with st.container(horizontal=True):
            _buttons(download)


def _buttons(download: Download) -> None:
    at, name = app_state().downloads, download.plan.name
    if download.state.live:
        st.button("Cancel", key=f"cancel {name}", on_click=attempt, args=(at.jobs.cancel, download.job))
    elif download.state is State.DONE:
        st.button("Dismiss", key=f"dismiss {name}", on_click=attempt, args=(at.forget, download))
    else:
        st.button("Resume", key=f"resume {name}", type="primary", on_click=attempt, args=(at.resume, download))
        again = "Removes the downloaded part."
        st.button("Discard", key=f"discard {name}", help=again, on_click=attempt, args=(at.discard, download))
