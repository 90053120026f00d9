"""Keep the current speech, its chosen claims and its batch over reruns, page changes and refreshes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import streamlit as st

from core.claims.chosen import Chosen
from core.claims.ranking import RankedSentence
from core.dataclass_json import from_json, to_json
from pages.ui.app_state import app_state
from pages.ui.draft import Draft
from pages.ui.owner import owner

FORM = Draft("claims", {"text": ""})
SPEECH, PICKS = "claims-speech", "claims-picks"
TEXT, CLAIMS = "Text", "Chosen claims"
STEP = "claims-step"
MOVED = "claims-moved"
"""The session's key that says that another part was just opened. It then begins at its top."""


@dataclass(frozen=True)
class KeptSpeech:
    """A ranked speech. `remarks` are sentences on its text, `day` is when it was given."""

    name: str
    sentences: tuple[RankedSentence, ...]
    remarks: tuple[str, ...] = ()
    day: date | None = None


@dataclass(frozen=True)
class Picks:
    """The work on a speech. `marked` best sentences are marked; `checked` are the claims of the last batch.

    `batch` is its id, empty before the first; `searched` names its documents.
    """

    marked: int = 10
    chosen: Chosen = ()
    checked: Chosen = ()
    batch: str = ""
    searched: str = ""


def restore(who: str) -> None:
    """Bring back the owner's text, speech and picks in a session's first run."""
    store = app_state().store
    if (typed := FORM.restore(store, who)) is None:
        return
    FORM.fill(typed)
    if speech := store.draft(who, SPEECH):
        st.session_state[SPEECH] = from_json(speech, KeptSpeech)
        st.session_state[PICKS] = from_json(store.draft(who, PICKS), Picks)


def kept_speech() -> KeptSpeech | None:
    found: KeptSpeech | None = st.session_state.get(SPEECH)
    return found


def keep_speech(speech: KeptSpeech) -> None:
    """Begin to work on a speech."""
    st.session_state[SPEECH] = speech
    st.session_state[STEP] = TEXT
    _store(SPEECH, to_json(speech))
    keep_picks(Picks())


def leave_speech() -> None:
    """Go back to the form, with the pasted text in it. The batch stays on the page Batch."""
    st.session_state.pop(SPEECH, None)
    _store(SPEECH, {})


def picks() -> Picks:
    found: Picks = st.session_state.setdefault(PICKS, Picks())
    return found


def keep_picks(kept: Picks) -> None:
    st.session_state[PICKS] = kept
    _store(PICKS, to_json(kept))


def keep_chosen(chosen: Chosen) -> None:
    keep_picks(replace(picks(), chosen=chosen))


def step() -> str:
    """Return the part of the page that is open: TEXT or CLAIMS."""
    found: str = st.session_state.setdefault(STEP, TEXT)
    return found


def go_to(part: str) -> None:
    st.session_state[STEP] = part
    st.session_state[MOVED] = True


def _store(form: str, content: Any) -> None:
    app_state().store.save_draft(owner() or "", form, content)
