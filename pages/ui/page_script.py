"""Buttons that copy and print, and the key that sends a form: what needs the browser and no run of the page."""

from __future__ import annotations

import streamlit as st

from core.files import ASSETS
from pages.ui.markup import Html, tag

script = st.components.v2.component("veridesk_page", js=(ASSETS / "page.js").read_text(encoding="utf-8"))


def run_script() -> None:
    """Let the browser listen for the buttons made here, and for Ctrl+Enter in the claim; once a page."""
    script(key="vd-page-script")


def copy_button(words: str, label: str) -> Html:
    """Return a button that puts words on the clipboard and says that it did."""
    return tag("button", label, css="vd-button vd-copy", type="button", data_copy=words)


def print_button() -> Html:
    return tag("button", "Print or save as PDF", css="vd-button vd-print", type="button")
