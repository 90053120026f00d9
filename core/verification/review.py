"""A person's conclusion on a case: a verdict of their own, notes, and a mark for each passage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from core.dataclass_json import from_json
from core.types import Label, Passage


class Mark(StrEnum):
    """A person's judgement of a passage."""

    USEFUL = "useful"
    WRONG = "wrong"
    UNRELATED = "not about it"


@dataclass(frozen=True)
class Conclusion:
    """A person's own verdict, None before they gave one, why (for the reader), notes and who signs.

    Nobody else reads the notes unless `show_notes`.
    """

    label: Label | None = None
    reason: str = ""
    notes: str = ""
    name: str = ""
    show_notes: bool = False


@dataclass(frozen=True)
class Review:
    """A person's review of a case. `marks` are by `passage_key`; `saved` is seconds since 1970, None if unsaved.

    `version` counts how often the conclusion was saved.
    """

    conclusion: Conclusion = Conclusion()
    marks: Mapping[str, Mark] = field(default_factory=dict)
    saved: float | None = None
    version: int = 0

    @property
    def empty(self) -> bool:
        return self.conclusion == Conclusion() and not self.marks


def for_others(review: Review) -> Review:
    """Return a review as others may read it: without notes, unless their writer shows them."""
    said = review.conclusion
    return review if said.show_notes else replace(review, conclusion=replace(said, notes=""))


def passage_key(passage: Passage) -> str:
    """Return the key of a passage's mark: the same for the same characters of the same text."""
    return f"{passage.document.digest[:16]}:{passage.start}-{passage.end}"


def review_from_json(record: Mapping[str, Any] | None) -> Review:
    """Return the review of a receipt, an empty one where it has none. Raises KeyError or ValueError if it is broken."""
    if record is None:
        return Review()
    return from_json({name: record[name] for name in ("conclusion", "marks", "saved", "version")}, Review)
