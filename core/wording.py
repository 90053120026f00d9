"""Numbers with their nouns, as every page and report writes them."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, in the plural where it is not one: "1 document", "1,200 passages"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
