"""Read the passages of a case: the built-in reader all of them, a chosen one again those that matter."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.errors import Cancelled, ModelError
from core.interfaces import LanguageModel, RunContext, Stop, UnusableAnswer, never
from core.models.cross_encoders import chosen_cross_encoder
from core.types import Passage, PassageStance, SecondReading, Span, Stance, Verdict
from core.verification.stance.cards import embedded_card
from core.verification.stance.chosen_reader import (
    LanguageModelReader,
    PassageReader,
    PassageReading,
    model_reader,
    three_of,
)
from core.verification.stance.classifier import STANCES, decided, stances_of
from core.verification.stance.cross_encoder import cross_encoder_identity, load_cross_encoder
from core.verification.stance.differences import shortened
from core.verification.stance.embedded import load_embedded
from core.verification.stance.measurement import Measurement, kept_measurement, newest_of
from core.verification.stance.stance_words import DECIDING, UNCOUNTED

MOST_PASSAGES = 8
MOST_SECONDS = 60.0
"""How many passages of a case the chosen reader reads, and for how long."""

SIDES = (Stance.FOR, Stance.AGAINST)
Floats = NDArray[np.float64]
T = TypeVar("T")


def take_stances(claim: str, passages: Sequence[Passage], context: RunContext) -> tuple[PassageStance, ...]:
    """Return the stance of each passage by the built-in reader."""
    return _read(claim, passages, context)[0]


def take_stances_by_all(claim: str, passages: Sequence[Passage], context: RunContext) -> tuple[PassageStance, ...]:
    """Return the stance of each passage by the built-in reader, and by the chosen one where the context has one."""
    found, rows = _read(claim, passages, context)
    return context.second.read_again(claim, found, rows, context) if context.second else found


def _read(claim: str, passages: Sequence[Passage], context: RunContext) -> tuple[tuple[PassageStance, ...], Floats]:
    thresholds, encoder = embedded_card().thresholds, context.models.encoder
    return stances_of(claim, passages, load_embedded(), encoder, thresholds, stop=context.stop)


Able = tuple[LanguageModelReader, Measurement]
"""A language model that is measured as able, or that a person uses all the same. Its measurement is the second."""


def able_model(llm: LanguageModel, language: str = "en", *, stop: Stop = never) -> Able | None:
    """Return the language model, if it is able in a language. A server is asked which model it has now."""
    if not newest_of(llm.identity.name, language):
        return None
    reader = model_reader(llm, stop)
    measured = kept_measurement(reader.identity, language)
    return (reader, measured) if measured and measured.used else None


def case_reader(able: Able | None, language: str = "en") -> CaseReader | None:
    """Return a reader for one case by the chosen cross-encoder, if it is able; without a chosen one by `able`."""
    folder = chosen_cross_encoder()
    if folder is None:
        return CaseReader(*able) if able else None
    measured = kept_measurement(cross_encoder_identity(folder), language)
    return CaseReader(load_cross_encoder(folder), measured) if measured and measured.used else None


@dataclass
class CaseReader:
    """See `core.interfaces.SecondReader`: reads for one case, at most MOST_PASSAGES, for MOST_SECONDS at most."""

    reader: PassageReader
    measured: Measurement
    clock: Callable[[], float] = time.monotonic
    seconds: float = 0.0
    mattered: dict[Passage, None] = field(default_factory=dict)
    read: dict[tuple[str, Passage], PassageReading | None] = field(default_factory=dict)
    problem: str = ""

    @property
    def account(self) -> SecondReading:
        """See `core.interfaces.SecondReader`."""
        who, by = self.reader.identity, self.measured
        passages = {passage for (_, passage), found in self.read.items() if found}
        return SecondReading(
            who.name,
            who.digest,
            who.prompt,
            len(by.regression.names) > 2,
            not by.better,
            len(passages),
            len(self.mattered),
            self.seconds,
            self.problem,
        )

    def read_again(
        self, claim: str, stances: Sequence[PassageStance], rows: Floats, context: RunContext
    ) -> tuple[PassageStance, ...]:
        """See `core.interfaces.SecondReader`."""
        found = list(stances)
        for place in self._that_matter(stances, rows):
            if reading := self._reading(claim, stances[place].passage, context):
                found[place] = self._weighed(stances[place], rows[place], reading)
        return tuple(found)

    def explained(self, claim: str, verdict: Verdict, context: RunContext) -> Verdict:
        """See `core.interfaces.SecondReader`. Only a language model gives reasons, for passages that it has read."""
        stances, read = list(verdict.stances), {passage for (_, passage), found in self.read.items() if found}
        for place in verdict.decisive:
            one = stances[place]
            if one.passage in read and one.stance in SIDES and isinstance(self.reader, LanguageModelReader):
                context.report(f"{self.reader.identity.name} gives its reason")
                ask = partial(self.reader.reason, claim, one.passage, SIDES.index(one.stance))
                if said := self._timed(ask, context.stop):
                    stances[place] = replace(one, reason=f"{one.reason}; the chosen model: “{said}”")
        return replace(verdict, stances=tuple(stances))

    def _that_matter(self, stances: Sequence[PassageStance], rows: Floats) -> list[int]:
        """Return the places of passages that may decide, the likeliest first: not those on which rules are sure."""
        open_ones = [
            place
            for place, one in enumerate(stances)
            if one.stance is not Stance.UNRELATED and one.kind not in (*DECIDING, *UNCOUNTED)
        ]
        for place in sorted(open_ones, key=lambda place: -float(rows[place, :2].max())):
            if len(self.mattered) < MOST_PASSAGES:
                self.mattered[stances[place].passage] = None
        return sorted(
            (place for place in open_ones if stances[place].passage in self.mattered),
            key=lambda place: -float(rows[place, :2].max()),
        )

    def _reading(self, claim: str, passage: Passage, context: RunContext) -> PassageReading | None:
        """Return the reading of a passage; None for an unusable answer, and after the reader has stopped."""
        if (claim, passage) not in self.read and not self.problem:
            number = len({one for _, one in self.read} | {passage})
            context.report(
                f"{self.reader.identity.name} reads passage {number} of {len(self.mattered)} "
                f"({self.seconds:.0f} s of at most {MOST_SECONDS:.0f} s)"
            )
            self.read[claim, passage] = self._timed(partial(self.reader.read, claim, passage), context.stop)
        return self.read.get((claim, passage))

    def _timed(self, ask: Callable[..., T], stop: Stop) -> T | None:
        """Return an answer; None for an unusable one, after a failure, and after the time for the case."""
        began = self.clock()
        end = began + MOST_SECONDS - self.seconds
        late = f"It stopped after {MOST_SECONDS:.0f} s, the longest that it may read for one case."
        try:
            if self.seconds < MOST_SECONDS and not self.problem:
                return ask(stop=lambda: stop() or self.clock() > end)
            self.problem = self.problem or late
        except UnusableAnswer:
            return None
        except Cancelled:
            if stop():
                raise
            self.problem = late
        except ModelError as error:
            self.problem = str(error)
        finally:
            self.seconds += self.clock() - began
        return None

    def _weighed(self, one: PassageStance, row: Floats, reading: PassageReading) -> PassageStance:
        """Return a passage's stance by the measured regression; the words are the built-in reader's if it agrees."""
        own, chosen = three_of(row[np.newaxis]), np.array([reading.log_probabilities])
        three = self.measured.probabilities(own, chosen)[0]
        neither = row[2:] / max(float(row[2:].sum()), 1e-9)
        four = np.concatenate([three[:2], three[2] * neither])
        stance = decided(four, embedded_card().thresholds)
        probability = float(four[STANCES.index(stance)])
        if stance is one.stance:
            return replace(one, probability=probability)
        if stance not in SIDES:
            return PassageStance(one.passage, stance, probability, "is on topic, but neither confirms nor denies it")
        span = reading.sentence or (one.passage.start, one.passage.end)
        return replace(_sided(one, span, stance), probability=probability)


def _sided(one: PassageStance, span: Span, stance: Stance) -> PassageStance:
    said = "says it" if stance is Stance.FOR else "says otherwise"
    words = shortened(" ".join(one.passage.document.text[slice(*span)].split()))
    return PassageStance(one.passage, stance, 0.0, f"{said} in other words: “{words}”", "reading", (span,))
