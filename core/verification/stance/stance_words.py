"""The stance of a passage in words, for pages and reports."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.types import PassageStance, Stance

WORDS = {
    Stance.FOR: "Agrees",
    Stance.AGAINST: "Disagrees",
    Stance.ABOUT: "Leaves it open",
    Stance.UNRELATED: "Off topic",
}
SEEMS = {Stance.FOR: "Seems to agree", Stance.AGAINST: "Seems to disagree"}
"""The words for a side that is not sure enough to decide."""

LEAST_SURE = 0.6
"""From this probability on a passage decides on few documents. Of w5's claims at most .05 then get a wrong side."""

AGAINST = {
    "number": ("gives another number", "give another number"),
    "date": ("gives another date", "give another date"),
    "name": ("names somebody or something else", "name somebody or something else"),
    "negation": ("says the opposite", "say the opposite"),
    "antonym": ("says the opposite", "say the opposite"),
    "denial": ("calls it false", "call it false"),
    "reading": ("says otherwise", "say otherwise"),
}
"""The words for one passage, and for several."""
SAME_WORDS = "wording"
"""The kind of a passage that says the claim in the claim's own words."""
COMPUTED = "computed"
"""The kind of a passage with amounts that make the claim's: 18,000 and 24,000 make "a quarter less"."""
DECIDING = (SAME_WORDS, COMPUTED)
"""The kinds of passages that decide however sure they are."""

UNCOUNTED = ("order", "language")
"""The kinds of passages that are shown and not counted."""

_SAID_AGAIN = re.compile(r"(says the same|in other words): “.*?”(?=[;,] |$)|(?<=something near it): .*")


def repeats(stances: Sequence[PassageStance]) -> dict[int, int]:
    """Return the places of repeating passages, each with the place of the first passage with that sentence.

    Passages of a document overlap, so two may hold the same sentence, which counts once. They then have the same
    document and stance, and share a marked word at the same characters.
    """
    found: dict[int, int] = {}
    for place, one in enumerate(stances):
        for before in range(place):
            if before not in found and _same_sentence(stances[before], one):
                found[place] = before
                break
    return found


def said_once(stances: Sequence[PassageStance]) -> tuple[PassageStance, ...]:
    """Return the stances without those of passages that say a sentence again."""
    again = repeats(stances)
    return tuple(one for place, one in enumerate(stances) if place not in again)


def _same_sentence(one: PassageStance, other: PassageStance) -> bool:
    alike = (one.stance, one.passage.document) == (other.stance, other.passage.document)
    return alike and not set(one.spans).isdisjoint(other.spans)


def echoes(stances: Sequence[PassageStance]) -> set[int]:
    """Return the places of passages without a side that hold the marked words of a passage with one.

    Passages of a document overlap, and a sentence may settle nothing elsewhere.
    """
    sided = [one for one in stances if one.stance in (Stance.FOR, Stance.AGAINST)]
    return {
        place
        for place, one in enumerate(stances)
        if one.stance is Stance.ABOUT and any(_holds_words_of(one, other) for other in sided)
    }


def _holds_words_of(one: PassageStance, other: PassageStance) -> bool:
    inside = all(one.passage.start <= start and end <= one.passage.end for start, end in other.spans)
    return one.passage.document == other.passage.document and bool(other.spans) and inside


def word_of(stance: PassageStance) -> str:
    """Return the stance of a passage in a few words."""
    if stance.kind in UNCOUNTED:
        return "Not counted"
    unsure = stance.probability < LEAST_SURE and stance.kind not in DECIDING
    return SEEMS.get(stance.stance, WORDS[stance.stance]) if unsure else WORDS[stance.stance]


def reason_of(stance: PassageStance) -> str:
    """Return the reason for a passage's stance, as the beginning of a sentence.

    It does not quote the passage again, nor name differences of a passage that takes no side.
    """
    reason = _SAID_AGAIN.sub(r"\1", stance.reason)
    return reason[:1].upper() + reason[1:]
