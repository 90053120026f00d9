"""A finished batch is named, and shared with others by a link."""

from __future__ import annotations

import streamlit as st

from core.batch.batch_folder import Batch
from core.jobs.jobs import MAX_NAME
from core.storage.shares import Shares
from pages.batch.form import batches
from pages.ui.app_state import desk
from pages.ui.notices import attempt, remark
from pages.ui.sharing import share_button

GONE = "This link leads to no batch. Its owner has withdrawn it, or deleted the batch, or it was not copied whole."


def name_and_share(batch: Batch) -> None:
    with st.container(horizontal=True):
        with st.popover("Name", icon=":material/edit:"):
            st.text_input("Name of the batch", batch.title, max_chars=MAX_NAME, key=name_field(batch))
            st.button("Keep under this name", on_click=attempt, args=(rename, batch))
        what = "this batch's figures and its submission"
        share_button(desk().store, batch.job.owner, batch.id, what=what, page="batch")


def name_field(batch: Batch) -> str:
    return f"batch-name-{batch.id}"


def rename(batch: Batch) -> None:
    batches().rename(batch.job, st.session_state[name_field(batch)])


def shared_batch(token: str) -> Batch | None:
    """Return the finished batch that a link leads to; say so where it leads to none."""
    shared = Shares(desk().store).find(token)
    batch = batches().find(shared.job_id, shared.owner) if shared else None
    if batch is None or batch.running or batch.figures is None:
        remark(GONE)
        return None
    remark("An organiser shares this batch with you. Only they can change it.")
    return batch
