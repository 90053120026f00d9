"""Compute METEOR as NLTK: exact words, then stems, then synonyms of the stems.

Source: Lavie & Agarwal, 2007, with NLTK's order of matching (nltk.translate.meteor_score). It is exact to the last
digit, because the AVeriTeC shared task used it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

ALPHA = 0.9
BETA = 3.0
GAMMA = 0.5


class Language(Protocol):
    """The lexical functions that METEOR needs; `core.scoring.metrics.words.Words` implements them."""

    @property
    def signature(self) -> str: ...

    def words(self, text: str) -> list[str]: ...

    def stems(self, words: Sequence[str]) -> list[str]: ...

    def synonyms(self, stem: str) -> frozenset[str]: ...


@dataclass(frozen=True)
class Places:
    """The last place of each word in a text, and the place of the same word before each place, or −1.

    Lists of places would be thousands of small objects, which are slow to create.
    """

    last: dict[str, int]
    before: list[int]


@dataclass(frozen=True)
class MeteorText:
    """A text cut into lower-case words, their stems, the places of both, the synonyms of each stem, and of any."""

    words: list[str]
    stems: list[str]
    word_places: Places
    stem_places: Places
    meanings: list[frozenset[str]]
    any_meaning: frozenset[str]


def read_text(text: str, language: Language) -> MeteorText:
    """Return `text` prepared for METEOR. Call it once per text, because it is slower than a comparison."""
    words = language.words(text)
    stems = language.stems(words)
    meanings = [language.synonyms(stem) for stem in stems]
    return MeteorText(words, stems, _places(words), _places(stems), meanings, frozenset().union(*meanings))


def meteor(prediction: MeteorText, reference: MeteorText) -> float:
    """Return METEOR of a prediction against one reference, in [0, 1]; 0.0 if no word matches."""
    matches = align(prediction, reference)
    if not matches:
        return 0.0
    # The operations follow NLTK's order; another order changes the last digit.
    precision = float(len(matches)) / len(prediction.words)
    recall = float(len(matches)) / len(reference.words)
    mean = (precision * recall) / (ALPHA * precision + (1 - ALPHA) * recall)
    penalty: float = GAMMA * (float(_count_chunks(matches)) / len(matches)) ** BETA
    return (1 - penalty) * mean


def align(prediction: MeteorText, reference: MeteorText) -> list[tuple[int, int]]:
    """Return the matched word positions (prediction, reference), ascending in the prediction.

    Each round takes the prediction's free words from the last to the first. Each gets the last free reference word that
    matches: equal words, then equal stems, then a synonym of the stem.
    """
    used, taken = bytearray(len(prediction.words)), bytearray(len(reference.words))
    matches: list[tuple[int, int]] = []
    _match(prediction.word_places, reference.word_places, used, taken, matches)
    _match(prediction.stem_places, reference.stem_places, used, taken, matches)
    if len(matches) < min(len(used), len(taken)):
        _match_synonyms(prediction, reference, used, taken, matches)
    matches.sort()
    return matches


def _match(left: Places, right: Places, used: bytearray, taken: bytearray, matches: list[tuple[int, int]]) -> None:
    """Pair the free places of each word that both texts have, from the last to the first."""
    before_left, before_right = left.before, right.before
    for word in left.last.keys() & right.last.keys():
        i, j = left.last[word], right.last[word]
        while i >= 0 and j >= 0:
            if used[i]:
                i = before_left[i]
            elif taken[j]:
                j = before_right[j]
            else:
                matches.append((i, j))
                used[i] = taken[j] = 1
                i, j = before_left[i], before_right[j]


def _match_synonyms(
    prediction: MeteorText, reference: MeteorText, used: bytearray, taken: bytearray, matches: list[tuple[int, int]]
) -> None:
    known = prediction.any_meaning
    # of each stem that a synonym can match the last free place
    free = {stem: j for j, stem in enumerate(reference.stems) if not taken[j] and stem in known}
    wanted = set(free)
    if not wanted:
        return
    before = reference.stem_places.before
    for i in range(len(used) - 1, -1, -1):
        meanings = prediction.meanings[i]
        if used[i] or meanings.isdisjoint(wanted):
            continue
        stem = max(meanings & wanted, key=free.__getitem__)
        j = free[stem]
        matches.append((i, j))
        used[i] = taken[j] = 1
        while j >= 0 and taken[j]:
            j = before[j]
        if j >= 0:
            free[stem] = j
        else:
            wanted.remove(stem)


def _count_chunks(matches: list[tuple[int, int]]) -> int:
    chunks = 1
    for (i, j), (next_i, next_j) in pairwise(matches):
        chunks += next_i != i + 1 or next_j != j + 1
    return chunks


def _places(words: Sequence[str]) -> Places:
    last: dict[str, int] = {}
    before = []
    for place, word in enumerate(words):
        before.append(last.get(word, -1))
        last[word] = place
    return Places(last, before)
