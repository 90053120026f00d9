"""A language model that remembers what it wrote for a claim: a step that is done again with less asks the same."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import Cancelled
from core.interfaces import AdaptableModel, LanguageModel, ModelIdentity, Schema, Stop, never
from core.types import Completion, Prompt


@dataclass
class CachingModel:
    """A `LanguageModel` that answers the same request once. Under `only_known` it raises Cancelled for new ones."""

    inner: LanguageModel
    known: dict[object, Any] = field(default_factory=dict)
    closed: bool = False

    @property
    def identity(self) -> ModelIdentity:
        return self.inner.identity

    def count_tokens(self, text: str) -> int:
        """See `core.interfaces.LanguageModel`."""
        if ("count", text) not in self.known:
            self.known["count", text] = self.inner.count_tokens(text)
        return int(self.known["count", text])

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
        """See `core.interfaces.LanguageModel`."""
        request = (prompt, json.dumps(schema), max_tokens, temperature, seed)
        if request not in self.known:
            self._check_open()
            self.known[request] = self.inner.generate(
                prompt, schema=schema, max_tokens=max_tokens, temperature=temperature, seed=seed, stop=stop
            )
        completion: Completion = self.known[request]
        return completion

    def log_likelihoods(
        self, prompt: Prompt, choices: Sequence[str], *, stop: Stop = never
    ) -> tuple[NDArray[np.float64], Completion]:
        """See `core.interfaces.LanguageModel`."""
        request = (prompt, tuple(choices))
        if request not in self.known:
            self._check_open()
            self.known[request] = self.inner.log_likelihoods(prompt, choices, stop=stop)
        scored: tuple[NDArray[np.float64], Completion] = self.known[request]
        return scored

    @contextmanager
    def only_known(self) -> Iterator[None]:
        """Answer from memory alone."""
        self.closed = True
        try:
            yield
        finally:
            self.closed = False

    def _check_open(self) -> None:
        if self.closed:
            raise Cancelled("This was not written in time.")


@dataclass
class CachingAdaptableModel(CachingModel):
    """The same for a model that takes LoRA adapters."""

    adapted: dict[Path, CachingModel] = field(default_factory=dict)

    def with_adapter(self, file: Path) -> LanguageModel:
        """See `core.interfaces.AdaptableModel`."""
        assert isinstance(self.inner, AdaptableModel)
        if file not in self.adapted:
            self.adapted[file] = CachingModel(self.inner.with_adapter(file))
        return self.adapted[file]

    @contextmanager
    def only_known(self) -> Iterator[None]:
        everyone = [self, *self.adapted.values()]
        for llm in everyone:
            llm.closed = True
        try:
            yield
        finally:
            for llm in everyone:
                llm.closed = False


def caching_model(llm: LanguageModel) -> CachingModel:
    """Return the language model with a memory; one that takes adapters still does."""
    return CachingAdaptableModel(llm) if isinstance(llm, AdaptableModel) else CachingModel(llm)
