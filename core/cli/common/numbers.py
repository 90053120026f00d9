"""Numbers on the command line, each within the bounds in which it makes sense; argparse names the option."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable


def whole(least: int, most: int) -> Callable[[str], int]:
    """Return a reader of whole numbers from `least` to `most`."""

    def read(text: str) -> int:
        # a million digits would be multiplied out before they are found too many
        number = int(text) if len(text) <= 20 and text.lstrip("+-").isdecimal() else None
        if number is None or not least <= number <= most:
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number from {least:,} to {most:,}")
        return number

    return read


def amount(least: float, most: float) -> Callable[[str], float]:
    """Return a reader of numbers from `least` to `most`."""

    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a number from {least:,} to {most:,}")
        return number

    return read


seed = whole(0, 2**32 - 1)
first = whole(1, 10_000_000)
