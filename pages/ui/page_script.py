"""Buttons that copy and print, and the key that sends a form, without a run of the page."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st

from core.files import ASSETS
from pages.ui.markup import Html, tag

KEY, MARKED = "vd-page-script", "vd-marked"

script = st.components.v2.component("veridesk_page", js=(ASSETS / "page.js").read_text(encoding="utf-8"))


def run_script() -> None:
    """Let the browser listen for the buttons made here, and for Ctrl+Enter in a field; once a page."""
    script(key=KEY, on_mark_change=note_mark)


def say(words: str) -> None:
    """Have a screen reader say words, once as long as they stay the same: a redrawn page says nothing."""
    with st.container(key="vd-say"):
        script(key="vd-said", data={"say": words})


def bring_into_view(key: str) -> None:
    """Have the browser scroll to the container of this key."""
    with st.container(key="vd-say-where"):
        script(key="vd-shown", data={"show": key})


def note_mark() -> None:
    """Keep for the page which button of `mark_button` was pressed; called before the run in which it counts."""
    st.session_state[MARKED] = st.session_state[KEY].get("mark")


def pressed_mark() -> tuple[str, str] | None:
    """Return the key and the mark of the button that was pressed before this run, once. Both come from the browser."""
    pressed = st.session_state.pop(MARKED, None)
    if not isinstance(pressed, dict):
        return None
    return str(pressed.get("key", "")), str(pressed.get("mark", ""))


def copy_button(words: str, label: str, *, quiet: bool = False) -> Html:
    """Return a button that puts words on the clipboard and says that it did; a `quiet` one has no border."""
    return tag("button", label, css=f"vd-button vd-copy{' vd-plain' if quiet else ''}", type="button", data_copy=words)


def case_address(case_id: str) -> str:
    """Return the address of a case, which its owner alone can open."""
    parts = urlsplit(st.context.url or "")
    return f"{parts.scheme}://{parts.netloc}/?case={case_id}"


def mark_button(key: str, mark: str, label: str, *, pressed: bool) -> Html:
    """Return a button; `pressed_mark` reports its press."""
    state = "true" if pressed else "false"
    return tag(
        "button", label, css="vd-button vd-mark", type="button", data_key=key, data_mark=mark, aria_pressed=state
    )


def print_button() -> Html:
    return tag("button", "Print or save as PDF", css="vd-button vd-print", type="button")
