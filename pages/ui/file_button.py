"""Offer a file for download; the page is not drawn again for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import BinaryIO, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

DOWNLOAD = ":material/download:"
KINDS = {
    ".csv": "text/csv",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".toml": "application/toml",
    ".zip": "application/zip",
}

Content = str | bytes | BinaryIO
Look = Literal["primary", "secondary", "tertiary"]


def file_button(
    label: str,
    content: Content | Callable[[], Content],
    name: str,
    *,
    key: str | None = None,
    place: DeltaGenerator | None = None,
    mime: str = "",
    icon: str | None = None,
    help: str | None = None,
    type: Look = "secondary",
    disabled: bool = False,
) -> None:
    """Offer `content`, or the result of a function on a click. `mime` is by default that of the name."""
    kind = mime or KINDS[PurePath(name).suffix]
    (place or st).download_button(
        label,
        content,
        name,
        kind,
        key=key,
        help=help,
        on_click="ignore",
        type=type,
        icon=icon,
        disabled=disabled,
    )
