"""The adapter that asks, offered where it was measured to ask better than the model alone."""

from __future__ import annotations

import streamlit as st

from core.errors import VerideskError
from core.models.question_adapter import QuestionAdapter, adapter_path, load_figures
from pages.ui.notices import notice, quiet


def show_question_adapter() -> None:
    """Show what the adapter of this machine is worth, with its recipe to take; nothing where none asks better."""
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
    )


def worth(figures: QuestionAdapter) -> str:
    """Return in two sentences what changes with an adapter, and who may use it."""
    without, adapted = figures.without, figures.adapted
    return (
        f"On {figures.claims} claims its questions are more like those that people wrote (METEOR "
        f"{without['scores']['Q']:.2f} without it, {adapted['scores']['Q']:.2f} with it), {adapted['questions']:.1f} "
        f"different ones a claim ({without['questions']:.1f} without it). Its licence is {figures.licence}."
    )
