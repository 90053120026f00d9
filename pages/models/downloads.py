"""The downloads of this server, which go on while nobody looks, and how a page shows them."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.errors import VerideskError
from core.models.download import Download, Downloads, State
from core.models.plans import Plan
from core.settings import settings
from core.wording import size_words
from pages.models.models import download_words
from pages.ui.app_state import desk
from pages.ui.markup import plain
from pages.ui.notices import notice


def downloads() -> Downloads:
    """Return this server's downloads."""
    return desk().downloads


def show_downloads() -> None:
    """Show what is on its way or broke off, brought up to date every second while something moves."""
    running, unfinished = downloads().all(), downloads().unfinished()
    if not running and not unfinished:
        return
    st.subheader("Downloads")
    live = any(download.progress.live for download in running)
    st.fragment(_live_rows, run_every=1.0 if live else None)(live)
    for plan in unfinished:
        _unfinished_row(plan)


def _live_rows(was_live: bool) -> None:
    running = downloads().all()
    for download in running:
        _row(download)
    if was_live and not any(download.progress.live for download in running):
        st.rerun()  # the whole page: a finished model belongs in the list


def _row(download: Download) -> None:
    progress, plan = download.progress, download.plan
    with st.container(border=True):
        st.markdown(f"**{plain(plan.name)}**")
        st.progress(min(progress.received / progress.total, 1.0), text=plain(download_words(progress)))
        if progress.sentence and progress.state is not State.CANCELLED:
            st.caption(plain(progress.sentence))
        with st.container(horizontal=True):
            if progress.live:
                st.button("Cancel", key=f"cancel {plan.name}", on_click=download.cancel)
            elif progress.state is State.DONE:
                st.button("Dismiss", key=f"dismiss {plan.name}", on_click=downloads().forget, args=(plan.name,))
            else:
                _resume_or_discard(plan)


def _unfinished_row(plan: Plan) -> None:
    received = plan.received(settings().models)
    with st.container(border=True):
        st.markdown(f"**{plain(plan.name)}**")
        words = f"Broke off: {size_words(received)} of {size_words(plan.model.size)} are here"
        st.progress(min(received / plan.model.size, 1.0), text=plain(words))
        with st.container(horizontal=True):
            _resume_or_discard(plan)


def _resume_or_discard(plan: Plan) -> None:
    if st.button("Resume", key=f"resume {plan.name}", type="primary"):
        _say_errors(lambda: downloads().start(plan.model, licence=plan.licence))
    if st.button("Discard", key=f"discard {plan.name}", help="Removes what has arrived."):
        _say_errors(lambda: downloads().discard(plan))


def _say_errors(act: Callable[[], object]) -> None:
    try:
        act()
    except VerideskError as error:
        notice(str(error))
    else:
        st.rerun()
