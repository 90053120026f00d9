"""Whether what a model wrote stands in the passage that it was given, as far as words can tell."""

from __future__ import annotations

from core.terms import terms, words


def content_words(text: str) -> frozenset[str]:
    """Return the terms of a text, without function words."""
    return frozenset(terms(words(text))) - {""}


def stands_in(answer: str, passage: str, *, share: float, question: str = "") -> bool:
    """Say whether an answer repeats its passage well enough to be shown under it.

    Each of its numbers must stand there, and at least `share` of its other terms, in [0, 1]; an answer with no term
    beyond those of its question says nothing. Words are compared, so a “not” that was left out goes unnoticed.
    """
    said, there = content_words(answer), content_words(passage)
    if not said - content_words(question):
        return False
    numbers = {term for term in said if any(character.isdigit() for character in term)}
    return numbers <= there and len(said & there) >= share * len(said)
