"""Sentences to the reader: what went wrong and the way out, or what a page is for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from core.errors import VerideskError
from pages.ui.markup import show, tag


def notice(sentence: str) -> None:
    """Show what went wrong, each line of it as one. Read aloud at once by a screen reader."""
    notices(sentence.splitlines())


def notices(sentences: Sequence[str]) -> None:
    """Show several things that went wrong, in one place."""
    show(tag("div", *(tag("p", sentence) for sentence in sentences), css="vd vd-notice vd-refuted", role="alert"))


def remark(sentence: str) -> None:
    """Show what a reader should know."""
    show(tag("p", sentence, css="vd vd-notice"))


def quiet(sentence: str) -> None:
    """Show a small explanation."""
    show(tag("p", sentence, css="vd vd-quiet"))


def attempt(action: Callable[..., object], *args: object) -> None:
    """Do something in a callback, where nothing can be shown; what goes wrong is kept for `troubles`."""
    try:
        action(*args)
    except VerideskError as error:
        st.session_state["troubles"] = str(error)


def troubles() -> None:
    """Show what went wrong in a callback before this run, once."""
    if kept := st.session_state.pop("troubles", ""):
        notice(kept)
