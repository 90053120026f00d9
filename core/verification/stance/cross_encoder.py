"""A stance classifier by natural-language inference: any three-way cross-encoder of sentence-transformers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.errors import Cancelled, ModelError
from core.interfaces import Stop, never
from core.models.digests import weights_digest
from core.models.file_names import WEIGHTS
from core.statistics.logistic import softmax
from core.types import Passage
from core.verification.stance.features import Read

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

MAX_TOKENS = 512
BATCH = 8
MEANS = {"entailment": 0, "contradiction": 1, "neutral": 2}
"""The beginning of each label, in lower case, and its place in Stance."""


@dataclass(frozen=True)
class CrossEncoderClassifier:
    """A cross-encoder as stance classifier: the passage is the premise, the claim the hypothesis.

    `order` gives, for entailment, contradiction and neutral, the place of the model's own label. Neutral is split into
    "about it" and "not about it" by the passage's coverage of the claim.
    """

    model: CrossEncoder
    name: str
    digest: str
    order: tuple[int, int, int]

    def probabilities(
        self, claim: str, passages: Sequence[Passage], reads: Sequence[Read], *, stop: Stop = never
    ) -> NDArray[np.float64]:
        """See `StanceClassifier.probabilities`. Raises Cancelled if `stop`, asked before each batch, says so."""
        found = np.zeros((len(passages), 4))
        for start in range(0, len(passages), BATCH):
            if stop():
                raise Cancelled("Stopped while reading passages.")
            pairs = [(passage.text, claim) for passage in passages[start : start + BATCH]]
            scores = np.asarray(self.model.predict(pairs, show_progress_bar=False, convert_to_numpy=True), dtype=float)
            found[start : start + BATCH, :3] = softmax(scores)[:, self.order]
        covered = np.array([read.values["covered"] for read in reads])
        neutral = found[:, 2].copy()
        found[:, 2], found[:, 3] = neutral * covered, neutral * (1 - covered)
        return found

    def without_differences(self, reads: Sequence[Read]) -> Sequence[NDArray[np.float64] | None]:
        """See `StanceClassifier.without_differences`: it reads the passage, and not the differences."""
        return [None] * len(reads)

    def truncated(self, claim: str, passages: Sequence[Passage]) -> list[bool]:
        """See `StanceClassifier.truncated`."""
        lengths = self.model.tokenizer([p.text for p in passages], [claim] * len(passages))["input_ids"]
        return [len(ids) > (self.model.max_seq_length or MAX_TOKENS) for ids in lengths]


def load_cross_encoder(folder: Path) -> CrossEncoderClassifier:
    """Return the classifier in a folder. Raises ModelError if it holds no three-way model in safetensors."""
    weights = folder / WEIGHTS
    if not weights.is_file():
        raise ModelError(f"{folder} holds no {WEIGHTS}: only weights in that format are read.")
    from sentence_transformers import CrossEncoder

    try:
        model = CrossEncoder(
            str(folder),
            max_length=MAX_TOKENS,
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True, "dtype": "float32"},
        )
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise ModelError(f"{folder}: sentence-transformers cannot load this cross-encoder ({error}).") from error
    order = label_order(model.config.id2label, folder)
    return CrossEncoderClassifier(model, folder.absolute().name, weights_digest(weights), order)


def label_order(labels: dict[int, str], folder: Path) -> tuple[int, int, int]:
    """Return the places of entailment, contradiction and neutral among a model's labels.

    Raises ModelError if the labels are not these three: an order that is guessed would turn verdicts round.
    """
    places = {MEANS[name]: int(place) for place, label in labels.items() for name in MEANS if label.lower() == name}
    if len(labels) != 3 or len(places) != 3:
        said = ", ".join(str(label) for label in labels.values())
        raise ModelError(f"{folder}: its labels are {said}; they must be entailment, contradiction and neutral.")
    return places[0], places[1], places[2]
