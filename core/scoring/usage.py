"""Count the cost of a judge: its answers, its tokens, its seconds."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from core.types import Completion
from core.wording import counted


@dataclass
class Usage:
    """The cost of judging: new answers, usable or not, cached answers, tokens and seconds of the model.

    `failed` counts the unusable answers; their tokens cost as much. A server that does not count leaves the
    tokens at 0.
    """

    asked: int = 0
    known: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    failed: int = 0

    def add(self, completion: Completion) -> None:
        """Count one answer of the model."""
        self.asked += 1
        self.prompt_tokens += completion.prompt_tokens
        self.completion_tokens += completion.completion_tokens
        self.seconds += completion.seconds

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    def __sub__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, one.name) - getattr(other, one.name) for one in fields(self)))

    def cost(self, price: float) -> float:
        """Return the cost of the tokens at a price per million, in the price's currency."""
        return (self.prompt_tokens + self.completion_tokens) * price / 1_000_000

    def cost_words(self, price: float) -> str:
        """Return the cost with at least two decimals and three digits, such as 0.00018."""
        cost = self.cost(price)
        decimals = 2 if cost == 0 else max(2, 2 - math.floor(math.log10(cost)))
        return f"{cost:.{decimals}f}"

    @property
    def words(self) -> str:
        """A sentence for page and terminal."""
        tokens = f"{self.prompt_tokens:,} tokens read and {self.completion_tokens:,} written"
        counts = f"The judge was asked {counted(self.asked, 'time')}; {counted(self.known, 'answer')} from the cache."
        unusable = f" {counted(self.failed, 'answer')} could not be used." if self.failed else ""
        return f"{counts}{unusable} {tokens}, {self.seconds:.0f} s of the model." if self.asked else counts
