"""Describe the judge of a scoring run, and pass it to a metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from core.interfaces import LanguageModel
from core.llm.caching import CallCache
from core.scoring.usage import Usage


@dataclass(frozen=True)
class Judging:
    """The settings of a judge: its model, its way of judging, its repetitions; see `Ev2r`.

    `core.models.choice.parse_choice` reads `model`. With `no_cache`, earlier answers are not reused. `prompts` are
    texts that replace our prompts of the same names. `seed` is that of the first repetition.
    """

    model: str = "bundled"
    way: str = "stepwise"
    rule: str = ">0.5"
    repeat: int = 1
    precision: bool = True
    attempt: int = 0
    no_cache: bool = False
    prompts: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0


class JudgeAccess(Protocol):
    """Returns the judge of a run, opened at the first call, and counts its cost.

    Raises ModelError if it cannot be opened.
    """

    @property
    def judging(self) -> Judging: ...

    @property
    def spent(self) -> Usage: ...

    def llm(self) -> LanguageModel: ...

    def judgements(self) -> CallCache: ...
