"""Lab: compare several recipes or models on one claim, side by side."""

from __future__ import annotations

import streamlit as st

from core.errors import VerideskError
from pages.lab.lab_form import MAX, SENT, show_form
from pages.lab.lab_view import show_cases
from pages.ui.app_state import app_state
from pages.ui.entry import through_app
from pages.ui.notices import notice, troubles
from pages.ui.owner import visitor

through_app()
if SENT in st.session_state and "cases" not in st.query_params:
    st.query_params["cases"] = st.session_state[SENT]
troubles()
who = visitor()
try:
    if named := st.query_params.get("cases"):
        show_cases(app_state(), who, list(dict.fromkeys(named.split(",")))[:MAX])
    else:
        show_form(app_state(), who)
except VerideskError as error:
    notice(str(error))
st.session_state.pop(SENT, None)
