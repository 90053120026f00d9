"""Run GGUF models with llama.cpp in a separate process.

llama.cpp is not safe for threads, and a bad file or a fault in the library ends its process. So one worker process
(llama_worker.py) holds the weights and answers over pipes. If it ends, only the running request is lost, and its memory
is free. This module imports nothing heavy.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.files import expanded
from core.interfaces import ModelIdentity, Schema, Stop, UnusableAnswer, never
from core.llm.grammar import gbnf, opening
from core.llm.llama_weights import Weights, checked_digest
from core.types import Completion, Prompt


class LlamaModel:
    """A `core.interfaces.AdaptableModel` on a GGUF file. Threads may share it; requests wait in a queue."""

    def __init__(self, weights: Weights, identity: ModelIdentity, *, adapter: str = "") -> None:
        """Use loaded weights with the LoRA adapter at this path; an empty path means no adapter."""
        self._weights, self._adapter = weights, adapter
        self.identity = identity

    @property
    def waiting(self) -> int:
        """Number of callers waiting behind the current one."""
        return self._weights.turns.waiting

    @property
    def process_id(self) -> int | None:
        """The worker process; None if none runs."""
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
            raise UnusableAnswer(
                f"{self._weights.name} did not finish its answer in {max_tokens} tokens; it ends: "
                f"“…{completion.text[-60:]}”. Allow more tokens or choose another model.",
                completion,
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
        """See `core.interfaces.DraftingModel`. Some models write drafts one after the other."""
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
        """End the process, which frees the model's memory. A running request fails."""
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

    The context is at most the model's training context, and less where memory is short. `threads` defaults to one per
    core. `core.models.placement` chooses the layers for a graphics card, if llama-cpp-python was built for one.
    `expand` loads the weights as Q8_0: prompts of Q4_1 and Q5_1 files are then twice as fast, for more memory. Raises
    ModelError if the file is missing, is no GGUF file or cannot be loaded. Raises ModelError also if, at any loading,
    the SHA-256 is not `expected_digest`. Raises Cancelled if `stop` says so.
    """
    path = expanded(path).absolute()  # links are not resolved: the parts of a model are links in one folder
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
    # Large machines mostly count each core twice, and a second thread per core slows llama.cpp down.
    return available if available <= 4 else available // 2
