"""The allowed settings of a step, checked where a user writes them: in a recipe file."""

from __future__ import annotations

from typing import Annotated

from core.actions.fields import Between

SmallCount = Annotated[int, Between(1, 20)]
"""How many texts the model writes, or how often."""

Passages = Annotated[int, Between(1, 1000)]
Examples = Annotated[int, Between(0, 20)]
Tokens = Annotated[int, Between(8, 2000)]
Characters = Annotated[int, Between(40, 2000)]
Share = Annotated[float, Between(0.0, 1.0)]
Cosine = Annotated[float, Between(-1.0, 1.0)]
Temperature = Annotated[float, Between(0.0, 2.0)]

Again = Annotated[int, Between(0, 5)]
"""How many more tries a question is worth."""
