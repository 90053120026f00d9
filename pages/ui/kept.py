"""Name a finished job, share it by a link, and find the job that a link leads to."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st

from core.jobs.jobs import MAX_NAME, Jobs
from core.jobs.kinds import RequestT, ViewT
from core.jobs.types import Status
from core.storage.shares import Shares
from core.storage.store import Store
from core.wording import counted
from pages.ui.app_state import app_state
from pages.ui.notices import attempt_button, remark


def name_and_share(jobs: Jobs[RequestT, ViewT], job: Status, *, one: str, what: str, page: str) -> None:
    """Offer to name a finished job, which its page calls `one`, and to share it as `share_button` does."""
    key = f"{one}-name-{job.id}"
    with st.popover("Name", icon=":material/edit:"):
        st.text_input(f"Name of the {one}", job.title, max_chars=MAX_NAME, key=key)
        attempt_button("Keep under this name", rename, jobs, job, key, key=f"{one}-rename")
    share_button(app_state().store, job.owner, job.id, what=what, page=page)


def rename(jobs: Jobs[RequestT, ViewT], job: Status, key: str) -> None:
    """Name a job as typed in the field of this key; in a callback."""
    jobs.rename(job, st.session_state[key])


def shared_job(jobs: Jobs[RequestT, ViewT], token: str) -> ViewT | None:
    """Return the job that a link leads to, for any visitor; None if it leads to none."""
    link = Shares(app_state().store).find(token)
    return jobs.find(link.job_id, link.owner) if link else None


def link_leads_nowhere(one: str) -> None:
    remark(
        f"This link leads to no {one}. Its owner has withdrawn it, or deleted the {one}, or it was not copied whole."
    )


def share_button(store: Store, owner: str, job_id: str, *, what: str, page: str = "") -> None:
    """Offer a link to the owner's job on a page, and to withdraw existing ones. `what` names the shared result."""
    shares = Shares(store)
    with st.popover("Share", icon=":material/link:"):
        st.write(f"Anybody who has the link and can reach this machine can read {what}, and nothing else.")
        made = st.session_state.get("shared", {}).get(job_id)
        if made:
            st.code(address(made, page), language=None, wrap_lines=True)
            st.caption("Copy it now: it is shown to you only once.")
        else:
            attempt_button("Make a link", make_link, shares, job_id, owner, key="share")
        if number := shares.count(job_id, owner):
            label = f"Withdraw {counted(number, 'link')}"
            attempt_button(label, withdraw, shares, job_id, owner, key="unshare")


def make_link(shares: Shares, job_id: str, owner: str) -> None:
    st.session_state.setdefault("shared", {})[job_id] = shares.make(job_id, owner)


def withdraw(shares: Shares, job_id: str, owner: str) -> None:
    shares.withdraw(job_id, owner)
    st.session_state.get("shared", {}).pop(job_id, None)


def address(token: str, page: str) -> str:
    """Return the link under the address at which its owner reaches the app."""
    parts = urlsplit(st.context.url or "")
    return f"{parts.scheme}://{parts.netloc}/{page}?shared={token}"
