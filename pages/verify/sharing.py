"""A link to one case for a colleague: they read the report, and nothing else of its owner's."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st

from core.jobs import State
from core.verification.review_store import Reviews
from core.verification.shares import Shares
from core.wording import counted
from pages.ui.app_state import Desk
from pages.ui.notices import attempt, remark
from pages.verify.hand_over import show_report
from pages.verify.opened import opened

GONE = "This link leads to no case. Its owner has withdrawn it, or deleted the case, or it was not copied whole."


def share_button(desk: Desk, owner: str, case_id: str) -> None:
    """Offer a link to the case, and to withdraw those that were made."""
    shares = Shares(desk.store)
    with st.popover("Share", icon=":material/link:"):
        st.write("Whoever has the link and can reach this machine can read the report of this case, and nothing else.")
        made = st.session_state.get("shared", {}).get(case_id)
        if made:
            st.code(address(made), language=None, wrap_lines=True)
            st.caption("Copy it now: it is shown to you only once.")
        else:
            st.button("Make a link", key="share", on_click=attempt, args=(make_link, shares, case_id, owner))
        if number := shares.count(case_id, owner):
            label = f"Withdraw {counted(number, 'link')}"
            st.button(label, key="unshare", on_click=attempt, args=(withdraw, shares, case_id, owner))


def make_link(shares: Shares, case_id: str, owner: str) -> None:
    st.session_state.setdefault("shared", {})[case_id] = shares.make(case_id, owner)


def withdraw(shares: Shares, case_id: str, owner: str) -> None:
    shares.withdraw(case_id, owner)
    st.session_state.get("shared", {}).pop(case_id, None)


def address(token: str) -> str:
    """Return the link under the address at which its owner reaches the app."""
    parts = urlsplit(st.context.url or "")
    return f"{parts.scheme}://{parts.netloc}/?shared={token}"


def show_shared(desk: Desk, token: str) -> None:
    """Show the report that a link leads to, whoever opens it."""
    shared = Shares(desk.store).find(token)
    stored = desk.jobs.load(shared.case_id, shared.owner) if shared else None
    if stored is None or stored.state is not State.DONE:
        remark(GONE)
        st.button("Check a claim of your own", icon=":material/add:", on_click=st.query_params.clear)
        return
    remark("A colleague shares this case with you. You can read and download it; only they can change it.")
    show_report(opened(stored), Reviews(desk.store).load(stored.id))
