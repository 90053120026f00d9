"""Which words of a sentence stand for which words of the claim, by their vectors in context."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.interfaces import ContextualEncoder, Stop, TokenVectors, never
from core.types import Span
from core.verification.stance.amounts import Amount, amounts
from core.verification.stance.names import Name, names
from core.verification.stance.two_amounts import agree
from core.verification.stance.words import Word, is_content, lexicon, words_of

Floats = NDArray[np.float64]

_LIGHT = frozenset(
    "say said says tell told make made get got go went come came take took use used new year years day people".split()
)


@dataclass(frozen=True)
class Text:
    """A text with its words, and a unit vector for each of them in context; vectors: (words, dimensions)."""

    text: str
    words: tuple[Word, ...]
    vectors: Floats

    @cached_property
    def content(self) -> list[int]:
        """The places of the words that carry meaning."""
        return [place for place, word in enumerate(self.words) if is_content(word)]

    @cached_property
    def names(self) -> list[Name]:
        return names(self.text, self.words)

    @cached_property
    def amounts(self) -> tuple[Amount, ...]:
        return amounts(self.text)

    @cached_property
    def name_places(self) -> frozenset[int]:
        return frozenset(place for name in self.names for place in name.places)

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(word.stem for word in self.words)

    def weight(self, place: int) -> float:
        """Return the weight of a word in its text: names and numbers weigh most, light verbs least."""
        if place in self.name_places or self.words[place].text[0].isdigit():
            return 1.5
        return 0.4 if self.words[place].lower in _LIGHT else 1.0


def read_texts(texts: Sequence[str], encoder: ContextualEncoder, *, stop: Stop = never) -> list[Text]:
    """Return texts with the vectors of their words."""
    return [_text(text, pieces) for text, pieces in zip(texts, encoder.token_vectors(texts, stop=stop), strict=True)]


def _text(text: str, pieces: TokenVectors) -> Text:
    words = tuple(words_of(text))
    vectors = np.zeros((len(words), pieces.vectors.shape[1]))
    for place, word in enumerate(words):
        inside = (pieces.spans[:, 0] < word.end) & (pieces.spans[:, 1] > word.start)
        if inside.any():  # a word after the encoder's limit has no vector, and is like no other
            vectors[place] = pieces.vectors[inside].mean(axis=0)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return Text(text, words, vectors / np.maximum(lengths, 1e-12))


@dataclass(frozen=True)
class Alignment:
    """The words of a sentence beside those of the claim.

    similarity[i, j] compares the claim's word i with the sentence's word j: 1.0 where they have one stem, .9 where
    they are synonyms, else the cosine of their vectors. `given` are the places of words that the sentence need
    not have: those in the headings above it.
    """

    claim: Text
    sentence: Text
    similarity: Floats
    given: frozenset[int] = frozenset()

    @cached_property
    def partner(self) -> NDArray[np.int64]:
        """For each word of the claim the sentence's likest; −1 everywhere if the sentence has no words."""
        if not self.sentence.words:
            return np.full(len(self.claim.words), -1)
        return np.asarray(self.similarity.argmax(axis=1))

    @cached_property
    def matches(self) -> Floats:
        """For each word of the claim how like its partner is, in [−1, 1]."""
        return self.similarity.max(axis=1) if self.sentence.words else np.zeros(len(self.claim.words))

    def exact(self, place: int) -> bool:
        """Say whether the sentence has the claim's word at `place`, or a synonym of it."""
        return bool(self.matches[place] >= 0.9)

    @cached_property
    def coverage(self) -> float:
        """The share of the claim's words that the sentence has, weighed, in [0, 1]; similar words count in part."""
        return self._covered(self._shares, self.claim.content)

    @cached_property
    def exact_coverage(self) -> float:
        """The share of the claim's content words that the sentence repeats exactly, weighed, in [0, 1]."""
        return self._covered(((self.matches >= 0.9) | self._given).astype(float), self.claim.content)

    def coverage_without(self, spans: Sequence[Span]) -> float:
        """Return the coverage of the claim without some of its characters."""
        left = [p for p in self.claim.content if not any(_inside(self.claim.words[p].span, span) for span in spans)]
        return self._covered(self._shares, left)

    @cached_property
    def _shares(self) -> Floats:
        return np.where(self._given, 1, np.clip((self.matches - 0.35) / 0.55, 0, 1))

    @cached_property
    def _given(self) -> NDArray[np.bool_]:
        return np.isin(np.arange(len(self.claim.words)), list(self.given))

    def _covered(self, shares: Floats, places: list[int]) -> float:
        weights = np.array([self.claim.weight(place) for place in places])
        return float(weights @ shares[places] / weights.sum()) if places else 0.0

    @cached_property
    def backward(self) -> float:
        """The share of the sentence's words that the claim has, in [0, 1]."""
        if not self.sentence.content or not self.claim.words:
            return 0.0
        best = self.similarity.max(axis=0)[self.sentence.content]
        return float(np.clip((best - 0.35) / 0.55, 0, 1).mean())


def align(claim: Text, sentence: Text, given: Set[str] = frozenset()) -> Alignment:
    """Return the words of a sentence beside those of the claim; `given` are stems that it need not have."""
    similarity = claim.vectors @ sentence.vectors.T
    synonyms = lexicon().synonyms
    for i, one in enumerate(claim.words):
        for j, other in enumerate(sentence.words):
            if one.stem == other.stem:
                similarity[i, j] = 1.0
            elif other.lower in synonyms.get(one.lower, ()):
                similarity[i, j] = max(similarity[i, j], 0.9)
            elif one.text[0].isdigit() or other.text[0].isdigit():
                similarity[i, j] = min(similarity[i, j], 0.5)  # numbers are compared as numbers
    for amount in claim.amounts:
        for told in sentence.amounts:
            if agree(amount, told):
                places = [i for i, word in enumerate(claim.words) if _inside(word.span, amount.span)]
                others = [j for j, word in enumerate(sentence.words) if _inside(word.span, told.span)]
                similarity[np.ix_(places, others)] = 1.0  # "12.4 million" and "12,400,000"
    needless = frozenset(place for place, word in enumerate(claim.words) if word.stem in given)
    return Alignment(claim, sentence, similarity, needless)


def _inside(span: Span, outer: Span) -> bool:
    return outer[0] <= span[0] and span[1] <= outer[1]


def joined(first: Text, second: Text, shift: int) -> Text:
    """Return two texts as one, the second beginning `shift` characters after the first."""
    moved = [replace(word, start=word.start + shift, end=word.end + shift) for word in second.words]
    text = first.text.ljust(shift) + second.text
    return Text(text, (*first.words, *moved), np.vstack([first.vectors, second.vectors]))


def beside(one: Alignment, other: Alignment, shift: int) -> Alignment:
    """Return two sentences' alignments with the same claim as that of the two sentences together."""
    together = joined(one.sentence, other.sentence, shift)
    similarity = np.hstack([one.similarity, other.similarity])
    return Alignment(one.claim, together, similarity, one.given | other.given)
