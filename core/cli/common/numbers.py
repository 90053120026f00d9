"""Numbers and dates on the command line, each within sensible bounds; argparse names the option."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import date
from typing import TypeVar

from core.actions.fields import ANY, Between, read_number
from core.errors import BadInput

NumberT = TypeVar("NumberT", int, float)


def number(kind: type[NumberT], bounds: Between | None) -> Callable[[str], NumberT]:
    """Return a reader of numbers within the bounds."""

    def read(text: str) -> NumberT:
        try:
            return kind(read_number(text, kind, bounds or ANY))
        except BadInput as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return read


def whole(least: int, most: int) -> Callable[[str], int]:
    """Return a reader of whole numbers from `least` to `most`."""
    return number(int, Between(least, most))


seed = whole(0, 2**32 - 1)


def iso_date(text: str) -> date:
    """Read a date for argparse, which names the option in its message."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date written YYYY-MM-DD") from error
