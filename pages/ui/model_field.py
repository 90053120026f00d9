"""The choice of one language model in a form."""

from __future__ import annotations

import streamlit as st

from core.models.installed import available_models, default_choice


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
