"""Models: the one in use, the installed ones, and ways to add another."""

from __future__ import annotations

import streamlit as st

from core.documents.examples import examples
from core.errors import VerideskError
from core.llm.llama_attempts import attempt_words, kept_attempt
from core.models.choice import ModelChoice, set_default
from core.models.digests import weights_digest
from core.models.installed import Installed, default_choice, installed_models, remove_model
from core.wording import size_words
from pages.models.add_model import from_file, from_hub, from_server
from pages.models.cross_encoders import add_cross_encoder, show_cross_encoders, show_question_adapter
from pages.models.installation import show_installation
from pages.models.measuring import show_measuring
from pages.models.models import downloads_live, model_card, model_row, show_downloads
from pages.ui.app_state import app_state
from pages.ui.claim_form.claim_draft import use_example
from pages.ui.entry import through_app
from pages.ui.markup import plain, show
from pages.ui.notices import notice, remark


def at_work_on(choice: ModelChoice) -> str:
    """Return the job that uses a model or waits for it, such as "a claim"; empty without one.

    Commands in a terminal are not included.
    """
    at = app_state()
    kind = at.jobs.using(choice.id)
    return at.queue.kinds[kind].one if kind else ""


def show_default(models: tuple[Installed, ...]) -> str:
    """Show the model in use, and return its id; empty if the default cannot be used."""
    try:
        choice = default_choice()
        model = next((model for model in models if model.choice == choice), Installed(choice))
        show(model_card(model))
        if choice.kind != "server" and (attempt := kept_attempt(model.digest)):
            remark(attempt_words(attempt))
    except VerideskError as error:
        notice(str(error))
        return ""
    return choice.id


def row(model: Installed, default: str) -> None:
    with st.container(border=True):
        words, buttons = st.columns([3, 1], vertical_alignment="center")
    with words:
        show(model_row(model))
    with buttons, st.container(horizontal=True, horizontal_alignment="right"):
        if model.choice.id == default:
            st.button("In use", key=f"use {model.choice.id}", disabled=True)
        elif not model.problem and st.button(
            "Use", key=f"use {model.choice.id}", help="For new cases of all users of this Veridesk."
        ):
            use(model.choice)
        if model.choice.kind != "bundled":
            confirm_removal(model)


def use(choice: ModelChoice) -> None:
    try:
        if choice.path is not None:
            with st.spinner("Computing the file's SHA-256 …"):
                weights_digest(choice.path)
        set_default(choice)
    except VerideskError as error:
        notice(str(error))
    else:
        st.rerun()


def confirm_removal(model: Installed) -> None:
    word = "Delete" if model.deletable else "Remove"
    with st.popover(word):
        if model.deletable:
            st.write(f"{plain(model.choice.name)} will be deleted from the disk ({size_words(model.size)}).")
        else:
            st.write(f"{plain(model.choice.name)} will be removed from this list. Nothing is deleted.")
        if st.button(f"{word} it", key=f"remove {model.choice.id}", type="primary"):
            try:
                remove_model(model.choice, in_use=at_work_on, let_go=app_state().pool.let_go)
            except VerideskError as error:
                notice(str(error))
            else:
                st.rerun()


through_app()
st.title("Models")
st.caption(
    "The language model writes the questions. If a measurement shows that it reads better, it also reads passages, and "
    "gives the verdict in the published recipes."
)
try:
    were_live = downloads_live()  # before the models, because a finished download draws the page again
    installed = installed_models()
except VerideskError as error:
    notice(str(error))
    st.stop()
default = show_default(installed)
if default and st.button("Try it on an example", icon=":material/fact_check:", key="models-example"):
    use_example(examples()[0])
    st.switch_page("pages/verify/page.py")
try:
    show_downloads(were_live)
except VerideskError as error:
    notice(str(error))
st.subheader("On this machine and your servers")
for model in installed:
    row(model, default)
show_cross_encoders()
if default:
    show_measuring(default)
show_question_adapter()
st.subheader("Add a model")
hub_tab, file_tab, server_tab, reader_tab = st.tabs(
    ["From the hub", "A file", "A server", "A cross-encoder for passages"]
)
with hub_tab:
    from_hub()
with file_tab:
    from_file()
with server_tab:
    from_server()
with reader_tab:
    add_cross_encoder()
show_installation()
