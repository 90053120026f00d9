"""Ask for a claim, and for who said it, when and where."""

from __future__ import annotations

import streamlit as st

from pages.ui.claim_form.claim_draft import field, leave_example
from pages.ui.evidence import day
from pages.ui.notices import quiet


def claim_fields() -> None:
    st.text_area(
        "Claim",
        key=field("text"),
        persist_state="session",
        height=110,
        on_change=leave_example,
        label_visibility="collapsed",
        placeholder="Write or paste one statement that can be true or false",
        help="One statement that can be true or false. Several statements: check them one by one.",
    )
    with st.expander("More about the claim", icon=":material/edit_note:"):
        left, right = st.columns(2)
        left.text_input("Who said it", key=field("speaker"), persist_state="session")
        right.date_input(
            "Date of the claim",
            key=field("date"),
            persist_state="session",
            min_value="1900-01-01",
            format="YYYY-MM-DD",
            help="Documents published later are left out: they could know how it ended.",
        )
        left.text_input("Where it appeared", key=field("source"), persist_state="session")
        right.text_input("Place it is about", key=field("place"), persist_state="session")
    said = st.session_state[field("date")]
    if said:
        # The fields above are usually folded away, and a date left there changes the search.
        quiet(f"Said on {day(said)}: documents published later are left out, unless the settings say otherwise.")
