"""Similarity thresholds: they are an encoder's, fitted to its cosines, and mean nothing for another."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from core.dataclass_json import from_json
from core.files import ASSETS, write_whole
from core.types import Label

CARDS = ASSETS / "similarity"


@dataclass(frozen=True)
class SimilarityCard:
    """The verdict from the cosine between a claim and its closest pair, for one encoder.

    Below `not_enough_below`, most training claims lacked enough evidence. `shares` are the four labels' shares among
    the `claims` training claims below it. It is None if Not Enough Evidence is the commonest label under no cosine.
    """

    encoder: str
    digest: str
    not_enough_below: float | None
    shares: dict[Label, float]
    claims: int
    fitted_by: str


def load_similarity_card(digest: str) -> SimilarityCard | None:
    """Return the card fitted for the encoder with this weights hash, or None if there is none."""
    for path in sorted(CARDS.glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["digest"] == digest:
            return from_json(record, SimilarityCard)
    return None


def save_similarity_card(card: SimilarityCard) -> Path:
    """Write a card and return its path."""
    CARDS.mkdir(parents=True, exist_ok=True)
    path = CARDS / f"{card.encoder}.json"
    write_whole(path, json.dumps(asdict(card), indent=1) + "\n")
    return path
