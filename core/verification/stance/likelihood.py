"""A stance classifier by a language model: the likelihoods of four letters, calibrated as its card says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.interfaces import LanguageModel, Stop, never
from core.llm.prompts import first_tokens, render
from core.statistics.logistic import softmax
from core.types import Passage
from core.verification.stance.features import Read

LETTERS = ("A", "B", "C", "D")
"""The answers of the stance prompt, in the order of Stance."""

PASSAGE_TOKENS = 200


@dataclass(frozen=True)
class LikelihoodClassifier:
    """Asks a language model one question a passage; nothing is generated.

    `slope` and `biases` (in the order of Stance) turn its log-likelihoods into probabilities.
    """

    llm: LanguageModel
    slope: float = 1.0
    biases: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)

    @property
    def name(self) -> str:
        return self.llm.identity.name

    @property
    def digest(self) -> str:
        return self.llm.identity.digest

    def probabilities(
        self, claim: str, passages: Sequence[Passage], reads: Sequence[Read], *, stop: Stop = never
    ) -> NDArray[np.float64]:
        """See `StanceClassifier.probabilities`."""
        rows = [self.log_likelihoods(claim, passage, stop=stop) for passage in passages]
        return self.calibrated(np.array(rows).reshape(-1, 4))

    def calibrated(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return probabilities for log-likelihoods, shape (passages, 4)."""
        return softmax(self.slope * rows + np.array(self.biases))

    def without_differences(self, reads: Sequence[Read]) -> Sequence[NDArray[np.float64] | None]:
        """See `StanceClassifier.without_differences`: it reads the passage, and not the differences."""
        return [None] * len(reads)

    def truncated(self, claim: str, passages: Sequence[Passage]) -> list[bool]:
        """See `StanceClassifier.truncated`."""
        return [self.llm.count_tokens(" ".join(passage.text.split())) > PASSAGE_TOKENS for passage in passages]

    def log_likelihoods(self, claim: str, passage: Passage, *, stop: Stop = never) -> list[float]:
        """Return the log-likelihood of each letter."""
        text = first_tokens(" ".join(passage.text.split()), self.llm, tokens=PASSAGE_TOKENS)
        likelihoods, _ = self.llm.log_likelihoods(
            render("stance", {"claim": claim, "passage": text}), LETTERS, stop=stop
        )
        return [float(one) for one in likelihoods]
