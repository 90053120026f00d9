"""Describe the judge of a scoring run, and pass it to a metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from core.interfaces import LanguageModel
from core.llm.caching import CallCache


@dataclass(frozen=True)
class Judging:
    """The settings of a judge: its model, its way of judging, its repetitions; see `Ev2r`.

    `core.models.choice.parse_choice` reads `model`. With `no_cache`, earlier answers are not reused. `prompts` is a
    folder of prompts that replace ours, by file name.
    """

    model: str = "bundled"
    way: str = "stepwise"
    rule: str = ">0.5"
    repeat: int = 1
    precision: bool = True
    attempt: int = 0
    no_cache: bool = False
    prompts: str = ""


class JudgeAccess(Protocol):
    """Returns the judge of a run, opened at the first call. Raises ModelError if it cannot be opened."""

    @property
    def judging(self) -> Judging: ...

    def llm(self) -> LanguageModel: ...

    def judgements(self) -> CallCache: ...
