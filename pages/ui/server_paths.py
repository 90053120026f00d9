"""Paths on the server's disk that a person types: checked before they are read."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.averitec.averitec import read_gold
from core.errors import BadInput
from core.files import expanded
from core.settings import settings
from pages.ui.roles import from_this_machine


def checked_path(written: str, *, folder: bool = False) -> Path:
    """Return a path that may be read and is there. Raises BadInput."""
    path = expanded(Path(written.strip()))
    if not settings().may_read(path, local=from_this_machine()):
        home = settings().home / "stores"
        raise BadInput(f"{path}: this server is open to other machines, so it reads files from {home} only.")
    if not (path.is_dir() if folder else path.exists()):
        raise BadInput(f"{path} is not there." if not folder else f"{path} is no folder on this machine.")
    return path.absolute()


def training_field(key: str) -> str:
    """Show where annotated claims are that the model takes examples from; return the path as it was typed."""
    return st.text_input(
        "Training claims to take examples from (optional)",
        key=key,
        persist_state="session",
        placeholder="/data/train.json",
        help="Claims with annotated questions (AVeriTeC JSON or leaderboard CSV) on the machine that runs Veridesk. "
        "The model sees the questions of the most similar claims as examples.",
    )


def chosen_training(written: str) -> str:
    """Return the path of the training claims, empty where none is named. Raises BadInput if they cannot be read."""
    if not written.strip():
        return ""
    path = checked_path(written)
    read_gold(path)
    return str(path)
