"""A judge's reading of a case: the answers, the passages behind them, and the stance of each passage."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.interfaces import RunContext
from core.retrieval.chunking import sentence_spans
from core.types import Case, Label, Passage, PassageStance, Stance
from core.verification.claim_intake import undecidable
from core.verification.claim_parts import ClaimPart, parts_of, whole_of
from core.verification.stance.differences import SAME
from core.verification.stance.polarity import Content, content_of, shifted, turned
from core.verification.stance.second_reading import take_stances, take_stances_by_all
from core.verification.stance.stance_words import DECIDING, LEAST_SURE, SAME_WORDS, said_once
from core.verification.stance.voices import heard
from core.verification.stance.words import is_content, words_of
from core.verification.verdict.evidence_features import closeness, features, stance_features

FEW = 6
"""Up to this many web pages are too few to weigh: their surest passage decides."""

SURE = LEAST_SURE
"""The least probability of a passage that decides on few documents."""

CONTESTED = 0.9
"""The least probability of passages for and against a claim that are in conflict."""

ON_PART = "on “"
"""The beginning of a reason that is about one part of a claim; the part follows."""

_LABELS = {Stance.FOR: Label.SUPPORTED, Stance.AGAINST: Label.REFUTED}
_SAYS_MOST = (Stance.AGAINST, Stance.FOR, Stance.ABOUT, Stance.UNRELATED)


@dataclass(frozen=True)
class EvidenceReading:
    """A judge's reading of a part of a claim. `stances` are towards the part's `content`, which it may deny.

    cosines: see `closeness`, shape (answers, 3). `sources` are the passages behind the answers, None where there is
    none. `few`: see `of_few`. `undecidable` says why no document settles the part; empty if one can.
    """

    part: ClaimPart
    answers: tuple[str, ...]
    sources: tuple[Passage | None, ...]
    cosines: NDArray[np.float64]
    stances: tuple[PassageStance, ...]
    few: bool
    undecidable: str = ""

    @cached_property
    def content(self) -> Content:
        """The part without words that call it true or false."""
        return content_of(self.part.text)

    @cached_property
    def counted(self) -> tuple[PassageStance, ...]:
        """The stances that are counted: a sentence in two overlapping passages counts once."""
        return said_once(self.stances)

    @cached_property
    def values(self) -> dict[str, float]:
        """Everything that is counted, by name; see MEANINGS and STANCE_MEANINGS."""
        return {**features(self.content.text, self.answers, self.cosines), **stance_features(self.counted)}

    def without(self, gone: Container[Passage]) -> EvidenceReading:
        """Return the evidence without some passages and the answers from them."""
        kept = [index for index, source in enumerate(self.sources) if source not in gone]
        return replace(
            self,
            answers=tuple(self.answers[index] for index in kept),
            sources=tuple(self.sources[index] for index in kept),
            cosines=self.cosines[kept],
            stances=tuple(one for one in self.stances if one.passage not in gone),
        )

    @property
    def silent(self) -> bool:
        """Whether no passage speaks of the claim; not where all are in a language that is hardly read."""
        read = [one for one in self.stances if one.kind != "language"]
        said = all(one.stance is Stance.UNRELATED or one.kind == "order" for one in read)
        return said and bool(read or not self.stances)

    @property
    def weighed(self) -> bool:
        """Whether the classifier decides: on many web pages that speak of the claim."""
        return not self.few and not self.silent

    @property
    def rule_based(self) -> Label | None:
        """The label that a rule gives for passages that are clear or silent; None where they are not.

        No passage on the claim: not enough evidence. As many surely for it as against it: conflicting. Else the
        surest passage decides. Many web pages are weighed, unless they are silent.
        """
        if self.silent:
            return Label.NOT_ENOUGH_EVIDENCE
        if self.weighed:
            return None
        return Label.CONFLICTING if self.contested else self.surest

    @property
    def surest(self) -> Label | None:
        """The side of the surest of the clear passages; None without any.

        A clear passage is sure enough, in the claim's own words, or has amounts that make the claim's. The side is
        also None if it names no difference, and a sure passage has the claim's own words.
        """
        sides = [one for one in self.stances if one.stance in _LABELS]
        clear = [one for one in sides if one.probability >= SURE or one.kind in DECIDING]
        one = max(clear, key=lambda one: one.probability, default=None)
        if one is None:
            return None
        unnamed = one.stance is Stance.AGAINST and one.kind == "reading"
        return None if unnamed and self._is_said_in_its_words else _LABELS[one.stance]

    @property
    def _is_said_in_its_words(self) -> bool:
        return any(map(_says_it_in_its_words, self.stances))

    @property
    def contested(self) -> bool:
        """Whether as many passages are surely for the claim as against it, and any are."""
        sure = [one.stance for one in self.counted if one.probability >= CONTESTED]
        return sure.count(Stance.FOR) == sure.count(Stance.AGAINST) > 0

    def takes(self, stance: Stance) -> bool:
        """Say whether any passage has this stance."""
        return any(one.stance is stance for one in self.stances)


def read_evidence(case: Case, context: RunContext) -> EvidenceReading:
    """Return the reading of a case, with its claim as one statement."""
    return _read(whole_of(case.claim.text), case, context)


def read_parts(case: Case, context: RunContext) -> tuple[EvidenceReading, ...]:
    """Return a reading of a case for each part of its claim; one for a claim of one part."""
    readings = [_read(part, case, context) for part in parts_of(case.claim.text)]
    if len(readings) == 1:
        return tuple(readings)
    said = _say_all(case.claim.text, [one.passage for one in readings[0].stances], context)
    return tuple(one if one.content.denied else replace(one, stances=_with_all(one.stances, said)) for one in readings)


def _say_all(claim: str, passages: Sequence[Passage], context: RunContext) -> dict[Passage, PassageStance]:
    """Return the stances of the passages that surely have a whole claim in its own words."""
    stems = {word.stem for word in words_of(claim) if is_content(word)}
    near = [one for one in passages if any(len(stems & told) >= SAME * len(stems) for told in _sentence_stems(one))]
    found = take_stances(claim, near, context)
    return {one.passage: one for one in found if _says_it_in_its_words(one)}


def _says_it_in_its_words(one: PassageStance) -> bool:
    return one.stance is Stance.FOR and one.kind == SAME_WORDS and one.probability >= CONTESTED


def _sentence_stems(passage: Passage) -> Iterator[set[str]]:
    for start, end in sentence_spans(passage.text):
        yield {word.stem for word in words_of(passage.text[start:end])}


def _with_all(stances: Sequence[PassageStance], said: Mapping[Passage, PassageStance]) -> tuple[PassageStance, ...]:
    """Return the stances towards a part: a passage that has the whole claim has each part.

    "He denied it and left" does not deny that he left.
    """
    return tuple(
        replace(said[one.passage], claim_spans=()) if one.passage in said and one.stance is not Stance.FOR else one
        for one in stances
    )


def _read(part: ClaimPart, case: Case, context: RunContext) -> EvidenceReading:
    """Return the reading of a case's answers if it has some, else of the passages found."""
    pairs = [(pair.answer, pair.passage) for pair in case.evidence]
    read = pairs or [(hit.passage.text, hit.passage) for hit in case.hits]
    text = content_of(part.text).text
    answers = tuple(answer for answer, _ in read)
    cosines = closeness(text, answers, context.models.encoder, stop=context.stop) if read else np.zeros((0, 3))
    passages = list(dict.fromkeys(passage for _, passage in read if passage is not None))
    stances = heard(text, take_stances_by_all(text, passages, context))
    why = undecidable(part.text, case.claim.date)
    sources = tuple(passage for _, passage in read)
    return EvidenceReading(part, answers, sources, cosines, stances, of_few(passages), why)


