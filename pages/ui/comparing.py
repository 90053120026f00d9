"""Choose two finished jobs of a list, and open them side by side."""

from __future__ import annotations

import streamlit as st

from pages.ui.notices import quiet


def compare_button(job_id: str, *, key: str) -> None:
    """Show the button that chooses a job or gives it up; `key` is the session's key of the choice."""
    chosen = job_id in st.session_state.get(key, ())
    st.button(
        "Chosen to compare" if chosen else "Compare",
        key=f"{key}-{job_id}",
        type="tertiary",
        icon=":material/check:" if chosen else ":material/compare:",
        on_click=choose,
        args=(job_id, key),
    )


def choose(job_id: str, key: str) -> None:
    """Choose a job to compare, or give it up; of three the one chosen first goes."""
    chosen: list[str] = st.session_state.get(key, [])
    without = [one for one in chosen if one != job_id]
    st.session_state[key] = without if job_id in chosen else [*chosen, job_id][-2:]


def offer_comparison(*, one: str, key: str) -> None:
    """Offer to compare two chosen jobs, which the page calls `one`; the address then names both."""
    chosen = st.session_state.get(key, [])
    if len(chosen) == 1:
        quiet(f"One {one} is chosen: choose another to compare it with.")
    if len(chosen) == 2 and st.button(
        f"Compare the two chosen {one}s", type="primary", icon=":material/compare:", key=f"{key}-chosen"
    ):
        st.query_params.update({"left": chosen[0], "right": chosen[1]})
        st.rerun()
