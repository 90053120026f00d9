"""Report the progress of a long scoring, and stop it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.errors import Cancelled
from core.interfaces import Stop, never

Progress = Callable[[int, int], None]
"""Called with (items done, items in all)."""

MIN_PACED = 3
"""Finished items needed for a forecast."""
Item = TypeVar("Item")


def seconds_left(seconds: float, done: int, total: int, *, more: int = 0) -> float | None:
    """Return the time left at the present pace, including `more` further parts of equal size.

    None before MIN_PACED items are done, because the first ones say little.
    """
    return seconds / done * (total - done + more * total) if done >= MIN_PACED else None


def ignore_progress(done: int, total: int) -> None:
    """The `Progress` that shows nothing."""


@dataclass(frozen=True)
class ProgressMonitor:
    """The progress of work on items, with a check of `stop` between them."""

    on_progress: Progress = ignore_progress
    stop: Stop = never

    def over(self, items: Sequence[Item]) -> Iterator[Item]:
        """Yield each item, and report the total and each finished item.

        Raises Cancelled before an item if `stop` is true.
        """
        self.on_progress(0, len(items))
        for done, item in enumerate(items, start=1):
            if self.stop():
                raise Cancelled("The scoring was stopped.")
            yield item
            self.on_progress(done, len(items))

    def part(self, before: int, total: int) -> ProgressMonitor:
        """Return the monitor of a part of longer work, with `before` earlier items of `total`."""
        return ProgressMonitor(lambda done, _: self.on_progress(before + done, total), self.stop)


UNMONITORED = ProgressMonitor()
