"""Who reads the passages of a case: the best of the classifiers that are there and that were measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from core.interfaces import RunContext
from core.models.cross_encoders import chosen_cross_encoder
from core.models.digests import weights_digest
from core.models.file_names import WEIGHTS
from core.types import Passage, PassageStance
from core.verification.stance.cards import StanceCard, card_of, serving
from core.verification.stance.classifier import stances_of
from core.verification.stance.cross_encoder import load_cross_encoder
from core.verification.stance.embedded import load_embedded
from core.verification.stance.likelihood import LikelihoodClassifier

_opened = cache(load_cross_encoder)


def reads_better(card: StanceCard | None) -> bool:
    """Say whether a card is better than the embedded classifier's."""
    embedded = card_of("")
    return card is not None and (embedded is None or card.score > embedded.score)


def take_stances(claim: str, passages: Sequence[Passage], context: RunContext) -> tuple[PassageStance, ...]:
    """Return the stance of each passage, by the classifier with the best card.

    A cross-encoder that reads no better than the embedded classifier, or that nobody measured, is not even loaded.
    """
    folder = chosen_cross_encoder()
    better = [_opened(folder)] if folder and reads_better(card_of(weights_digest(folder / WEIGHTS))) else []
    classifier, card = serving([load_embedded(), LikelihoodClassifier(context.models.llm), *better])
    if isinstance(classifier, LikelihoodClassifier):
        classifier = replace(classifier, slope=card.slope, biases=card.biases)
    return stances_of(claim, passages, classifier, context.models.encoder, card.thresholds, stop=context.stop)
