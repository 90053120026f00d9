"""Check by words whether a model's text is supported by its passage."""

from __future__ import annotations

from core.terms import terms, words


def content_words(text: str) -> frozenset[str]:
    """Return the terms of a text, without function words."""
    return frozenset(terms(words(text))) - {""}


def stands_in(answer: str, passage: str, *, share: float, question: str = "") -> bool:
    """Tell whether an answer repeats its passage well enough to be shown under it.

    The passage must hold each of its numbers, and at least `share` of its other terms, in [0, 1]. An answer with no
    term beyond its question's says nothing. Words are compared, so a missing “not” goes unnoticed.
    """
    said, there = content_words(answer), content_words(passage)
    if not said - content_words(question):
        return False
    numbers = {term for term in said if any(character.isdigit() for character in term)}
    return numbers <= there and len(said & there) >= share * len(said)
