"""Find near-duplicates, such as an agency report printed by ten sites."""

from __future__ import annotations

import heapq
import zlib
from collections import defaultdict
from dataclasses import dataclass, field

from core.terms import lower_words

SHINGLE_WORDS = 5
SKETCH = 128
SAME = 0.85
"""Minimum estimated share of common shingles for texts to count as one."""


def sketch(text: str) -> frozenset[int]:
    """Return the SKETCH smallest hashes of the runs of five words of a text. Source: Broder, SEQUENCES 1997."""
    found = lower_words(text)
    runs = (" ".join(found[at : at + SHINGLE_WORDS]) for at in range(max(1, len(found) - SHINGLE_WORDS + 1)))
    return frozenset(heapq.nsmallest(SKETCH, {zlib.crc32(run.encode("utf-8", "replace")) for run in runs}))


@dataclass
class Duplicates:
    """The texts seen so far, by name."""

    sketches: dict[str, frozenset[int]] = field(default_factory=dict)
    holders: defaultdict[int, list[str]] = field(default_factory=lambda: defaultdict(list))

    def seen(self, name: str, text: str) -> str:
        """Return the name of an earlier near-duplicate; without one, store the text and return ""."""
        mine = sketch(text)
        candidates = dict.fromkeys(holder for value in sorted(mine) for holder in self.holders[value])
        for other in candidates:
            if resemblance(mine, self.sketches[other]) >= SAME:
                return other
        self.sketches[name] = mine
        for value in mine:
            self.holders[value].append(name)
        return ""


def resemblance(one: frozenset[int], other: frozenset[int]) -> float:
    """Return the estimated share of shingles that two texts have in common, in [0, 1]."""
    smallest = frozenset(heapq.nsmallest(SKETCH, one | other))
    return len(smallest & one & other) / len(smallest)
