"""Watching a long scoring: its progress, and how to stop it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.errors import Cancelled
from core.interfaces import Stop, never

Progress = Callable[[int, int], None]
"""Called with (items done, items in all)."""

MIN_PACED = 3
"""Items that must be done before the rest can be guessed."""
Item = TypeVar("Item")


def seconds_left(seconds: float, done: int, total: int, *, more: int = 0) -> float | None:
    """Return how long the rest takes at the pace so far, `more` further parts of as many items included.

    None before MIN_PACED items are done: the first ones say little.
    """
    return seconds / done * (total - done + more * total) if done >= MIN_PACED else None


def ignore_progress(done: int, total: int) -> None:
    """The `Progress` that shows nothing."""


@dataclass(frozen=True)
class ProgressMonitor:
    """The progress of work on items; it is asked between them whether to go on."""

    on_progress: Progress = ignore_progress
    stop: Stop = never

    def over(self, items: Sequence[Item]) -> Iterator[Item]:
        """Yield each item, tell how many there are and when each is done.

        Raises Cancelled before an item if `stop` says so.
        """
        self.on_progress(0, len(items))
        for done, item in enumerate(items, start=1):
            if self.stop():
                raise Cancelled("The scoring was stopped.")
            yield item
            self.on_progress(done, len(items))

    def part(self, before: int, total: int) -> ProgressMonitor:
        """Return the monitor of a part of a longer work: `before` items came before it, `total` are in all."""
        return ProgressMonitor(lambda done, _: self.on_progress(before + done, total), self.stop)


UNMONITORED = ProgressMonitor()
