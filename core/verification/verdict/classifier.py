"""The verdict classifier: logistic regression on the passages' stances, on counts, and on the wording.

The wording of the claim is a part of its own: the classifier also gives the verdict without it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dataclass_json import from_json
from core.errors import BadRecord, reason_of
from core.files import ASSETS, json_of, write_whole
from core.statistics.logistic import Logistic
from core.types import Label
from core.verification.verdict.evidence_features import MEANINGS, STANCE_MEANINGS, WORDING_MEANINGS

CLASSIFIERS = ASSETS / "verdicts"
LABELS = list(Label)
FROM_DOCUMENTS = (*MEANINGS, *STANCE_MEANINGS)
WITH_WORDING = (*FROM_DOCUMENTS, *WORDING_MEANINGS)

CLASSIFIER = "verdict classifier"
"""The judge's name in verdicts of the classifier."""

LEAD = 1.01
"""The least ratio of a label that a rule decides to any other label: enough to stay the likeliest."""


def with_likeliest(label: Label, probabilities: Mapping[Label, float]) -> dict[Label, float]:
    """Return probabilities in which a label is the likeliest, raised no more than that takes."""
    others = max(one for other, one in probabilities.items() if other is not label)
    raised = {**probabilities, label: max(probabilities[label], LEAD * others)}
    return {other: one / sum(raised.values()) for other, one in raised.items()}


@dataclass(frozen=True)
class VerdictClassifier:
    """Turns a case's numbers into the probabilities of the four labels.

    `documents` uses the documents' features alone, `whole` these and the wording, and `wording` the claim's vector
    alone. `threshold` is the probability under which the classifier says "cannot tell". `measured` holds the figures
    that the page quotes, with the command and the data that gave them.
    """

    documents: Logistic
    whole: Logistic
    wording: Logistic
    threshold: float
    measured: dict[str, Any]

    def wording_of(self, vector: NDArray[np.float32]) -> dict[Label, float] | None:
        """Return the probabilities from the claim's vector, shape (dimensions,); None for another encoder's vector."""
        if len(vector) != len(self.wording.names):
            return None
        return by_label(self.wording.of_rows(vector[np.newaxis].astype(np.float64))[0])

    def probabilities(self, values: Mapping[str, float], wording: Mapping[Label, float] | None) -> dict[Label, float]:
        """Return the four probabilities, which sum to 1; without the wording where there is none."""
        if wording is None:
            return by_label(self.documents.of_values(values))
        return by_label(self.whole.of_values({**values, **wording_features(wording)}))


def by_label(probabilities: NDArray[np.float64]) -> dict[Label, float]:
    """Return probabilities in the order of Label under their labels."""
    return dict(zip(LABELS, probabilities.tolist(), strict=True))


def wording_features(wording: Mapping[Label, float]) -> dict[str, float]:
    """Return the features of WORDING_MEANINGS for the probabilities that the wording gives."""
    logs = {label: float(np.log(max(probability, 1e-6))) for label, probability in wording.items()}
    others = (Label.SUPPORTED, Label.NOT_ENOUGH_EVIDENCE, Label.CONFLICTING)
    return {name: logs[label] - logs[Label.REFUTED] for name, label in zip(WORDING_MEANINGS, others, strict=True)}


def load_classifier(name: str) -> VerdictClassifier:
    """Return the classifier of a recipe's evidence. Raises BadRecord if its file is missing or incomplete."""
    path = CLASSIFIERS / f"{name}.json"
    try:
        return from_json(json_of(path.read_text(encoding="utf-8")), VerdictClassifier)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadRecord(
            f"{path} is not a verdict classifier ({reason_of(error)}): fit one with `python -m core fit verdict`."
        ) from error


def save_classifier(name: str, classifier: VerdictClassifier) -> Path:
    """Write a classifier as numbers and return its path."""
    CLASSIFIERS.mkdir(parents=True, exist_ok=True)
    path = CLASSIFIERS / f"{name}.json"
    write_whole(path, json.dumps(asdict(classifier)) + "\n")
    return path
