"""Build stores: documents for every claim of a file, searched for as those of the shared task were."""

from __future__ import annotations

import streamlit as st

from core.errors import VerideskError
from pages.build.build_form import show_form
from pages.build.build_view import show_build, show_earlier
from pages.ui.app_state import app_state
from pages.ui.entry import through_app
from pages.ui.notices import notice, quiet, troubles
from pages.ui.owner import visitor

through_app()
st.title("Build stores")
who = visitor()
try:
    if (named := st.query_params.get("build")) and (build := app_state().builds.find(named, who)):
        show_build(build)
    else:
        if named:
            quiet("There is no such store in this browser. It was deleted, or it belongs to someone else.")
        troubles()
        show_form(who)
        show_earlier(who)
except VerideskError as error:
    notice(str(error))
