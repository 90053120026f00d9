"""A link to what one job came to, for colleagues: made, shown once, withdrawn."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st

from core.storage.shares import Shares
from core.storage.store import Store
from core.wording import counted
from pages.ui.notices import attempt


def share_button(store: Store, owner: str, job_id: str, *, what: str, page: str = "") -> None:
    """Offer a link to the owner's job on a page, and to withdraw those that were made; `what` is what it lets read."""
    shares = Shares(store)
    with st.popover("Share", icon=":material/link:"):
        st.write(f"Whoever has the link and can reach this machine can read {what}, and nothing else.")
        made = st.session_state.get("shared", {}).get(job_id)
        if made:
            st.code(address(made, page), language=None, wrap_lines=True)
            st.caption("Copy it now: it is shown to you only once.")
        else:
            st.button("Make a link", key="share", on_click=attempt, args=(make_link, shares, job_id, owner))
        if number := shares.count(job_id, owner):
            label = f"Withdraw {counted(number, 'link')}"
            st.button(label, key="unshare", on_click=attempt, args=(withdraw, shares, job_id, owner))


def make_link(shares: Shares, job_id: str, owner: str) -> None:
    st.session_state.setdefault("shared", {})[job_id] = shares.make(job_id, owner)


def withdraw(shares: Shares, job_id: str, owner: str) -> None:
    shares.withdraw(job_id, owner)
    st.session_state.get("shared", {}).pop(job_id, None)


def address(token: str, page: str) -> str:
    """Return the link under the address at which its owner reaches the app."""
    parts = urlsplit(st.context.url or "")
    return f"{parts.scheme}://{parts.netloc}/{page}?shared={token}"
