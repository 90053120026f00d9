"""The card of the embedded stance classifier: its thresholds, and its measurements."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from core.dataclass_json import from_json
from core.errors import BadRecord, reason_of
from core.files import ASSETS, json_of, write_whole
from core.verification.stance.classifier import Thresholds

CARD = ASSETS / "stance" / "cards" / "embedded.json"


@dataclass(frozen=True)
class StanceCard:
    """The measurements of a stance classifier.

    `right` has the share of correct pairs by kind, in [0, 1], and `score` is its mean over the kinds. `named` is the
    share of changes with a reason of the right kind.
    """

    thresholds: Thresholds
    score: float
    right: dict[str, float]
    named: float
    pairs: int
    command: str


def embedded_card(path: Path = CARD) -> StanceCard:
    """Return the card of the embedded classifier. Raises BadRecord if its file is missing or is no card."""
    try:
        return from_json(json_of(path.read_text(encoding="utf-8")), StanceCard)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadRecord(
            f"{path} is no card of a classifier ({reason_of(error)}): run `python -m core fit stance`."
        ) from error


def save_stance_card(card: StanceCard, path: Path = CARD) -> Path:
    """Write a card and return its path."""
    write_whole(path, json.dumps(asdict(card), indent=1, ensure_ascii=False) + "\n")
    return path
