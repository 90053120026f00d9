"""The built-in stance classifier: logistic regression on readable features of the best aligned sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.dataclass_json import from_json
from core.errors import BadRecord, reason_of
from core.files import ASSETS, write_whole
from core.statistics.logistic import Logistic
from core.verification.stance.features import Read

FITTED = ASSETS / "stance" / "embedded.json"


@dataclass(frozen=True)
class EmbeddedClassifier:
    """Gives the probabilities of the four stances, in the order of Stance, from the numbers of readings."""

    regression: Logistic

    def probabilities(self, reads: Sequence[Read]) -> NDArray[np.float64]:
        """Return the probabilities for each reading, shape (readings, 4)."""
        return self.regression.of_rows(rows_of([read.values for read in reads], self.regression.names))

    def without_differences(self, reads: Sequence[Read]) -> NDArray[np.float64]:
        """Return the probabilities of passages that would not differ from the claim in any word, same shape."""
        return self.regression.of_rows(rows_of([read.plain for read in reads], self.regression.names))


def rows_of(values: Sequence[Mapping[str, float]], names: Sequence[str]) -> NDArray[np.float64]:
    """Return the features of passages, shape (passages, names)."""
    return np.array([[some[name] for name in names] for some in values]).reshape(-1, len(names))


def load_embedded(path: Path = FITTED) -> EmbeddedClassifier:
    """Return the fitted classifier. Raises BadRecord if its file is missing or incomplete."""
    try:
        return EmbeddedClassifier(from_json(json.loads(path.read_text(encoding="utf-8")), Logistic))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadRecord(
            f"{path} is no fitted stance classifier ({reason_of(error)}): run `python -m core fit stance`."
        ) from error


def save_embedded(classifier: EmbeddedClassifier, path: Path = FITTED) -> Path:
    """Write a classifier as numbers and return its path."""
    write_whole(path, json.dumps(asdict(classifier.regression), indent=1, ensure_ascii=False) + "\n")
    return path
