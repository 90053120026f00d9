"""Describe the judge of a scoring run, and how a metric reaches it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from core.interfaces import LanguageModel
from core.llm.caching import CallCache


@dataclass(frozen=True)
class Judging:
    """How a language model judges evidence: which one, in which way, how often; see `Ev2r`.

    `core.models.choice.parse_choice` reads `model`. With `no_cache` nothing that it said before is taken over.
    `prompts` is a folder with prompts to take in place of ours, by the name of their file.
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
    """Give a metric the judge of its run, opened when first asked for. Raises ModelError if it cannot be opened."""

    @property
    def judging(self) -> Judging: ...

    def llm(self) -> LanguageModel: ...

    def judgements(self) -> CallCache: ...
