"""The choice of one language model in a form."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.models.installed import available_models, default_choice
from pages.ui.action_form import ActionForm


def model_field(key: str, *, help: str) -> str:
    """Show the models of this machine, with the default one chosen at first; return the chosen id."""
    names = {choice.id: choice.name for choice in available_models()}
    preferred = default_choice().id
    chosen: str = st.selectbox(
        "Language model",
        list(names),
        index=list(names).index(preferred) if preferred in names else 0,
        format_func=lambda choice: names.get(choice, choice),
        key=key,
        persist_state="session",
        help=help,
    )
    return chosen


def draw_model(form: ActionForm[Any], at: DeltaGenerator | None = None, *, name: str = "model", help: str) -> str:
    """Draw a form's field of a model with the models of this machine; return the chosen id."""
    names = {choice.id: choice.name for choice in available_models()}
    chosen: str = form.draw(name, at, choices=list(names), format_func=lambda one: names.get(one, one), help=help)
    return chosen
