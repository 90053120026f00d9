"""Offer the question adapter if measurements show that it asks better than the model without it."""

from __future__ import annotations

import streamlit as st

from core.errors import VerideskError
from core.models.question_adapter import QuestionAdapter, adapter_path, load_figures
from pages.ui.notices import notice, quiet


def show_question_adapter() -> None:
    """Show the figures of this machine's adapter and its recipe file; nothing if no adapter asks better."""
    path = adapter_path()
    try:
        figures = load_figures(path)
    except VerideskError as error:
        notice(str(error))
        return
    recipe = path.with_suffix(".toml")
    if figures is None or not figures.better or not recipe.is_file():
        return
    st.subheader("An adapter that asks")
    quiet(worth(figures))
    st.download_button(
        "Take its recipe",
        recipe.read_bytes(),
        file_name="asks_with_adapter.toml",
        mime="application/toml",
        on_click="ignore",
        help="To use it, open Verify and choose “A recipe file of my own” under recipes.",
        key="adapter-recipe",
    )


def worth(figures: QuestionAdapter) -> str:
    """Return an adapter's effect and licence in a few sentences."""
    without, adapted = figures.without, figures.adapted
    return (
        f"On {figures.claims} claims its questions are closer to those of people (METEOR {without['scores']['Q']:.2f} "
        f"without it, {adapted['scores']['Q']:.2f} with it). It asks {adapted['questions']:.1f} different ones a "
        f"claim ({without['questions']:.1f} without it). Its licence is {figures.licence}."
    )
