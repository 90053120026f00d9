"""What the terminal shows while a command works."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def watched(items: Sequence[Item], what: str) -> Iterator[Item]:
    """Yield the items; on a terminal, keep a line on standard error that says how many have been worked on."""
    for number, item in enumerate(items, start=1):
        yield item
        if sys.stderr.isatty():
            end = "\n" if number == len(items) else ""
            print(f"\r{what}: {number}/{len(items)}", end=end, file=sys.stderr, flush=True)
