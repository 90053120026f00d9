"""The sources that speak of a claim: documents that carry near-identical passages have one voice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from core.terms import lower_words
from core.types import Document, PassageStance, Stance
from core.verification.stance.stance_words import UNCOUNTED

RUN = 4
"""Words that follow each other, compared as one piece."""

LEAST_PIECES = 12
"""A shorter passage may say the same by chance."""

NEARLY_SAME = 0.8
"""From this share of the shorter passage's pieces on, two passages are copies."""


@dataclass(frozen=True)
class SourceVoice:
    """Documents that carry one text, earliest first and undated ones last, with their passages on the topic."""

    documents: tuple[Document, ...]
    stances: tuple[PassageStance, ...]

    def strongest(self, stance: Stance) -> PassageStance | None:
        """Return the surest passage of this stance, from the earliest document if it has one; None without any."""
        found = (one for one in self.stances if one.stance is stance)
        return max(found, key=lambda one: (one.passage.document == self.first, one.probability), default=None)

    @property
    def first(self) -> Document:
        """The earliest of its documents, or the first where none has a date."""
        return self.documents[0]


def on_topic(stances: Sequence[PassageStance]) -> list[PassageStance]:
    """Return the passages that speak of the claim and are counted."""
    return [one for one in stances if one.stance is not Stance.UNRELATED and one.kind not in UNCOUNTED]


def voices_of(stances: Sequence[PassageStance]) -> tuple[SourceVoice, ...]:
    """Return the voices that speak of a claim, in the order of their first passages."""
    groups: list[list[PassageStance]] = []
    for one in on_topic(stances):
        joined = [group for group in groups if any(_one_voice(one, other) for other in group)]
        groups = [group for group in groups if group not in joined]
        groups.append([*(other for group in joined for other in group), one])
    places = {id(one): at for at, one in enumerate(stances)}
    groups.sort(key=lambda group: min(places[id(one)] for one in group))
    return tuple(SourceVoice(tuple(_by_date(group)), tuple(group)) for group in groups)


def copied(one: str, other: str) -> bool:
    """Say whether two texts are nearly the same, word by word."""
    first, second = (frozenset(_pieces(lower_words(text))) for text in (one, other))
    least = min(len(first), len(second))
    return least >= LEAST_PIECES and len(first & second) >= NEARLY_SAME * least


def _one_voice(one: PassageStance, other: PassageStance) -> bool:
    """Say whether two passages are of one document, or copies with the same stance."""
    same = one.passage.document == other.passage.document
    return same or (one.stance is other.stance and copied(one.passage.text, other.passage.text))


def _pieces(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1))


def _by_date(group: Sequence[PassageStance]) -> list[Document]:
    documents = dict.fromkeys(one.passage.document for one in group)
    return sorted(documents, key=lambda document: document.published or date.max)
