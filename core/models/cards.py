"""Read and write model cards: the measured quality of a model as judge, and the command to measure it again."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from core.errors import BadRecord, reason_of
from core.files import ASSETS, json_of, write_whole
from core.settings import settings

OWN_CARDS = ASSETS / "cards"

Measured = dict[str, float | int | str]
"""The figures of a measurement. The page shows these keys, and each may be missing:

* claims: their number;
* accuracy, always_refuted, claim_only, classifier: accuracies in [0, 1]. The first is the model's. The others are of
  always answering "Refuted", of a claim-only baseline and of the verdict classifier;
* calibration_error: the expected one, in [0, 1];
* auc: of separating Supported from Refuted, in [0, 1]; 0.5 is chance;
* date (ISO) and command, which measures it again.
"""


READING = {
    "given_on_swapped_evidence": (0.0, 0.03),
    "given_in_a_wrong_store": (0.0, 0.03),
    "given_with_own_store_left_out": (0.0, 0.35),
    "flipped_by_negation": (0.5, 1.0),
}
"""Bounds of the shares measured by `stress verdict`; a model within them reads its evidence."""


REWRITING = {"right": (0.7, 1.0), "wrong": (0.0, 0.05)}
"""The shares that `fit sentences` measures. Between these bounds a model may make sentences readable alone."""


@dataclass(frozen=True)
class ModelCard:
    """The known figures of a model's verdicts.

    `digest` is the SHA-256 of its weights in hex, empty for a model without a known one. `calibration` turns the
    likelihoods of the four labels into probabilities; under the probability `threshold` the verdict is "cannot tell".
    Both are None if not fitted. `reading` are the shares of READING, None where nobody measured them, and `rewriting`
    those of REWRITING. A model that may judge must have a threshold, a calibration of four numbers and a `reading` that
    `reads`. Otherwise BadRecord is raised.
    """

    name: str
    digest: str
    may_judge: bool
    measured: Measured | None = None
    threshold: float | None = None
    calibration: tuple[float, ...] | None = None
    note: str = ""
    reading: Measured | None = None
    rewriting: Measured | None = None

    @property
    def may_rewrite(self) -> bool:
        """Whether the model may make sentences readable alone: its versions were right often and wrong rarely."""
        return _within(self.rewriting, REWRITING)

    def __post_init__(self) -> None:
        calibrated = self.calibration is not None and len(self.calibration) == 4
        if self.may_judge and not (calibrated and self.threshold is not None):
            raise BadRecord(f"{self.name}: a model that may judge needs a threshold and a calibration of 4.")
        if self.may_judge and not reads(self.reading):
            raise BadRecord(
                f"{self.name}: a model may judge only if it was measured to read its evidence. "
                "Run `python -m core fit model`, then `python -m core stress verdict --as-judge`."
            )


def reads(reading: Measured | None) -> bool:
    """Return whether the shares of `stress verdict` are within the bounds of READING; False if not measured."""
    return _within(reading, READING)


def _within(measured: Measured | None, bounds: Mapping[str, tuple[float, float]]) -> bool:
    found = measured or {}
    return all(name in found and low <= float(found[name]) <= high for name, (low, high) in bounds.items())


def right_more_often(measured: Measured | None) -> bool:
    """Return whether a model was right more often than all baselines."""
    if not measured or "accuracy" not in measured:
        return False
    return all(float(measured["accuracy"]) > float(measured[key]) for key in _BESIDE if key in measured)


def weighed(card: ModelCard) -> ModelCard:
    """Return a card with the decision whether the model may judge, and the reason if not."""
    if not right_more_often(card.measured):
        note = "It is right no more often than the methods it was compared with, so the verdict classifier decides."
    elif card.reading is None:
        note = "Whether it reads its evidence is not known: run `python -m core stress verdict --as-judge`."
    else:
        note = (
            "" if reads(card.reading) else "It does not read its evidence well enough: the verdict classifier decides."
        )
    return replace(card, may_judge=not note, note=note)


_BESIDE = {
    "always_refuted": "always saying “Refuted”",
    "claim_only": "judging by the claim’s words alone",
    "classifier": "the verdict classifier",
}


_FIGURES = {"claims", "accuracy", "auc", "calibration_error", *_BESIDE, *READING, *REWRITING}


def card_for(digest: str, *, name: str = "") -> ModelCard:
    """Return a model's card: the user's, ours, or one that says "not measured".

    The key is the SHA-256 of the weights or, for a server that does not report it, the model's name. A model
    that nobody measured may not judge. Raises BadRecord if the card cannot be read.
    """
    for folder in (user_cards_folder(), OWN_CARDS):
        path = folder / card_name(digest, name)
        if path.is_file():
            return load_card(path)
    return ModelCard(name=name, digest=digest, may_judge=False)


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
    """Read one card. Raises BadRecord if it is not a card: the message names the file and the field."""
    try:
        record = json_of(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadRecord(f"{path}: the model card cannot be read: {reason_of(error)}. Fit it again.") from error
    if not isinstance(record, dict):
        raise BadRecord(f"{path}: a model card is one JSON object.")
    return ModelCard(
        name=_field(path, record, "name", str),
        digest=_field(path, record, "digest", str),
        may_judge=_field(path, record, "may_judge", bool),
        measured=_measured(path, record, "measured"),
        threshold=_number(path, record, "threshold"),
        calibration=_numbers(path, record, "calibration"),
        note=_field(path, record, "note", str),
        reading=_measured(path, {"reading": None, **record}, "reading"),
        rewriting=_measured(path, {"rewriting": None, **record}, "rewriting"),
    )


def judge_words(card: ModelCard) -> str:
    """Return one or two sentences on whether and why the model may judge."""
    if card.measured is None and not card.note:
        return (
            "It writes the questions. Its verdicts were not measured, so the verdict classifier decides."
            " Measure it with: python -m core fit model"
        )
    work = "It writes the questions and decides the verdicts." if card.may_judge else "It writes the questions."
    return " ".join(part for part in (work, measured_words(card.measured), card.note) if part)


def measured_words(measured: Measured | None) -> str:
    """Return the measurement in sentences, or "" if there is none."""
    if not measured or "accuracy" not in measured:
        return ""
    where = f"On {measured['claims']} claims" if "claims" in measured else "Measured,"
    others = "".join(f"; {words}, {_percent(measured[key])}" for key, words in _BESIDE.items() if key in measured)
    said = f"{where} its verdict was right {_percent(measured['accuracy'])} of the time{others}."
    if "auc" not in measured:
        return said
    told = f"{_percent(measured['auc'])} of the time, where chance is 50%"
    return f"{said} Given a supported and a refuted claim, it knew which was which {told}."


def _percent(share: float | int | str) -> str:
    return share if isinstance(share, str) else f"{share:.0%}"


def _field(path: Path, record: dict[str, Any], key: str, kind: Any) -> Any:
    if key not in record or not isinstance(record[key], kind):
        raise BadRecord(f"{path}: the card's '{key}' is missing or of the wrong kind.")
    return record[key]


def _number(path: Path, record: dict[str, Any], key: str) -> float | None:
    value = _field(path, record, key, int | float | None)
    if value is not None and not _is_finite(value):
        raise BadRecord(f"{path}: the card's '{key}' is not a finite number.")
    return None if value is None else float(value)


def _numbers(path: Path, record: dict[str, Any], key: str) -> tuple[float, ...] | None:
    values = _field(path, record, key, list | None)
    if values is None:
        return None
    if not all(map(_is_finite, values)):
        raise BadRecord(f"{path}: the card's '{key}' must be a list of finite numbers.")
    return tuple(float(value) for value in values)


def _measured(path: Path, record: dict[str, Any], key: str) -> Measured | None:
    figures: Measured | None = _field(path, record, key, dict | None)
    for name, value in (figures or {}).items():
        if name in _FIGURES and not _is_finite(value):
            raise BadRecord(f"{path}: '{name}' in the card's '{key}' is not a finite number.")
    return figures


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and abs(value) <= sys.float_info.max
