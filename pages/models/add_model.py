"""Add a model from the hub, from a file on this machine, or by a server's address."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.errors import BadInput, ServerError, VerideskError
from core.models.catalogue import Recommendation, catalogue, recommended
from core.models.choice import add_choice, file_choice, keep_key, key_for, server_address, server_choice
from core.models.digests import weights_digest
from core.models.hub import HubModel, checked_repository, list_models
from core.models.installed import check_file
from core.models.servers import list_server_models
from core.settings import settings
from core.wording import size_words
from pages.models.models import offer
from pages.ui.app_state import app_state
from pages.ui.markup import plain, show
from pages.ui.notices import notice, remark

OTHER = "Another repository …"
CLASSES = {"laptop": "for a laptop", "workstation": "for a workstation"}


def from_hub() -> None:
    """Choose a repository, list its files live, choose a quantisation, start the download."""
    options: list[Recommendation | str] = [*catalogue(), OTHER]
    entry = st.selectbox(
        "Model",
        options,
        format_func=_entry_words,
        help="Models tested with Veridesk. The teams are from the report of the FEVER 8 shared task.",
        key="model",
    )
    if isinstance(entry, str):
        repository = st.text_input(
            "Repository", placeholder="Qwen/Qwen3-8B-GGUF", help="owner/name on the hub", key="model-repository"
        )
    else:
        repository = entry.repository
        used = f" Used in the shared task by {entry.used_by}." if entry.used_by else ""
        st.caption(plain(f"{entry.note}{used} Repository: {entry.repository}."))
    if st.button("Show its files", disabled=not repository.strip(), key="model-files"):
        _list(repository)
    listed = st.session_state.get("hub listing")
    if listed and repository.strip() and listed[0] == repository:
        _choose(listed[1], None if isinstance(entry, str) else entry)


def _entry_words(entry: Recommendation | str) -> str:
    if isinstance(entry, str):
        return entry
    return f"{entry.name}, {entry.parameters} parameters, {entry.licence}, {CLASSES[entry.size_class]}"


def _list(repository: str) -> None:
    st.session_state.pop("hub listing", None)
    try:
        with st.spinner("Asking the hub …"):
            models = list_models(checked_repository(repository), hub=settings().hub)
    except ServerError as error:
        remark(
            f"{error} Installed models still work. You can copy a .gguf file here and name its path under “A "
            "file”, or use a model on a server. For a mirror, set VERIDESK_HUB."
        )
    except BadInput as error:
        notice(str(error))
    else:
        st.session_state["hub listing"] = (repository, models)


def _choose(models: tuple[HubModel, ...], entry: Recommendation | None) -> None:
    best = recommended(models, entry.quantisations if entry else ("Q4_K_M",))

    def words(model: HubModel) -> str:
        mark = " (recommended)" if model == best else ""
        return f"{model.quantisation or model.name}, {size_words(model.size)}{mark}"

    model = st.selectbox(
        "Quantisation",
        models,
        index=models.index(best) if best else 0,
        format_func=words,
        help="Fewer bits per weight make a model smaller and faster, but less exact. Q4_K_M is the usual choice.",
        key=f"quantisation of {models[0].repository}",
    )
    licence = entry.licence if entry else ""
    show(offer(model, licence))
    if st.button(f"Download {size_words(model.size)}", type="primary", key=f"download {model.name}"):
        try:
            app_state().downloads.start(model, licence=licence)
        except VerideskError as error:
            notice(str(error))
        else:
            del st.session_state["hub listing"]
            st.rerun()


def from_file() -> None:
    """Add a GGUF file from the machine that runs Veridesk."""
    with st.form("model file", border=False):
        text = st.text_input(
            "Path",
            placeholder="/data/models/phi-4-Q4_K_M.gguf",
            help="Path of a .gguf file on the machine that runs Veridesk.",
            key="model-path",
        )
        sent = st.form_submit_button("Add this file", key="model-add-file")
    if not sent:
        return
    try:
        choice = file_choice(Path(text.strip()))
        assert choice.path is not None
        check_file(choice.path)
        with st.spinner("Computing the file's SHA-256 …"):
            weights_digest(choice.path)
        add_choice(choice)
    except VerideskError as error:
        notice(str(error))
    else:
        st.toast(plain(f"{choice.name} is on the list."))
        st.rerun()


def from_server() -> None:
    """Ask an OpenAI-compatible server for its models and add one."""
    with st.form("server", border=False):
        url = st.text_input(
            "Address", placeholder="http://localhost:8080/v1", help="llama-server, vLLM or Ollama.", key="model-server"
        )
        key = st.text_input(
            "Key, if the server needs one",
            type="password",
            help="Kept in memory until Veridesk ends, for all its users, and never on disk.",
            key="model-server-key",
        )
        if st.form_submit_button("Test the connection", key="model-test-server"):
            _test(url, key)
    tested = st.session_state.get("server models")
    if tested:
        _choose_server_model(*tested)


def _test(url: str, key: str) -> None:
    st.session_state.pop("server models", None)
    try:
        address = server_address(url)
        names = list_server_models(address, api_key=key or key_for(address))
    except VerideskError as error:
        notice(str(error))
        return
    if key:
        keep_key(address, key)
    st.session_state["server models"] = (address, names)


def _choose_server_model(address: str, names: tuple[str, ...]) -> None:
    remark(f"{address} answers and has {len(names)} {'model' if len(names) == 1 else 'models'}.")
    name = st.selectbox("Its model", names, accept_new_options=not names, key=f"model of {address}")
    if name and st.button("Add this model", type="primary", key="model-add-served"):
        try:
            add_choice(server_choice(address, name))
        except VerideskError as error:
            notice(str(error))
        else:
            st.session_state.pop("server models")
            st.rerun()
