"""Cards of stance classifiers: each is measured on the same pairs, and the best installed one serves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from core.dataclass_json import from_json
from core.errors import BadRecord, reason_of
from core.files import ASSETS, json_of, write_whole
from core.settings import settings
from core.verification.stance.classifier import StanceClassifier, Thresholds

OWN_CARDS = ASSETS / "stance" / "cards"


@dataclass(frozen=True)
class StanceCard:
    """The measurements of a stance classifier.

    `right` has the share of correct pairs by kind, in [0, 1], and `score` is its mean over the kinds. `named` is the
    share of changes with a reason of the right kind. `slope` and `biases` calibrate a language model.
    """

    reader: str
    digest: str
    thresholds: Thresholds
    score: float
    right: dict[str, float]
    named: float
    pairs: int
    command: str
    slope: float = 1.0
    biases: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)


def user_folder() -> Path:
    """Return where measurements made on this machine are kept."""
    return settings().home / "stance-cards"


def card_of(digest: str) -> StanceCard | None:
    """Return the card of the classifier with these weights: the user's or ours; None if nobody measured it."""
    name = f"{digest[:16] or 'embedded'}.json"
    for folder in (user_folder(), OWN_CARDS):
        if (folder / name).is_file():
            return _read(folder / name)
    return None


def _read(path: Path) -> StanceCard:
    try:
        return from_json(json_of(path.read_text(encoding="utf-8")), StanceCard)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadRecord(
            f"{path} is no card of a classifier ({reason_of(error)}): run `python -m core fit stance`."
        ) from error


def save_stance_card(card: StanceCard, *, folder: Path | None = None) -> Path:
    """Write a card to `folder`, by default the user's, and return its path."""
    place = folder or user_folder()
    place.mkdir(parents=True, exist_ok=True)
    path = place / f"{card.digest[:16] or 'embedded'}.json"
    write_whole(path, json.dumps(asdict(card), indent=1, ensure_ascii=False) + "\n")
    return path


def serving(classifiers: Sequence[StanceClassifier]) -> tuple[StanceClassifier, StanceCard]:
    """Return the classifier with the best card, and the card; on a tie the first. Raises BadRecord if none has one."""
    measured = [(classifier, card) for classifier in classifiers if (card := card_of(classifier.digest))]
    if not measured:
        raise BadRecord("No stance classifier has been measured: run `python -m core fit stance`.")
    return max(measured, key=lambda pair: pair[1].score)
