"""New links: shown until the organiser confirms that they are copied, for the server keeps only a hash."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

import streamlit as st

from core.campaigns.access import is_loopback
from core.tabular.exports import csv_text
from core.wording import counted
from pages.ui.markup import show, tag
from pages.ui.notices import quiet, remark

KEPT = "campaign-new-links"
SHOWN = 3
"""The most links to show one by one; the file has all."""


@dataclass(frozen=True)
class NewLink:
    """The rater, their pseudonym ("" of an open link), and the address."""

    name: str
    pseudonym: str
    address: str


def link_of(token: str) -> str:
    """Return the address at which a token is redeemed, as this browser reaches the server."""
    base = (st.context.url or "").rstrip("/").removesuffix("/campaigns")
    return f"{base}/rate?{urlencode({'invite': token})}"


def keep_links(campaign: str, links: list[NewLink], days: int) -> None:
    """Keep new links beside those that are not copied yet."""
    kept = st.session_state.setdefault(KEPT, {})
    kept.setdefault(campaign, []).extend((link, days) for link in links)


def show_links(campaign: str) -> None:
    """Show the new links, and one file of them all."""
    kept: list[tuple[NewLink, int]] = st.session_state.get(KEPT, {}).get(campaign, [])
    if not kept:
        return
    with st.container(border=True, key="vd-new-link"):
        show(tag("p", f"{counted(len(kept), 'new link')}", css="vd vd-strong"))
        quiet(
            "Copy them now and send each to its person alone. They are shown until you confirm that they are copied. "
            f"For {counted(kept[-1][1], 'day')} a link lets anybody rate as that person."
        )
        host = urlsplit(kept[-1][0].address).hostname or ""
        if is_loopback(host):
            remark(
                f"These links begin with {host}, which only this machine can open. To invite others, open this page by "
                "the address under which they reach the server, and make the links there."
            )
        for link, _ in kept[:SHOWN]:
            show(tag("p", f"The link of {link.name or link.pseudonym}", css="vd vd-strong"))
            st.code(link.address, language=None, wrap_lines=True)
        if len(kept) > SHOWN:
            quiet(f"… and {len(kept) - SHOWN} more in the file.")
        with st.container(horizontal=True):
            rows = [[link.name, link.pseudonym, link.address] for link, _ in kept]
            st.download_button(
                "All links (CSV)",
                csv_text(["Name", "Rater", "Link"], rows),
                "links.csv",
                "text/csv",
                on_click="ignore",
                key="campaign-links",
            )
            words = "I have copied it" if len(kept) == 1 else "I have copied them"
            st.button(words, on_click=forget, args=(campaign,), icon=":material/check:", key="campaign-copied")


def forget(campaign: str) -> None:
    st.session_state.get(KEPT, {}).pop(campaign, None)
