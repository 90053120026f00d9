"""Have the language model make the chosen sentences readable alone, where its card allows that."""

from __future__ import annotations

import streamlit as st

from core.claims.chosen import with_version
from core.claims.rewriting import model_version
from core.claims.standalone import WINDOW
from core.errors import VerideskError
from core.models.cards import ModelCard, card_for
from core.models.installed import default_choice, installed_models
from core.wording import counted
from pages.claims.kept_speech import KeptSpeech, keep_chosen, picks
from pages.ui.app_state import app_state
from pages.ui.notices import notice, quiet

SAID = "claims-rewritten"
"""The session's key of the message about the last rewriting."""


def rewriting_field(speech: KeptSpeech) -> None:
    """Offer to have the model in use rewrite the chosen sentences; nothing where its card does not allow it."""
    try:
        allowed = card_in_use().may_rewrite
    except VerideskError:
        return  # the page Models names the fault
    if not allowed:
        return
    pressed = st.button(
        "Let the model make them readable alone",
        icon=":material/edit_note:",
        help="Its versions appear beside the others. One that adds or loses a name or number is dropped.",
        key="claims-rewrite",
    )
    if pressed:
        try:
            rewrite_all(speech)
        except VerideskError as error:
            notice(str(error))
        else:
            st.rerun()
    if said := st.session_state.pop(SAID, ""):
        quiet(said)


def card_in_use() -> ModelCard:
    """Return the card of the model in use. Raises BadRecord, BadInput."""
    choice = default_choice()
    digest = next((one.digest for one in installed_models() if one.choice == choice), "")
    return card_for(digest, name=choice.model or choice.name)


def rewrite_all(speech: KeptSpeech) -> None:
    """Keep the model's version beside each chosen sentence. Raises ModelError, BadInput."""
    single = [one for one in picks().chosen if len(one.positions) == 1]
    llm = app_state().pool.models(default_choice().id).llm
    kept = 0
    with st.spinner(f"Rewriting {counted(len(single), 'sentence')}"):
        for one in single:
            [at] = one.positions
            said = speech.sentences[at]
            before = [sentence.text for sentence in speech.sentences[max(0, at - WINDOW) : at]]
            version = model_version(said.text, before, llm, speaker=said.speaker, day=speech.day)
            kept += bool(version)
            keep_chosen(with_version(picks().chosen, one.id, version))
    count = f"{counted(kept, 'version')} of {len(single)} kept."
    st.session_state[SAID] = f"{count} A version that changes the facts is dropped."
