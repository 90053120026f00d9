"""Cache answers of language models: in memory during one claim, in a file for judging models."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import Cancelled
from core.interfaces import AdaptableModel, DraftingModel, LanguageModel, ModelIdentity, Schema, Stop, never
from core.types import Completion, Prompt

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class CallCache:
    """Answers by key, in an SQLite file or, without a path, in memory. Used by one thread.

    Within `only_known`, new questions raise Cancelled. With `no_cache`, the model answers again and replaces the cached
    answer. A failed call leaves no earlier answer on its item (`about`).
    """

    def __init__(self, path: Path | None = None, *, no_cache: bool = False) -> None:
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
        self.connection = sqlite3.connect(path or ":memory:", timeout=30)
        self.connection.execute("CREATE TABLE IF NOT EXISTS calls (key TEXT PRIMARY KEY, answer TEXT NOT NULL)")
        if "item" not in [column[1] for column in self.connection.execute("PRAGMA table_info(calls)")]:
            self.connection.execute("ALTER TABLE calls ADD COLUMN item TEXT NOT NULL DEFAULT ''")
        self.connection.execute("CREATE INDEX IF NOT EXISTS calls_by_item ON calls (item)")
        self.closed = False
        self.no_cache = no_cache
        self.item = ""
        self.renewed: set[str] = set()

    def about(self, item: str) -> None:
        """Cache the next answers under one item. With `no_cache`, delete its earlier answers first."""
        self.item = item
        if self.no_cache and item not in self.renewed:
            self.renewed.add(item)
            with self.connection:
                self.connection.execute("DELETE FROM calls WHERE item = ?", (item,))

    def answer(self, key: str, ask: Callable[[], str]) -> str:
        """Return the cached answer, or call `ask` and cache its answer. Errors of `ask` are not cached."""
        kept = self.connection.execute("SELECT answer FROM calls WHERE key = ?", (key,)).fetchone()
        if kept and (not self.no_cache or key in self.renewed):
            return str(kept[0])
        if self.closed:
            raise Cancelled("This was not written in time.")
        if kept:
            with self.connection:
                self.connection.execute("DELETE FROM calls WHERE key = ?", (key,))
        given = ask()
        self.renewed.add(key)
        with self.connection:
            self.connection.execute("INSERT OR REPLACE INTO calls VALUES (?, ?, ?)", (key, given, self.item))
        return given

    def __len__(self) -> int:
        """Return the number of answers."""
        return int(self.connection.execute("SELECT count(*) FROM calls").fetchone()[0])

    @contextmanager
    def only_known(self) -> Iterator[None]:
        """Answer from the cache only."""
        self.closed = True
        try:
            yield
        finally:
            self.closed = False

    def close(self) -> None:
        self.connection.close()


def call_key(model: ModelIdentity, prompt: Prompt, *settings: object) -> str:
    """Return the key of a call: a hash of the model's weights or server, the prompt and all other settings."""
    turns = [(message.role, message.text) for message in prompt]
    asked = json.dumps([model.name, model.digest, model.server, turns, *settings], ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(asked.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass
class CachingModel:
    """A `LanguageModel` that computes the answer to each call once."""

    inner: LanguageModel
    calls: CallCache = field(default_factory=CallCache)
    token_counts: dict[str, int] = field(default_factory=dict)

    @property
    def identity(self) -> ModelIdentity:
        return self.inner.identity

    def count_tokens(self, text: str) -> int:
        """See `core.interfaces.LanguageModel`."""
        if text not in self.token_counts:
            self.token_counts[text] = self.inner.count_tokens(text)
        return self.token_counts[text]

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

        def ask() -> str:
            return _to_json(
                self.inner.generate(
                    prompt, schema=schema, max_tokens=max_tokens, temperature=temperature, seed=seed, stop=stop
                )
            )

        key = call_key(self.identity, prompt, schema, max_tokens, temperature, seed)
        return Completion(prompt=prompt, **json.loads(self.calls.answer(key, ask)))

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
        """See `core.interfaces.DraftingModel`. Drafts of one call are cached together.

        A model that cannot draft writes whole answers, one after the other.
        """
        inner = self.inner
        if not isinstance(inner, DraftingModel):
            settings: dict[str, Any] = {"max_tokens": max_tokens, "temperature": temperature, "seed": seed}
            return [self.generate(prompt, **settings, stop=stop) for prompt in prompts]

        def ask() -> str:
            written = inner.drafts(
                prompts, known, end=end, max_tokens=max_tokens, temperature=temperature, seed=seed, stop=stop
            )
            return json.dumps([_to_json(one) for one in written])

        turns = [[(message.role, message.text) for message in prompt] for prompt in prompts]
        key = call_key(self.identity, (), "drafts", turns, list(known), end, max_tokens, temperature, seed)
        written = json.loads(self.calls.answer(key, ask))
        return [Completion(prompt=prompt, **json.loads(one)) for prompt, one in zip(prompts, written, strict=True)]

    def log_likelihoods(
        self, prompt: Prompt, choices: Sequence[str], *, stop: Stop = never
    ) -> tuple[NDArray[np.float64], Completion]:
        """See `core.interfaces.LanguageModel`."""
        import numpy as np  # `--help` should not wait for it

        def ask() -> str:
            likelihoods, completion = self.inner.log_likelihoods(prompt, choices, stop=stop)
            return json.dumps([likelihoods.tolist(), _to_json(completion)])

        likelihoods, written = json.loads(self.calls.answer(call_key(self.identity, prompt, list(choices)), ask))
        return np.array(likelihoods, dtype=np.float64), Completion(prompt=prompt, **json.loads(written))

    def close(self) -> None:
        """See `core.interfaces.LanguageModel`."""
        self.calls.close()
        self.inner.close()


def _to_json(completion: Completion) -> str:
    """Return a completion without its prompt, which is part of the key."""
    return json.dumps({name: value for name, value in vars(completion).items() if name != "prompt"})


@dataclass
class CachingAdaptableModel(CachingModel):
    """A `CachedModel` for a model that takes LoRA adapters; their answers share the cache."""

    def with_adapter(self, file: Path) -> LanguageModel:
        """See `core.interfaces.AdaptableModel`."""
        assert isinstance(self.inner, AdaptableModel)
        return CachingModel(self.inner.with_adapter(file), self.calls)


def caching_model(llm: LanguageModel) -> CachingModel:
    """Return the language model with a cache. A model that takes adapters still takes them."""
    return CachingAdaptableModel(llm) if isinstance(llm, AdaptableModel) else CachingModel(llm)
