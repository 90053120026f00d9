"""Declare the replay of a receipt or of an evidence package."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from core.actions.action import Action, Later
from core.actions.fields import Help, OptionName, Place, Reads


@dataclass(frozen=True)
class Replay:
    """Run a receipt again and say whether it comes out the same."""

    receipt: Annotated[
        Path,
        Place("RECEIPT"),
        Reads(),
        Help("a receipt or an evidence package (.wacz), downloaded from the page or written by verify"),
    ]
    model: Annotated[str, Reads(), Help("where the same model is now, if it has moved")] = ""
    store: Annotated[
        tuple[str, ...], OptionName(metavar="PATH"), Reads(), Help("where the knowledge stores are now")
    ] = ()
    training: Annotated[Path | None, Reads(), Help("where its training claims are now, if it had any")] = None
    yes: Annotated[bool, Help("read its web addresses without asking first")] = False


@dataclass(frozen=True)
class Replayed:
    """The result of a replay: in words, and whether it came out the same."""

    words: str
    same: bool


work = Later("core.cli.replaying").replay
REPLAY = Action("replay", Replay, work, lambda done: done.words, json=None, good=lambda done: done.same)
