"""Settings of a check: the recipe, the model, and how documents are read."""

from __future__ import annotations

import streamlit as st

from core.errors import VerideskError
from core.models.installed import available_models, default_choice
from pages.ui.claim_form.claim_draft import field
from pages.ui.notices import notice
from pages.ui.server_paths import training_field
from pages.verify.recipe_form import recipe_field


def settings_fields() -> None:
    with st.expander("Settings", icon=":material/tune:"):
        recipe_field()
        model_field()
        training_field(field("training"))
        st.toggle(
            "Also search documents published after the claim",
            key=field("late"),
            persist_state="session",
            help="They may report the outcome, so a check that uses them could not have been made at the time.",
        )
        st.number_input(
            "Sentences a passage",
            key=field("sentences"),
            persist_state="session",
            min_value=1,
            max_value=10,
            step=1,
            help="A passage has this many sentences: fewer find single facts, more keep context.",
        )
        st.number_input(
            "Seed", key=field("seed"), persist_state="session", min_value=0, step=1, help="The same seed repeats a run."
        )


def model_field() -> None:
    names = {choice.id: choice.name for choice in available_models()}
    if st.session_state.get(field("model")) not in names:
        try:
            st.session_state[field("model")] = default_choice().id
        except VerideskError as error:
            notice(str(error))
            st.session_state[field("model")] = next(iter(names))
    st.selectbox(
        "Language model",
        list(names),
        format_func=lambda choice: names.get(choice, choice),
        key=field("model"),
        persist_state="session",
        help="Writes the questions. Add models on the page Models.",
    )
