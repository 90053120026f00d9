"""Questions with their answers, as commands print them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.types import Evidence
from core.verification.questions import Card, cards


def shown_cards(evidence: Sequence[Evidence]) -> tuple[Card, ...]:
    """Return the questions with their answers; the passages alone where no question was asked at all.

    A passage with a dropped question is among the stances.
    """
    every = cards(evidence)
    return tuple(card for card in every if card.question) or every


def card_of(card: Card) -> dict[str, Any]:
    """Return a question, its first answer, and under "answers" all of them, the first one included."""
    answers = [
        {
            "answer": pair.answer,
            "url": pair.passage.document.url if pair.passage else None,
            "passage": pair.passage.text if pair.passage else None,
        }
        for _, pair in card.answers
    ]
    return {"question": card.question, **answers[0], "answers": answers}


def answer_lines(number: int, pair: Evidence) -> list[str]:
    """Return an answer with its number and its place."""
    said = f"[{number}] {' '.join(pair.answer.split())}"
    if pair.passage is None:
        return [said]
    published = pair.passage.document.published
    return [said, f"    {pair.passage.document.url}{f' ({published})' if published else ''}"]
