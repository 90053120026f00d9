"""Claims of a speech: its sentences ranked, the chosen ones checked as one batch, and their verdicts in the text."""

from __future__ import annotations

import streamlit as st

from core.errors import VerideskError
from pages.claims.chosen_claims import show_chosen
from pages.claims.kept_speech import CLAIMS, MOVED, kept_speech, restore, step
from pages.claims.speech_form import show_form
from pages.claims.speech_text import show_bar, show_heading, show_text
from pages.claims.verdicts import show_batch
from pages.ui.entry import through_app
from pages.ui.notices import notice, troubles
from pages.ui.owner import visitor
from pages.ui.page_script import bring_into_view

through_app()
with st.container(key="vd-claims-top"):
    st.title("What in this speech is worth checking?")
if st.session_state.pop(MOVED, False):
    bring_into_view("vd-claims-top")
who = visitor()
try:
    restore(who)
    troubles()
    if speech := kept_speech():
        show_heading(speech)
        verdicts = show_batch(speech, who)
        if step() == CLAIMS:
            show_chosen(speech, who)
        else:
            show_text(speech, verdicts)
            show_bar()
    else:
        show_form(who)
except VerideskError as error:
    notice(str(error))
