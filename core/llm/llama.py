"""Run GGUF models with llama.cpp in a separate process.

llama.cpp is not safe for threads, and a bad file or a fault in the library ends its process. So the weights live in
one worker process (llama_worker.py) that is asked over pipes. If it ends, only the request in flight is lost, and all
its memory is free. This module imports nothing heavy.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import ModelError
from core.files import expanded
from core.interfaces import ModelIdentity, Schema, Stop, never
from core.llm.grammar import gbnf, opening
from core.llm.llama_weights import Weights, checked_digest
from core.types import Completion, Prompt


class LlamaModel:
    """A `core.interfaces.AdaptableModel` on a GGUF file. Threads may share it: they are served in turn."""

    def __init__(self, weights: Weights, identity: ModelIdentity, *, adapter: str = "") -> None:
        """Use loaded weights, with the LoRA adapter at this path over them; with none if it is empty."""
        self._weights, self._adapter = weights, adapter
        self.identity = identity

    @property
    def waiting(self) -> int:
        """How many callers wait behind the one that is served now."""
        return self._weights.turns.waiting

    @property
    def process_id(self) -> int | None:
        """The worker process, or None while there is none."""
        return self._weights.worker.process.pid if self._weights.worker else None

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of `text` on its own."""
        return int(self._weights.ask("count", never, text=text))

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
        """See `core.interfaces.LanguageModel`. The same arguments always give the same text.

        `core.llm.grammar.gbnf` lists the keywords that a schema may have. `completion_tokens` also counts the tokens
        that the schema leaves no choice about. Raises ModelError also if the adapter does not fit
        this model.
        """
        written = self._weights.ask(
            "write",
            stop,
            turns=[(message.role, message.text) for message in prompt],
            grammar=gbnf(schema) if schema is not None else None,
            opening=opening(schema) if schema is not None else "",
            max_tokens=max_tokens,
            temperature=temperature,
            seed=seed,
            adapter=self._adapter,
        )
        completion = Completion(prompt=prompt, seed=seed, **written)
        if schema is not None and completion.finish == "length":
            raise ModelError(
                f"{self._weights.name} did not finish its answer in {max_tokens} tokens; it ends: "
                f"“…{completion.text[-60:]}”. Allow more tokens or choose another model."
            )
        return completion

    def drafts(
        self,
        prompts: Sequence[Prompt],
        known: Sequence[str],
        *,
        end: str,
        max_tokens: int,
        temperature: float = 0.0,
        seed: int = 0,
        stop: Stop = never,
    ) -> list[Completion]:
        """See `core.interfaces.DraftingModel`. Models that keep one state for all text write one after the other."""
        written = self._weights.ask(
            "draft",
            stop,
            prompts=[[(message.role, message.text) for message in prompt] for prompt in prompts],
            known=list(known),
            end=end,
            max_tokens=max_tokens,
            temperature=temperature,
            seed=seed,
            adapter=self._adapter,
        )
        return [Completion(prompt=prompt, seed=seed, **one) for prompt, one in zip(prompts, written, strict=True)]

    def log_likelihoods(
        self, prompt: Prompt, choices: Sequence[str], *, stop: Stop = never
    ) -> tuple[NDArray[np.float64], Completion]:
        """See `core.interfaces.LanguageModel`. The prompt is evaluated once. Raises ValueError if a choice is empty."""
        if not choices or not all(choices):
            raise ValueError("log_likelihoods needs at least one choice, and none may be empty.")
        turns = [(message.role, message.text) for message in prompt]
        scored = self._weights.ask("score", stop, turns=turns, choices=list(choices), adapter=self._adapter)
        likelihoods = np.array(scored.pop("likelihoods"), dtype=np.float64)
        text = choices[int(likelihoods.argmax())]
        return likelihoods, Completion(prompt=prompt, text=text, seed=0, **scored)

    def with_adapter(self, file: Path) -> LlamaModel:
        """See `core.interfaces.AdaptableModel`. Raises ModelError if the file is no GGUF file."""
        path = expanded(file).absolute()
        name = f"{self._weights.name} + {path.stem}"
        identity = ModelIdentity(name, checked_digest(path), self.identity.context_tokens)
        return LlamaModel(self._weights, identity, adapter=str(path))

    def close(self) -> None:
        """End the process, and with it free the model's memory. A request in flight fails."""
        self._weights.close()


def load_llama(
    path: Path,
    *,
    context_tokens: int = 4096,
    threads: int | None = None,
    expected_digest: str | None = None,
    name: str | None = None,
    expand: bool = False,
    stop: Stop = never,
) -> LlamaModel:
    """Check a GGUF file, start its process and load the weights.

    The context is at most the model's training context. `threads` is by default one per core. All layers
    go to the GPU if llama-cpp-python was built for one. `expand` loads the weights as Q8_0: prompts of Q4_1 and Q5_1
    files are then twice as fast, for more memory. Raises ModelError if the file is missing, is no GGUF file or
    cannot be loaded. Raises it also if the SHA-256 is not `expected_digest`, at any loading. Raises Cancelled if `stop`
    says so.
    """
    path = expanded(path).absolute()  # not resolved: the parts of a model lie side by side as links
    digest = checked_digest(path, stop=stop) if expected_digest is None else expected_digest.lower()
    settings = {
        "context_tokens": context_tokens,
        "threads": threads or _threads(),
        "expand": digest if expand else "",
    }
    weights = Weights(path, name or path.stem, digest, check=expected_digest is not None, settings=settings)
    loaded = weights.load(stop)
    return LlamaModel(weights, ModelIdentity(weights.name, digest, int(loaded["context_tokens"])))


def _threads() -> int:
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # Machines with many cores mostly count each twice, and a second thread on a core slows llama.cpp down.
    return available if available <= 4 else available // 2
