"""A model in a GGUF file with a LoRA adapter over its weights, as a language model of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.interfaces import ModelIdentity, Schema, Stop, never
from core.types import Completion, Prompt

if TYPE_CHECKING:
    from core.llm.llama import LlamaModel


class AdaptedModel:
    """A `LanguageModel`: a GGUF model with a LoRA adapter over its weights, in the same process as the model."""

    def __init__(self, llm: LlamaModel, adapter: Path, digest: str) -> None:
        self._llm, self._adapter = llm, str(adapter)
        base = llm.identity
        self.identity = ModelIdentity(f"{base.name} + {adapter.stem}", digest, base.context_tokens)

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of `text` on its own."""
        return self._llm.count_tokens(text)

    def generate(
        self,
        prompt: Prompt,
        *,
        schema: Schema | None = None,
        max_tokens: int,
        temperature: float = 0.0,
        seed: int = 0,
        stop: Stop = never,
    ) -> Completion:
        """See `LlamaModel.write`. Raises ModelError if the file is no adapter for this model."""
        return self._llm.write_adapted(
            prompt,
            schema=schema,
            max_tokens=max_tokens,
            temperature=temperature,
            seed=seed,
            stop=stop,
            adapter=self._adapter,
        )

    def log_likelihoods(
        self, prompt: Prompt, choices: Sequence[str], *, stop: Stop = never
    ) -> tuple[NDArray[np.float64], Completion]:
        """See `LlamaModel.log_likelihoods`. Raises ModelError if the file is no adapter for this model."""
        return self._llm.score_adapted(prompt, choices, stop=stop, adapter=self._adapter)
