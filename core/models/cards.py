"""Read and write model cards: how well a language model makes sentences readable alone."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from core.dataclass_json import from_json
from core.errors import BadRecord, reason_of
from core.files import ASSETS, json_of, write_whole
from core.settings import settings

OWN_CARDS = ASSETS / "cards"
LEAST_RIGHT, MOST_WRONG = 0.7, 0.05
"""The shares from and up to which a model may make sentences readable alone."""


@dataclass(frozen=True)
class Rewriting:
    """The shares of a model's versions of some sentences, as `fit sentences` measures them."""

    sentences: int
    right: float
    wrong: float
    unchanged: float
    dropped: float


@dataclass(frozen=True)
class ModelCard:
    """A model and its figures; `rewriting` is None if nobody measured it.

    `digest` is the SHA-256 of its weights in hex, empty for a model without a known one. `command` measures it again.
    """

    name: str
    digest: str
    rewriting: Rewriting | None = None
    date: str = ""
    command: str = ""

    @property
    def may_rewrite(self) -> bool:
        """Whether the model may make sentences readable alone: its versions were right often and wrong rarely."""
        one = self.rewriting
        return one is not None and one.right >= LEAST_RIGHT and one.wrong <= MOST_WRONG


def card_for(digest: str, *, name: str = "") -> ModelCard:
    """Return a model's card: the user's, ours, or one without figures.

    The key is the SHA-256 of the weights or, for a server that does not report it, the model's name. Raises BadRecord
    if the card cannot be read.
    """
    for folder in (user_cards_folder(), OWN_CARDS):
        path = folder / card_name(digest, name)
        if path.is_file():
            return load_card(path)
    return ModelCard(name, digest)


def user_cards_folder() -> Path:
    """Return the folder of this machine's measurements."""
    return settings().home / "cards"


def card_name(digest: str, name: str) -> str:
    """Return the file name of a card: the first characters of the digest, or of the name's."""
    key = digest or hashlib.sha256(name.encode()).hexdigest()
    if not re.fullmatch(r"[0-9a-f]{64}", key):
        raise BadRecord(f"{digest[:80]!r} is not a SHA-256 in hex, so no model card can be found by it.")
    return f"{key[:16]}.json"


def save_card(card: ModelCard, *, folder: Path | None = None) -> Path:
    """Write a card to `folder` (the user's own cards by default) and return its path.

    Raises BadInput if it cannot be written.
    """
    path = (folder or user_cards_folder()) / card_name(card.digest, card.name)
    write_whole(path, json.dumps(asdict(card), indent=2, ensure_ascii=False) + "\n", parents=True)
    return path


def load_card(path: Path) -> ModelCard:
    """Read one card. Raises BadRecord if it is not a card."""
    try:
        return from_json(json_of(path.read_text(encoding="utf-8")), ModelCard)
    except (OSError, ValueError, KeyError, TypeError, ArithmeticError) as error:
        reason = reason_of(error)
        raise BadRecord(f"{path} is no model card ({reason}): run `python -m core fit sentences`.") from error
