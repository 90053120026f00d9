"""The adapter that asks, offered where it was measured to ask better than the model alone."""

from __future__ import annotations

import streamlit as st

from core.errors import VerideskError
from core.models.question_adapter import QuestionAdapter, adapter_path, load_figures
from pages.ui.notices import notice, quiet


def show_question_adapter() -> None:
    """Show the quality of this machine's adapter, with its recipe to take; nothing if none asks better."""
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
        help="Choose it on Verify, under recipes, as “A recipe file of my own”.",
        key="adapter-recipe",
    )


def worth(figures: QuestionAdapter) -> str:
    """Return in two sentences an adapter's effect, and who may use it."""
    without, adapted = figures.without, figures.adapted
    return (
        f"On {figures.claims} claims its questions are closer to those of people (METEOR {without['scores']['Q']:.2f} "
        f"without it, {adapted['scores']['Q']:.2f} with it). It asks {adapted['questions']:.1f} different ones a "
        f"claim ({without['questions']:.1f} without it). Its licence is {figures.licence}."
    )
