"""Batch: every claim of a file verified, and a submission written."""

from __future__ import annotations

import streamlit as st

from core.errors import VerideskError
from pages.batch.batch_form import batches, show_earlier, show_form
from pages.batch.batch_view import open_claim, shared_batch, show_batch, show_shared
from pages.ui.entry import through_app
from pages.ui.notices import notice, quiet, troubles
from pages.ui.owner import visitor

through_app()
st.title("Batch")
who = visitor()
try:
    if token := st.query_params.get("shared"):
        if shared := shared_batch(token):
            show_shared(shared)
    elif (named := st.query_params.get("batch")) and (batch := batches().find(named, who)):
        if claim := st.query_params.get("claim"):
            open_claim(batch, claim)
        else:
            show_batch(batch)
    else:
        if named:
            quiet("There is no such batch in this browser. It was deleted, or it belongs to someone else.")
        troubles()
        show_form(who)
        show_earlier(who)
except VerideskError as error:
    notice(str(error))
