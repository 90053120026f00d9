"""What the steps need from the engines, and nothing more. Only core/engines implements these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.types import Completion, Passage, Prompt

Schema = dict[str, Any]
"""A JSON schema written by us, never built from untrusted text."""

Stop = Callable[[], bool]
"""Asked between tokens and batches; True ends the work with `Cancelled`."""


def never() -> bool:
    """The `Stop` that never stops."""
    return False


@dataclass(frozen=True)
class ModelIdentity:
    """Which weights did it: a name for people, and the SHA-256 of the weights file in hex.

    `digest` is empty for a server that does not tell; a receipt then says so.
    """

    name: str
    digest: str
    context_tokens: int = 0


class Encoder(Protocol):
    """Turns texts into vectors."""

    @property
    def identity(self) -> ModelIdentity: ...

    def encode(self, texts: Sequence[str], *, stop: Stop = never) -> NDArray[np.float32]:
        """Return one unit vector per text, shape (len(texts), dimensions)."""
        ...


class Searcher(Protocol):
    """Finds passages of one corpus by their words (BM25)."""

    @property
    def passages(self) -> Sequence[Passage]: ...

    def search(self, query: str, *, k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the positions of the best `k` passages with a score above 0, best first, and their scores.

        Both have shape (min(k, matching passages),). Ties keep the order of the corpus.
        """
        ...

    def vectors(self, positions: Sequence[int], *, stop: Stop = never) -> NDArray[np.float32]:
        """Return the unit vectors of the passages at `positions`, shape (len(positions), dimensions).

        Each passage is encoded at most once in the life of the searcher.
        """
        ...


class Writer(Protocol):
    """A language model."""

    @property
    def identity(self) -> ModelIdentity: ...

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of `text` on its own, without any template around it."""
        ...

    def write(
        self, prompt: Prompt, *, schema: Schema | None = None, max_tokens: int, temperature: float = 0.0,
        seed: int = 0, stop: Stop = never,
    ) -> Completion:
        """Return what the model writes after `prompt`; with a schema, JSON that is valid under it.

        Raises ModelError if the prompt and `max_tokens` do not fit the context, if the answer was cut off
        before the JSON was complete, or if the model's process ended; Cancelled if `stop` said so.
        """
        ...

    def log_likelihoods(
        self, prompt: Prompt, choices: Sequence[str], *, stop: Stop = never
    ) -> tuple[NDArray[np.float64], Completion]:
        """Return the log-likelihood (natural log) of each choice as the whole answer to `prompt`.

        Shape (len(choices),), each ≤ 0, summed over the tokens of the choice; not normalised over choices.
        The completion records the cost; its text is the likeliest choice.
        """
        ...
