"""Declare the settings of a judge, which every request with judged scores has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from core.actions.fields import Between, Choices, FromFile, Help, Reads
from core.scoring.judging import Judging
from core.scoring.metrics.ev2r import RULES, written_rule
from core.scoring.metrics.prompts import PromptFile, prompt_file

WAYS = {
    "stepwise": "Step by step: facts first, then yes or no for each (small models can do it)",
    "official": "As the published scorer: one prompt per claim, which counts facts (large models)",
}
WRITTEN_RULES = {rule: written_rule(rule) for rule in RULES}


@dataclass(frozen=True, kw_only=True)
class JudgeSettings:
    """The judge, its way of judging, its repetitions; see `Judging`."""

    judge: Annotated[str, Reads(), Help("'bundled', a .gguf file, or http://server/v1#model")] = "bundled"
    way: Annotated[str, Choices(WAYS), Help("how Ev²R asks the judge")] = "stepwise"
    rule: Annotated[
        str,
        Choices(WRITTEN_RULES),
        Help(
            "which Ev²R recall counts as enough evidence; published scorers differ: > 0.5 in the paper, ≥ 0.5 and "
            "> 0.46 in code. All three are computed",
            "Evidence counts if recall is",
        ),
    ] = ">0.5"
    repeat: Annotated[
        int, Between(1, 1000), Help("judge N times with other seeds and give the deviation", "Repetitions")
    ] = 1
    recall_only: Annotated[bool, Help("leave out precision and F1: a third of the cost")] = False
    no_cache: Annotated[
        bool, Help("ask the judge everything once more; nothing is taken from the cache", "Ask everything again")
    ] = False
    prompts: Annotated[
        tuple[PromptFile, ...],
        FromFile(prompt_file),
        Help("prompts in place of ours, such as the published ones: ev2r_counts.txt and others", "Prompts of others"),
    ] = ()
    seed: Annotated[int, Between(0, 2**31), Help("the seed of the judge's first repetition", "Seed")] = 0
    price: Annotated[
        float | None,
        Between(0, 1e9),
        Help("of a million tokens, to compute the cost of judging", "Price of a million tokens"),
    ] = None
    attempt: Annotated[int, Between(1, 1000), Help("2, 3 …: ask again, with another seed, the failed questions")] = 1

    @property
    def judging(self) -> Judging:
        precision, attempt = not self.recall_only, self.attempt - 1
        prompts = {one.name: one.text for one in self.prompts}
        settings = self.way, self.rule, self.repeat, precision, attempt, self.no_cache, prompts, self.seed
        return Judging(self.judge, *settings)
