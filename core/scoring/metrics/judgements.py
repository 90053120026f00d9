"""Ask a language model to judge evidence and answers, with a cache of its answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from core.errors import ServerFailed, VerideskError
from core.files import json_of
from core.interfaces import LanguageModel, Schema, Stop, UnusableAnswer, never
from core.llm.caching import CallCache, call_key
from core.scoring.metrics.prompts import JudgePrompts
from core.scoring.usage import Usage
from core.types import Prompt

Answer = TypeVar("Answer")

REPEAT_TEMPERATURE = 0.7
"""Temperature of a retry; at 0 the answer would be the same."""

WORDS_PER_TOKEN = 0.4
"""Words of evidence per token of context: half the context, at 1.25 tokens a word."""


def words_read(llm: LanguageModel) -> int:
    """Return the most words of evidence that a judge reads."""
    return int(WORDS_PER_TOKEN * (llm.identity.context_tokens or 4096))


def judge_fields(llm: LanguageModel, attempt: int) -> tuple[str, ...]:
    """Return the fields of a signature for the judge and the number of retries."""
    model = llm.identity
    known = f"sha256:{model.digest[:12]}" if model.digest else "sha256:unknown"
    weights = f"server:{model.server}" if model.server else known
    answered = [f"answered:{model.answered.replace('|', '/')}"] if model.answered else []
    return (f"judge:{model.name}", weights, *answered, *([f"attempts:{attempt + 1}"] if attempt else []))


class JudgementFailed(VerideskError):
    """The judge's answer is unusable; the item stays unscored and can be judged again."""


@dataclass(frozen=True)
class JudgeModel:
    """A language model that answers in JSON or with yes or no, with a cache of answers.

    With a `temperature` above 0, `seed` chooses among its answers; yes and no come from likelihoods, which have no
    seed. `attempt` counts earlier attempts: only unanswered questions are asked again, with another seed. The model
    checks `stop` while writing.
    """

    llm: LanguageModel
    kept: CallCache
    temperature: float = 0.0
    seed: int = 0
    stop: Stop = field(default=never)
    attempt: int = 0
    prompts: JudgePrompts = field(default_factory=JudgePrompts)
    usage: Usage = field(default_factory=Usage, compare=False)

    def render(self, name: str, slots: dict[str, str]) -> Prompt:
        """Return one of the judge's prompts with filled slots."""
        return self.prompts.render(name, slots)

    def begin_item(self, *texts: object) -> None:
        """Cache the next answers under the item of these texts. With `no_cache`, delete its earlier answers first."""
        self.kept.about(call_key(self.llm.identity, (), "item", texts))

    def json(self, prompt: Prompt, schema: Schema, read: Callable[[object], Answer], *, max_tokens: int) -> Answer:
        """Return the result of `read` on the JSON the model writes.

        Raises JudgementFailed if it writes none, or as `read`; such answers are not cached.
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
            self.usage.add(completion)
            try:  # unusable answers must not be cached, or the item could never be judged again
                read(_parsed(completion.text))
            except JudgementFailed:
                self.usage.failed += 1
                raise
            return completion.text

        return read(_parsed(self._answer(key, ask)))

    def yes(self, prompt: Prompt) -> bool:
        """Return whether "yes" is a likelier answer than "no"."""
        choices = ("yes", "no")

        def ask() -> str:
            likelihoods, completion = self.llm.log_likelihoods(prompt, choices, stop=self.stop)
            self.usage.add(completion)
            return "yes" if likelihoods[0] > likelihoods[1] else "no"

        return self._answer(call_key(self.llm.identity, prompt, choices), ask) == "yes"

    def _answer(self, key: str, ask: Callable[[], str], *, tries: int = 2) -> str:
        """Return the answer to a question; a server that failed is asked once more, because it may have been busy."""
        before = self.usage.asked
        try:
            answer = self.kept.answer(key, ask)
        except UnusableAnswer as error:
            self.usage.add(error.completion)
            self.usage.failed += 1
            raise
        except ServerFailed:
            self.usage.asked += 1
            self.usage.failed += 1
            if tries == 1:
                raise
            return self._answer(key, ask, tries=tries - 1)
        self.usage.known += self.usage.asked == before
        return answer


def _parsed(text: str) -> object:
    try:
        return json_of(text)
    except ValueError as error:
        raise JudgementFailed(f"the judge did not answer in JSON: {text[:80]!r}") from error
