"""Claims that deny another: "It is not true that X" is judged as X, and turned round."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.types import Label, Span, Stance

_FALSE = (
    r"(?:it(?:['’]s| is| was) (?:simply |just |completely |absolutely )?(?:not (?:true|the case|correct|a fact)|"
    r"false|untrue|incorrect|wrong|a (?:lie|myth|hoax|falsehood)|fake news)(?: to (?:say|claim))? that|"
    r"it (?:isn['’]t|wasn['’]t) (?:true|the case|correct) that)"
)
_BEFORE = re.compile(rf"\s*{_FALSE}\s+", re.IGNORECASE)
_TRUE = re.compile(r"\s*it(?:['’]s| is| was) (?:true|a fact|correct|the case) that\s+", re.IGNORECASE)
_CLAIM_THAT = re.compile(r"\s*(?:the )?(?:claim|statement|idea|rumou?r|report) that\s+", re.IGNORECASE)
_AFTER = re.compile(
    r",?\s+(?:is|was|are) (?:simply |completely )?"
    r"(?:not true|false|untrue|incorrect|wrong|a (?:lie|myth|hoax)|fake)\s*[.!]?\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Content:
    """The content of a claim: `text` are the characters from `start` on; `denied` says that the claim denies it."""

    text: str
    start: int
    denied: bool


def content_of(claim: str) -> Content:
    """Return the content of a claim, without words around it that call it true or false; denials may be nested."""
    start, end, denied = 0, len(claim), False
    while True:
        rest = claim[start:end]
        about = _CLAIM_THAT.match(rest)
        after = _AFTER.search(rest) if about else None
        opening = (about if after else None) or _TRUE.match(rest) or _BEFORE.match(rest)
        if opening is None or not rest[opening.end() :].strip():
            return Content(rest, start, denied)
        denied ^= not _TRUE.match(rest)
        end = start + after.start() if after else end
        start += opening.end()


_TURNED = {Stance.FOR: Stance.AGAINST, Stance.AGAINST: Stance.FOR}
_TURNED_LABEL = {Label.SUPPORTED: Label.REFUTED, Label.REFUTED: Label.SUPPORTED}


def turned(stance: Stance) -> Stance:
    """Return the stance of the same passage towards the denial."""
    return _TURNED.get(stance, stance)


def turned_probabilities(probabilities: dict[Label, float]) -> dict[Label, float]:
    """Return the probabilities of a claim's denial: true where the claim is false, and the other way round."""
    return {label: probabilities[_TURNED_LABEL.get(label, label)] for label in probabilities}


def shifted(spans: tuple[Span, ...], start: int) -> tuple[Span, ...]:
    """Return spans of the content as spans of the whole claim."""
    return tuple((one + start, other + start) for one, other in spans)
