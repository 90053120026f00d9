"""More or less than before: a claim compares with an earlier time, and a sentence goes the other way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.types import Span

_MORE = "more|higher|better|larger|greater|bigger|longer|heavier|warmer|faster|rose|grew|increased|up|climbed|jumped"
_LESS = "less|fewer|lower|worse|smaller|shorter|lighter|colder|slower|fell|declined|decreased|down|dropped|sank|shrank"
_WORD = rf"\b(?:(?P<more>{_MORE})|(?P<less>{_LESS}))\b"
_EARLIER = (
    r"(?:in |at |on |during )?(?:the |a )?(?:(?:previous|preceding|last|first)\b|\d{4}\b|before\b|"
    r"(?:day|week|month|quarter|season|year|decade)s? (?:before|earlier|ago)\b)"
)
_COMPARED = re.compile(rf"{_WORD}[^.,;]{{0,60}}?\bthan {_EARLIER}", re.IGNORECASE)
_MOVED = re.compile(
    rf"{_WORD}(?: [\w-]+){{0,3}}? (?:from|to|by) [^.,;\d]{{0,12}}\d(?:[\d.,]*\d)?(?: [a-z]+)?", re.IGNORECASE
)
_NEGATED = re.compile(r"(?:\b(?:no|not|never|hardly|neither|nor)|n['’]t)(?: [\w-]+)?\s$", re.IGNORECASE)


@dataclass(frozen=True)
class Trend:
    """Words that compare with an earlier time, and whether they say more or less."""

    more: bool
    span: Span


def contrary_trends(claim: str, text: str) -> tuple[Trend, Trend] | None:
    """Return a claim's "more than last year" and a sentence's "down from 6.8 tonnes"; None unless they are contrary.

    All trends of the claim must go one way, and so must all of the sentence.
    """
    mine, theirs = list(_trends(claim, _COMPARED)), [*_trends(text, _COMPARED), *_trends(text, _MOVED)]
    ways = {one.more for one in mine}, {one.more for one in theirs}
    return (mine[0], theirs[0]) if len(ways[0]) == len(ways[1]) == 1 and ways[0] != ways[1] else None


def _trends(text: str, pattern: re.Pattern[str]) -> Iterator[Trend]:
    for found in pattern.finditer(text):
        if not _NEGATED.search(text[: found.start()]):
            yield Trend(found["more"] is not None, found.span())
