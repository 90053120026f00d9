"""Whether the disk has room for a download."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from core.errors import BadInput
from core.models.memory import size_words
from core.models.plans import Plan

MARGIN = 500_000_000
"""Bytes that stay free on the disk when a download is whole."""

FreeSpace = Callable[[Path], int]


def free_space(folder: Path) -> int:
    """Return the bytes free on the disk that holds `folder`, which must exist."""
    return shutil.disk_usage(folder).free


def check_room(plan: Plan, folder: Path, *, free: int, owed: int = 0) -> None:
    """Raise BadInput if what is missing of a model does not fit into the `free` bytes of its folder's disk.

    `owed` of these bytes are for downloads that come before it.
    """
    missing = plan.missing(folder)
    needed = missing + MARGIN
    if missing and free - owed < needed:
        before = f", {size_words(owed)} of it for the downloads before this one" if owed else ""
        raise BadInput(
            f"Too little room on the disk for {plan.name}: {size_words(needed)} needed (with "
            f"{size_words(MARGIN)} to spare), {size_words(free)} free in {folder}{before}. "
            "Free some space and start it again."
        )
