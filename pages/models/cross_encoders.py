"""Show the cross-encoders for reading passages, choose one, download more, and offer the question adapter."""

from __future__ import annotations

import streamlit as st

from core.errors import BadInput, ServerError, VerideskError
from core.models.catalogue import CrossEncoderRecommendation, cross_encoder_catalogue
from core.models.choice import choose_cross_encoder, preferences
from core.models.cross_encoders import InstalledCrossEncoder, installed_cross_encoders, remove_cross_encoder
from core.models.hub import HubModel, find_cross_encoder
from core.models.question_adapter import QuestionAdapter, adapter_path, load_figures
from core.settings import settings
from core.wording import size_words
from pages.models.models import facts_line, to_download
from pages.ui.app_state import app_state
from pages.ui.file_button import file_button
from pages.ui.markup import plain, show, tag
from pages.ui.notices import attempt_button, notice, quiet, remark

OTHER = "Another repository …"
FOUND = "cross-encoder found"


def show_cross_encoders() -> None:
    """Show the cross-encoders of this machine, if any."""
    found = installed_cross_encoders()
    if not found:
        return
    st.subheader("Cross-encoders")
    quiet("One that you use reads passages in place of the language model, once it is measured.")
    if settings().stance_model:
        remark(f"VERIDESK_STANCE_MODEL names {settings().stance_model}; a choice here has no effect.")
    for one in found:
        _row(one, chosen=preferences().cross_encoder == str(one.folder))


def _row(one: InstalledCrossEncoder, *, chosen: bool) -> None:
    name = one.repository
    with st.container(border=True):
        words, buttons = st.columns([3, 1], vertical_alignment="center")
    with words:
        facts = facts_line([(size_words(one.size), "Size on disk"), (one.licence, "Licence, as stated by the maker")])
        show(tag("div", tag("p", name, css="vd-strong"), facts, css="vd"))
    with buttons, st.container(horizontal=True, horizontal_alignment="right"):
        if chosen:
            attempt_button("Do not use", choose_cross_encoder, None, key=f"drop {name}")
        else:
            attempt_button("Use", choose_cross_encoder, one.folder, key=f"use {name}")
        with st.popover("Delete"):
            st.write(f"{plain(name)} will be deleted from the disk ({size_words(one.size)}).")
            attempt_button("Delete it", remove_cross_encoder, one.folder, key=f"remove {name}", type="primary")


def add_cross_encoder() -> None:
    """Choose a cross-encoder, list its files on the hub, start the download."""
    quiet("A cross-encoder reads passage and claim together, and is trained to recognise entailment.")
    options: list[CrossEncoderRecommendation | str] = [*cross_encoder_catalogue(), OTHER]
    entry = st.selectbox("Cross-encoder", options, format_func=_entry_words, key="cross-encoder")
    if isinstance(entry, str):
        repository = st.text_input(
            "Its repository", placeholder=cross_encoder_catalogue()[0].repository, key="cross-encoder-repository"
        ).strip()
    else:
        repository = entry.repository
        st.caption(plain(f"{entry.parameters} parameters, trained on {entry.trained_on}. English."))
    if st.button("Look for it on the hub", disabled=not repository, key="cross-encoder-find"):
        _find(repository)
    found = st.session_state.get(FOUND)
    if found and found.repository == repository:
        _offer(found, "" if isinstance(entry, str) else entry.licence)


def _entry_words(entry: CrossEncoderRecommendation | str) -> str:
    return entry if isinstance(entry, str) else f"{entry.repository.rpartition('/')[2]}, {entry.licence}"


def _find(repository: str) -> None:
    st.session_state.pop(FOUND, None)
    try:
        with st.spinner("Asking the hub …"):
            st.session_state[FOUND] = find_cross_encoder(repository, hub=settings().hub)
    except ServerError as error:
        remark(f"{error} Veridesk still reads passages with the built-in classifier. For a mirror, set VERIDESK_HUB.")
    except BadInput as error:
        notice(str(error))


def _offer(model: HubModel, licence: str) -> None:
    show(tag("div", to_download(model, licence), css="vd"))
    if st.button(f"Download {size_words(model.size)}", type="primary", key="download cross-encoder"):
        try:
            app_state().downloads.start(model, licence=licence)
        except VerideskError as error:
            notice(str(error))
        else:
            del st.session_state[FOUND]
            st.rerun()


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
    file_button(
        "Take its recipe",
        recipe.read_bytes(),
        "asks_with_adapter.toml",
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
