"""A language model as a judge of evidence and answers; what it said is kept, so asking again costs nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from core.errors import VerideskError
from core.interfaces import LanguageModel, Schema, Stop, never
from core.llm.caching import CallCache, call_key
from core.types import Prompt

Answer = TypeVar("Answer")

REPEAT_TEMPERATURE = 0.7
"""At which a model is asked again: at 0 it would say the same."""

WORDS_PER_TOKEN = 0.4
"""How many words of evidence are allowed for each token of context: half of it, at 1.25 tokens a word."""


def words_read(llm: LanguageModel) -> int:
    """Return how many words of evidence a judge reads at most."""
    return int(WORDS_PER_TOKEN * (llm.identity.context_tokens or 4096))


def judge_fields(llm: LanguageModel, attempt: int) -> tuple[str, ...]:
    """Return the fields of a signature that say who judged, and how often failed judgements were asked again."""
    model = llm.identity
    weights = f"sha256:{model.digest[:12]}" if model.digest else "sha256:unknown"
    return (f"judge:{model.name}", weights, *([f"attempts:{attempt + 1}"] if attempt else []))


class JudgementFailed(VerideskError):
    """The judge's answer cannot be used; the item stays unscored and can be asked again."""


@dataclass(frozen=True)
class Judge:
    """A language model that is asked for JSON or for yes or no, with what it said before at hand.

    With a `temperature` above 0, `seed` chooses among its answers; yes and no come from likelihoods, which
    have no seed. `attempt` counts how often it was asked before what it could not answer: it is then asked with
    other chances, only about that. `stop` is asked while the model writes.
    """

    llm: LanguageModel
    kept: CallCache
    temperature: float = 0.0
    seed: int = 0
    stop: Stop = field(default=never)
    attempt: int = 0

    def json(self, prompt: Prompt, schema: Schema, read: Callable[[object], Answer], *, max_tokens: int) -> Answer:
        """Return what `read` makes of the JSON the model writes.

        Raises JudgementFailed if it writes none, or as `read` does; such an answer is not kept.
        """
        key = call_key(
            self.llm.identity, prompt, schema, max_tokens, self.temperature, self.seed if self.temperature else 0
        )

        def ask() -> str:
            completion = self.llm.generate(
                prompt,
                schema=schema,
                max_tokens=max_tokens,
                temperature=max(self.temperature, REPEAT_TEMPERATURE if self.attempt else 0.0),
                seed=self.seed + 1000 * self.attempt,
                stop=self.stop,
            )
            read(_parsed(completion.text))  # nonsense must not be kept: the item could never be asked again
            return completion.text

        return read(_parsed(self.kept.answer(key, ask)))

    def yes(self, prompt: Prompt) -> bool:
        """Return whether "yes" is likelier than "no" as the answer."""
        choices = ("yes", "no")

        def ask() -> str:
            likelihoods, _ = self.llm.log_likelihoods(prompt, choices, stop=self.stop)
            return "yes" if likelihoods[0] > likelihoods[1] else "no"

        return self.kept.answer(call_key(self.llm.identity, prompt, choices), ask) == "yes"


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError as error:
        raise JudgementFailed(f"the judge did not answer in JSON: {text[:80]!r}") from error
