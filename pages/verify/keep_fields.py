"""Ask the Wayback Machine to keep a page of a case: the request is shown first."""

from __future__ import annotations

import streamlit as st

from core.search.archiving import consent_to_save, save, save_request
from core.settings import settings
from core.types import Case, is_web_address
from pages.ui.markup import link, show, tag
from pages.ui.notices import attempt, quiet
from pages.verify.opened import OpenedCase

COPIES = "wayback-copies"


def pages_of(case: Case) -> list[str]:
    """Return the web addresses that a case read, each once."""
    searched = [origin.url for origin in case.search.origins] if case.search else []
    read = [*searched, *(one.url for one in case.fetched if not one.problem)]
    return [url for url in dict.fromkeys(read) if is_web_address(url)]


def keep_fields(found: OpenedCase) -> None:
    """Offer to send one request for a page of the case; nothing where it read none."""
    if not (urls := pages_of(found.case)):
        return
    with st.popover("Wayback Machine", icon=":material/archive:"):
        st.write("The Wayback Machine can keep a public copy of a page as it is today.")
        url = st.selectbox("Page", urls, key="wayback-page")
        quiet(f"One request is sent: {save_request(url).url}")
        st.button(
            "Send 1 request to web.archive.org",
            key="wayback-save",
            on_click=attempt,
            args=(keep, url, consent_to_save(url).digest),
        )
        for original, copy in st.session_state.get(COPIES, {}).items():
            if original in urls:
                show(tag("p", "Copy: ", link(copy, copy), css="vd vd-text"))


def keep(url: str, consent: str) -> None:
    copy = save(url, consent, settings().contact)
    st.session_state[COPIES] = {**st.session_state.get(COPIES, {}), url: copy}
