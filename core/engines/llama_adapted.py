"""A model in a GGUF file with a LoRA adapter over its weights, as a writer of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.ports import ModelIdentity, Schema, Stop, never
from core.types import Completion, Prompt

if TYPE_CHECKING:
    from core.engines.llama import LlamaWriter


class AdaptedWriter:
    """A `core.ports.Writer`: a GGUF model with a LoRA adapter over its weights, in the same process as the model."""

    def __init__(self, writer: LlamaWriter, adapter: Path, digest: str) -> None:
        self._writer, self._adapter = writer, str(adapter)
        base = writer.identity
        self.identity = ModelIdentity(f"{base.name} + {adapter.stem}", digest, base.context_tokens)

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of `text` on its own."""
        return self._writer.count_tokens(text)

    def write(
        self,
        prompt: Prompt,
        *,
        schema: Schema | None = None,
        max_tokens: int,
        temperature: float = 0.0,
        seed: int = 0,
        stop: Stop = never,
    ) -> Completion:
        """See `LlamaWriter.write`. Raises ModelError if the file is no adapter for this model."""
        return self._writer.write_adapted(
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
        """See `LlamaWriter.log_likelihoods`. Raises ModelError if the file is no adapter for this model."""
        return self._writer.score_adapted(prompt, choices, stop=stop, adapter=self._adapter)
