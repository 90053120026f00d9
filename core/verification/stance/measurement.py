"""How well a chosen reader reads, beside the built-in one: figures, their intervals, and the decision."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dataclass_json import from_json, to_json
from core.errors import BadInput
from core.files import json_of, write_whole
from core.settings import settings
from core.statistics.bootstrap import Interval, mean_interval
from core.statistics.logistic import Logistic, fit_logistic, log_loss, out_of_fold
from core.types import Stance
from core.verification.stance.cards import embedded_card
from core.verification.stance.chosen_reader import NEITHER, PassageReading, ReaderIdentity, built_in_digest
from core.verification.stance.classifier import Thresholds, decided

FOLDS = 10
PENALTY = 1.0
SUREST = 8.0
"""Log-ratios beyond this are taken as this."""

UNREAD = PassageReading((float(np.log(1 / 3)),) * 3)
"""The reading of a passage to which a model gave an unusable answer."""

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


class Way(StrEnum):
    """The readers of a row of figures."""

    BUILT_IN = "built-in"
    CHOSEN = "chosen"
    BOTH = "both"


@dataclass(frozen=True)
class ClaimRead:
    """A calibration claim that both readers have read. `answered` is False where the chosen one gave no answer."""

    document: str
    label: int
    built_in: PassageReading
    chosen: PassageReading
    answered: bool = True


@dataclass(frozen=True)
class Figures:
    """The shares of claims that were answered rightly, wrongly and not at all; the first two have intervals.

    A claim that its passage leaves open is right without a side. `seconds` are those of a claim.
    """

    right: float
    wrong: float
    open: float
    right_interval: Interval
    wrong_interval: Interval
    seconds: float


@dataclass(frozen=True)
class Measurement:
    """A reader's figures beside the built-in reader's, and the regression that turns readings into probabilities.

    `way` is the better of CHOSEN and BOTH by cross-validation. `gain` is the interval of its share of right answers
    beyond the built-in reader's. Wrong sides are taken off where the gain is then smaller. `unanswered` counts the
    claims without a usable answer. `anyway` says that a person lets it read without a measured gain. `language` is the
    ISO 639-1 code of the claims and their documents.
    """

    reader: ReaderIdentity
    built_in: str
    made: date
    claims: int
    unanswered: int
    figures: dict[Way, Figures]
    way: Way
    gain: Interval
    regression: Logistic
    anyway: bool = False
    language: str = "en"

    @property
    def better(self) -> bool:
        """Whether the reader is measured as better: right more often, and not only by taking more sides."""
        return self.gain.low > 0

    @property
    def used(self) -> bool:
        return self.better or self.anyway

    def probabilities(self, built_in: Floats, chosen: Floats) -> Floats:
        """Return those of for, against and neither for the log-probabilities of both, all of shape (passages, 3)."""
        return self.regression.of_rows(_features(self.way, built_in, chosen))


def measurement_of(read: Sequence[ClaimRead], reader: ReaderIdentity, today: date, language: str = "en") -> Measurement:
    """Return the measurement of claims that both readers have read; each label must be among them."""
    built_in, chosen = (
        np.array([one.log_probabilities for one in some])
        for some in ([one.built_in for one in read], [one.chosen for one in read])
    )
    truth = np.array([one.label for one in read])
    folds = np.array([_fold(one.document) for one in read])
    rows = {way: _features(way, built_in, chosen) for way in Way}
    found = {way: out_of_fold(rows[way], truth, folds, penalty=PENALTY) for way in Way}
    way = min((Way.CHOSEN, Way.BOTH), key=lambda one: log_loss(found[one], truth))
    seconds = {
        Way.BUILT_IN: float(np.mean([one.built_in.seconds for one in read])),
        Way.CHOSEN: float(np.mean([one.chosen.seconds for one in read])),
    }
    seconds[Way.BOTH] = sum(seconds.values())
    answers = {one: _answers(probabilities) for one, probabilities in found.items()}
    as_it_serves = _answers(np.exp(built_in))
    gains = [
        mean_interval(worth(answers[way], truth) - worth(other, truth), seed=0)
        for other in (as_it_serves, answers[Way.BUILT_IN])  # so that calibrating the built-in reader is no gain
        for worth in (_right, _right_less_wrong)  # so that silence is no gain, and neither is guessing
    ]
    answers[Way.BUILT_IN] = as_it_serves
    return Measurement(
        reader,
        built_in_digest(),
        today,
        len(read),
        sum(not one.answered for one in read),
        {one: _figures(answers[one], truth, seconds[one]) for one in Way},
        way,
        min(gains, key=lambda one: one.low),
        fit_logistic(rows[way], truth, _names(way), penalty=PENALTY),
        language=language,
    )


def _names(way: Way) -> tuple[str, ...]:
    readers = (Way.BUILT_IN, Way.CHOSEN) if way is Way.BOTH else (way,)
    return tuple(f"{side}, {reader}" for reader in readers for side in ("for", "against"))


def _features(way: Way, built_in: Floats, chosen: Floats) -> Floats:
    """Return the log-ratios of "for" and "against" to "neither", by the readers of a way; (passages, 2 or 4)."""
    of = {Way.BUILT_IN: [built_in], Way.CHOSEN: [chosen], Way.BOTH: [built_in, chosen]}[way]
    return np.column_stack([np.clip(one[:, :NEITHER] - one[:, NEITHER:], -SUREST, SUREST) for one in of])


def _fold(document: str) -> int:
    return sum(document.encode()) % FOLDS


def _answers(probabilities: Floats) -> Codes:
    """Return the side taken for each claim: the place in LABELS."""
    thresholds = embedded_card().thresholds
    return np.array([side_of(row, thresholds) for row in probabilities])


def side_of(row: Floats, thresholds: Thresholds) -> int:
    """Return the side for the probabilities of for, against and neither: its place in LABELS."""
    stance = decided(np.append(row, 0.0), thresholds)
    return [Stance.FOR, Stance.AGAINST].index(stance) if stance in (Stance.FOR, Stance.AGAINST) else NEITHER


def _right(answers: Codes, truth: Codes) -> Floats:
    return np.asarray(answers == truth, dtype=np.float64)


def _right_less_wrong(answers: Codes, truth: Codes) -> Floats:
    return np.asarray(np.where(answers == truth, 1.0, np.where(answers == NEITHER, 0.0, -1.0)))


def _figures(answers: Codes, truth: Codes, seconds: float) -> Figures:
    right = answers == truth
    wrong = ~right & (answers != NEITHER)
    return Figures(
        float(right.mean()),
        float(wrong.mean()),
        1.0 - float((right | wrong).mean()),
        mean_interval(right, seed=0),
        mean_interval(wrong, seed=0),
        seconds,
    )


def folder() -> Path:
    """Return where measurements are kept."""
    return settings().home / "readers"


def _path(reader: ReaderIdentity) -> Path:
    return folder() / f"{reader.key}.json"


def keep_measurement(measurement: Measurement) -> None:
    """Keep a measurement in place of the reader's earlier one in its language. Raises BadInput if it cannot be written.

    All languages of a reader are in one file.
    """
    path = _path(measurement.reader)
    kept = {**_read(path), measurement.language: measurement}
    write_whole(path, json.dumps(to_json(kept), indent=1) + "\n", parents=True)


def kept_measurement(reader: ReaderIdentity, language: str = "en") -> Measurement | None:
    """Return the reader's measurement in a language; None without one beside the built-in reader of now."""
    return _read(_path(reader)).get(language)


def newest_of(name: str, language: str = "en") -> Measurement | None:
    """Return the newest measurement of a reader of this name in a language, beside the built-in reader of now."""
    paths = sorted(folder().glob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
    every = (one for path in paths if (one := _read(path).get(language)))
    return next((one for one in every if one.reader.name == name), None)


def use_anyway(reader: ReaderIdentity, use: bool, language: str = "en") -> Measurement:
    """Let a reader read, or no longer, although no measurement says that it is better; return its measurement.

    Raises BadInput if nobody measured it.
    """
    measurement = kept_measurement(reader, language)
    if measurement is None:
        raise BadInput(f"{reader.name} was not measured yet: press “Measure” on Models first.")
    changed = replace(measurement, anyway=use)
    keep_measurement(changed)
    return changed


def _read(path: Path) -> dict[str, Measurement]:
    """Return the measurements in a file, by language; without those beside an older built-in reader."""
    try:
        every: dict[str, Any] = json_of(path.read_text(encoding="utf-8"))
        kept = {language: from_json(one, Measurement) for language, one in every.items()}
        return {language: one for language, one in kept.items() if one.built_in == built_in_digest()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"{path} is no measurement of a reader: delete it, and measure the model again.") from error
