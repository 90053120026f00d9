"""The choice of one language model in a form."""

from __future__ import annotations

from typing import Any

from streamlit.delta_generator import DeltaGenerator

from core.models.installed import available_models
from pages.ui.action_form import ActionForm


def draw_model(form: ActionForm[Any], at: DeltaGenerator | None = None, *, name: str = "model", help: str) -> str:
    """Draw a form's field of a model with the models of this machine; return the chosen id."""
    names = {choice.id: choice.name for choice in available_models()}
    chosen: str = form.draw(name, at, choices=list(names), format_func=lambda one: names.get(one, one), help=help)
    return chosen
