"""Lab: one claim worked on by several recipes or models, side by side."""

from __future__ import annotations

import streamlit as st

from core.errors import VerideskError
from pages.shared.engines import desk
from pages.shared.entry import through_app
from pages.shared.lab_form import MOST, show_form
from pages.shared.lab_view import show_cases
from pages.shared.notices import notice, troubles
from pages.shared.owner import visitor

through_app()
troubles()
who = visitor()
try:
    if named := st.query_params.get("cases"):
        show_cases(desk(), who, list(dict.fromkeys(named.split(",")))[:MOST])
    else:
        show_form(desk(), who)
except VerideskError as error:
    notice(str(error))
