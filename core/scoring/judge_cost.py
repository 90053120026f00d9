"""Estimate the cost of judging before it begins: a dummy in place of the judge counts the questions and tokens."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, cycle, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.annotations import SCORED_PAIRS, GoldClaim, PredictedEvidence, Prediction
from core.interfaces import ModelIdentity, Schema, Stop, never
from core.llm.caching import CallCache
from core.scoring.judging import Judging
from core.scoring.open_metrics import Opening
from core.scoring.registry import JUDGED
from core.scoring.usage import Usage
from core.types import Completion, Prompt

SAMPLE = 20
"""Claims, evenly spaced, for which the questions are counted."""
CHARACTERS_PER_TOKEN = 3.0
"""Of prompts and answers, the marks between messages included: SmolLM2's on the scoring example. Larger vocabularies
need fewer tokens."""
FACTS = 2
"""Facts that the dummy lists for a question-answer pair. Judges list one to four."""


@dataclass
class CountingModel:
    """A dummy in place of a judge: it answers in the right form, and counts tokens by characters."""

    identity: ModelIdentity = field(default_factory=lambda: ModelIdentity("estimate", ""))
    numbers: count[int] = field(default_factory=count)

    def count_tokens(self, text: str) -> int:
        """See `core.interfaces.LanguageModel`."""
        return math.ceil(len(text) / CHARACTERS_PER_TOKEN)

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
        """Return an answer that fits the schema; see `core.interfaces.LanguageModel`."""
        properties = (schema or {}).get("properties", {})
        answer = {name: self._value(one) for name, one in properties.items()}
        return self._completion(prompt, json.dumps(answer))

    def log_likelihoods(
        self, prompt: Prompt, choices: Sequence[str], *, stop: Stop = never
    ) -> tuple[NDArray[np.float64], Completion]:
        """See `core.interfaces.LanguageModel`."""
        return np.zeros(len(choices)), self._completion(prompt, choices[0])

    def close(self) -> None:
        """See `core.interfaces.LanguageModel`."""

    def _value(self, schema: Mapping[str, Any]) -> Any:
        if schema["type"] == "integer":
            return 0
        facts = max(1, min(schema["maxItems"], max(FACTS, schema["maxItems"] // 2)))
        # Each fact is another one: equal questions are asked once.
        return [f"Fact {next(self.numbers)} in a short sentence of about ten words" for _ in range(facts)]

    def _completion(self, prompt: Prompt, text: str) -> Completion:
        asked = sum(self.count_tokens(message.text) for message in prompt)
        return Completion(prompt, text, asked, 0, self.count_tokens(text), 0.0, 0)


def estimated_cost(
    gold: Sequence[GoldClaim],
    metrics: Sequence[str],
    judging: Judging,
    predictions: Mapping[str, Prediction] | None = None,
) -> Usage:
    """Return the estimated questions and tokens of judging one submission.

    Without predictions, it is for a submission of ten pairs a claim, the most that count. A sample of claims is scaled
    up. Failed answers, which are asked again, are not in it.
    """
    step = max(1, math.ceil(len(gold) / SAMPLE))
    sample = gold[::step]
    given = predictions if predictions is not None else {claim.id: _full(claim) for claim in sample}
    opening = Opening(tuple(name for name in metrics if name in JUDGED), judging)
    opening.judge, opening.kept = CountingModel(), CallCache()
    try:
        for metric in opening.metrics():
            metric.measure(sample, given)
    finally:
        opening.close()
    share = len(gold) / len(sample) if sample else 0.0
    spent = opening.spent
    scaled = (round(share * value) for value in (spent.asked, spent.prompt_tokens, spent.completion_tokens))
    asked, read, written = scaled
    return replace(Usage(), asked=asked, prompt_tokens=read, completion_tokens=written)


def _full(claim: GoldClaim) -> Prediction:
    pairs = [PredictedEvidence(question, f"{answer} ({n})") for n, (question, answer) in _repeated(claim)]
    return Prediction(claim.id, claim.claim.text, claim.label, tuple(pairs))


def _repeated(claim: GoldClaim) -> list[tuple[int, tuple[str, str]]]:
    return list(enumerate(islice(cycle(claim.pairs), SCORED_PAIRS))) if claim.pairs else []
