"""How a long loop shows its progress: the command line gives a function that draws a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class WithProgress(Protocol):
    """Yields the items, and shows under the name `what` how many are done."""

    def __call__(self, items: Sequence[Item], what: str) -> Iterator[Item]: ...
