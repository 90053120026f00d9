"""Who reads the passages of a case: the best of the readers that are there and that were measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from core.interfaces import Engines
from core.settings import settings
from core.types import Passage, PassageStance
from core.verification.stance.cards import serving
from core.verification.stance.cross_encoder import CrossEncoderReader, load_cross_encoder
from core.verification.stance.embedded import load_embedded
from core.verification.stance.likelihood import LikelihoodReader
from core.verification.stance.reader import StanceReader, stances_of

_opened = cache(load_cross_encoder)


def readers(engines: Engines) -> list[StanceReader]:
    """Return every reader that is there: the embedded one, the language model, and VERIDESK_STANCE_MODEL if given."""
    given: list[CrossEncoderReader] = [_opened(folder) for folder in _folders()]
    return [load_embedded(), LikelihoodReader(engines.llm), *given]


def _folders() -> list[Path]:
    folder = settings().stance_model
    return [folder] if folder else []


def take_stances(claim: str, passages: Sequence[Passage], engines: Engines) -> tuple[PassageStance, ...]:
    """Return what each passage does with a claim, by the reader whose card is the best."""
    reader, card = serving(readers(engines))
    if isinstance(reader, LikelihoodReader):
        reader = replace(reader, slope=card.slope, biases=card.biases)
    return stances_of(claim, passages, reader, engines.encoder, card.thresholds, stop=engines.stop)