def of_few(passages: Sequence[Passage]) -> bool:
    """Say whether passages are of a person's own documents and of few web pages.

    The verdict classifier was fitted on ten web pages per claim. The web often repeats false claims.
    """
    return len({one.document.url for one in passages if one.document.on_web}) <= FEW


def towards_claim(readings: Sequence[EvidenceReading]) -> tuple[PassageStance, ...]:
    """Return each passage's stance towards the claim: that towards the part on which it says most."""
    every = zip(*(_towards_part(one) for one in readings), strict=True)
    return tuple(_of_parts(stances, readings) for stances in every)


def _of_parts(stances: tuple[PassageStance, ...], readings: Sequence[EvidenceReading]) -> PassageStance:
    """Return one stance of a passage from its stances towards each part, with the part in the reason."""
    at = min(range(len(stances)), key=lambda place: _SAYS_MOST.index(stances[place].stance))
    one = stances[at]
    if one.stance not in (Stance.FOR, Stance.AGAINST) or len({other.stance for other in stances}) == 1:
        return one
    return replace(one, reason=f"{ON_PART}{readings[at].part.text}”: {one.reason}")


def of_a_part(one: PassageStance) -> bool:
    """Say whether a passage has its stance towards one part of the claim only."""
    return one.reason.startswith(ON_PART)


def _towards_part(evidence: EvidenceReading) -> list[PassageStance]:
    """Return the stances towards a part itself: turned round where it denies its content."""
    part, content = evidence.part, evidence.content
    placed = [
        replace(one, claim_spans=part.in_claim(shifted(one.claim_spans, content.start))) for one in evidence.stances
    ]
    return [_turned(one) for one in placed] if content.denied else placed


def _turned(one: PassageStance) -> PassageStance:
    if one.stance is Stance.FOR:
        return replace(one, stance=turned(one.stance), kind="negation", reason=f"{one.reason}, which the claim denies")
    if one.stance is Stance.AGAINST:
        return replace(one, stance=turned(one.stance), reason=f"{one.reason}, as the claim does")
    return one
