"""A passage reader by natural-language inference: any three-way cross-encoder of sentence-transformers."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from core.errors import Cancelled, ModelError
from core.interfaces import Stop, never
from core.models.digests import weights_digest
from core.models.file_names import WEIGHTS
from core.types import Passage
from core.verification.stance.chosen_reader import NEITHER, PassageReading, ReaderIdentity, reading
from core.verification.stance.classifier import sentences_in

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

MAX_TOKENS = 512
MEANS = {"entailment": 0, "contradiction": 1, "neutral": 2}
"""Each label, in lower case, and its place among for, against and neither."""


@dataclass(frozen=True)
class CrossEncoderReader:
    """A cross-encoder as passage reader: the passage is the premise, the claim the hypothesis.

    `order` gives, for entailment, contradiction and neutral, the place of the model's own label.
    """

    model: CrossEncoder
    identity: ReaderIdentity
    order: tuple[int, int, int]

    def read(self, claim: str, passage: Passage, *, stop: Stop = never) -> PassageReading:
        """See `PassageReader.read`. The deciding sentence is the one that alone is surest of the passage's side."""
        if stop():
            raise Cancelled("Stopped while reading passages.")
        began = time.perf_counter()
        spans = sentences_in(passage)
        texts = [passage.text, *(passage.document.text[start:end] for start, end in spans)]
        scores = self.model.predict(
            [(text, claim) for text in texts], show_progress_bar=False, convert_to_numpy=True, batch_size=8
        )
        rows = np.asarray(scores, dtype=np.float64)[:, self.order]
        side = int(rows[0].argmax())
        return reading(rows[0], None if side == NEITHER else spans[int(rows[1:, side].argmax())], began)


@cache
def load_cross_encoder(folder: Path) -> CrossEncoderReader:
    """Return the reader in a folder. Raises ModelError if it holds no three-way model in safetensors."""
    if not (folder / WEIGHTS).is_file():
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
    return CrossEncoderReader(model, cross_encoder_identity(folder), label_order(model.config.id2label, folder))


def cross_encoder_identity(folder: Path) -> ReaderIdentity:
    """Return the identity of a cross-encoder, without loading it."""
    return ReaderIdentity(folder.absolute().name.replace("--", "/"), weights_digest(folder / WEIGHTS))


def label_order(labels: dict[int, str], folder: Path) -> tuple[int, int, int]:
    """Return the places of entailment, contradiction and neutral among a model's labels.

    Raises ModelError if the labels are not these three: an order that is guessed would turn verdicts round.
    """
    places = {MEANS[name]: int(place) for place, label in labels.items() for name in MEANS if label.lower() == name}
    if len(labels) != 3 or len(places) != 3:
        said = ", ".join(str(label) for label in labels.values())
        raise ModelError(f"{folder}: its labels are {said}; they must be entailment, contradiction and neutral.")
    return places[0], places[1], places[2]
