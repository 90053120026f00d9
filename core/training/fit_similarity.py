"""Fit the cosine under which an encoder finds not enough evidence."""

from __future__ import annotations

import numpy as np

from core.interfaces import Models
from core.training.annotated_cases import AnnotatedCases, Codes, Floats, read_evidence_of
from core.training.progress import WithProgress
from core.types import Label
from core.verification.verdict.classifier import LABELS
from core.verification.verdict.similarity import SimilarityCard


def not_enough_threshold(
    closest: Floats, truth: Codes, *, least: int = 10
) -> tuple[float | None, dict[Label, float], int]:
    """Return the highest cosine below which Not Enough Evidence is the commonest label, the shares below it, and n.

    closest: the cosine of each claim's closest answer. At least `least` claims must lie below; (None, {}, 0) if there
    is no such cosine.
    """
    order = np.argsort(closest, kind="stable")
    for count in range(len(order), least - 1, -1):
        shares = np.bincount(truth[order[:count]], minlength=4) / count
        if shares.argmax() == LABELS.index(Label.NOT_ENOUGH_EVIDENCE):
            edge = float(closest[order[count]]) if count < len(order) else 1.0
            return round(edge, 4), dict(zip(LABELS, shares.tolist(), strict=True)), count
    return None, {}, 0


def similarity_card(
    train: AnnotatedCases, models: Models, with_progress: WithProgress, *, command: str
) -> SimilarityCard:
    """Return the encoder's card with the cosine under which the claims lack evidence."""
    closest = np.array([one.values["closest"] for one in read_evidence_of(train.cases, models, with_progress)])
    edge, shares, count = not_enough_threshold(closest, train.truth)
    encoder = models.encoder.identity
    return SimilarityCard(encoder.name, encoder.digest, edge, shares, count, command)
