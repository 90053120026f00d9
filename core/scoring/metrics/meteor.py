"""METEOR as NLTK computes it: exact words, then stems, then synonyms of the stems.

Source: Lavie & Agarwal, 2007, with NLTK's order of matching (nltk.translate.meteor_score). It is kept to the last digit
because the AVeriTeC shared task scored with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

ALPHA = 0.9
BETA = 3.0
GAMMA = 0.5

Positions = dict[str, list[int]]


class Language(Protocol):
    """Knowledge of words that METEOR needs; `core.scoring.metrics.words.Words` has it."""

    @property
    def signature(self) -> str: ...

    def words(self, text: str) -> list[str]: ...

    def stems(self, words: Sequence[str]) -> list[str]: ...

    def synonyms(self, stem: str) -> frozenset[str]: ...


@dataclass(frozen=True)
class MeteorText:
    """A text cut into lower-case words and their stems, with the positions of each, ascending.

    `meanings` holds, from the last word to the first, each position with a stem that has synonyms, and these.
    """

    words: tuple[str, ...]
    stems: tuple[str, ...]
    word_positions: Positions
    stem_positions: Positions
    meanings: tuple[tuple[int, frozenset[str]], ...]


def read_text(text: str, language: Language) -> MeteorText:
    """Return `text` as METEOR sees it. Do this once a text: it costs more than any comparison."""
    words = language.words(text)
    stems = language.stems(words)
    synonyms = ((i, language.synonyms(stems[i])) for i in reversed(range(len(stems))))
    meanings = tuple((i, found) for i, found in synonyms if found)
    return MeteorText(tuple(words), tuple(stems), _positions(words), _positions(stems), meanings)


def meteor(prediction: MeteorText, reference: MeteorText) -> float:
    """Return METEOR of a prediction against one reference, in [0, 1]; 0.0 if no word matches."""
    matches = align(prediction, reference)
    if not matches:
        return 0.0
    # The operations are in NLTK's order: another one differs in the last digit.
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
    matches: list[tuple[int, int]] = []
    for word in prediction.word_positions.keys() & reference.word_positions.keys():
        matches += _pair_from_the_end(prediction.word_positions[word], reference.word_positions[word])
    taken = {j for _, j in matches}
    free: Positions = {}
    for j, stem in enumerate(reference.stems):
        if j not in taken:
            free.setdefault(stem, []).append(j)
    used = {i for i, _ in matches}
    _match_stems(prediction, free, used, matches)
    _match_synonyms(prediction, free, used, matches)
    matches.sort()
    return matches


def _match_stems(text: MeteorText, free: Positions, used: set[int], matches: list[tuple[int, int]]) -> None:
    for stem in text.stem_positions.keys() & free.keys():
        pairs = _pair_from_the_end([i for i in text.stem_positions[stem] if i not in used], free[stem])
        if pairs:
            matches += pairs
            used.update(i for i, _ in pairs)
            del free[stem][-len(pairs) :]
            if not free[stem]:
                del free[stem]


def _match_synonyms(text: MeteorText, free: Positions, used: set[int], matches: list[tuple[int, int]]) -> None:
    wanted = set(free)
    for i, meanings in text.meanings:
        if meanings.isdisjoint(wanted) or i in used:
            continue
        stem = max(meanings & wanted, key=lambda stem: free[stem][-1])
        matches.append((i, free[stem].pop()))
        if not free[stem]:
            wanted.remove(stem)


def _pair_from_the_end(left: list[int], right: list[int]) -> list[tuple[int, int]]:
    return list(zip(reversed(left), reversed(right), strict=False))


def _count_chunks(matches: list[tuple[int, int]]) -> int:
    chunks = 1
    for (i, j), (next_i, next_j) in pairwise(matches):
        chunks += next_i != i + 1 or next_j != j + 1
    return chunks


def _positions(words: Sequence[str]) -> Positions:
    found: Positions = {}
    for position, word in enumerate(words):
        found.setdefault(word, []).append(position)
    return found
