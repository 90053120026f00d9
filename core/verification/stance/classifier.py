"""The stances of passages towards a claim, with their reasons."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.documents.language import NAMES, other_languages
from core.errors import ModelError
from core.interfaces import ContextualEncoder, Encoder, Stop, never
from core.retrieval.chunking import sentence_spans
from core.types import Passage, PassageStance, Span, Stance
from core.verification.stance.alignment import read_texts
from core.verification.stance.computed import computed_amounts
from core.verification.stance.corrections import corrected, notice_on
from core.verification.stance.differences import (
    MIN_REST,
    SAME,
    Neighbour,
    another_of_its_series,
    shortened,
)
from core.verification.stance.embedded import EmbeddedClassifier
from core.verification.stance.features import Read, Sentence, hedges, read_passage
from core.verification.stance.pair_reader import PairReader, load_pair_reader
from core.verification.stance.relations import with_relations
from core.verification.stance.sections import section_of
from core.verification.stance.stance_words import COMPUTED, SAME_WORDS
from core.verification.stance.tables import row_with_heads

STANCES = list(Stance)
CONTEXT = 300
"""How many characters before and after a passage are looked at for "this is false"."""

LEAST_SHARE = 0.05
"""How much of the probability of "against" the differing words must make up to be its reason."""

AGAINST = STANCES.index(Stance.AGAINST)
Floats = NDArray[np.float64]

_ORDER = ("denial", "negation", "number", "date", "name", "antonym")
"""Which difference is named first."""


@dataclass(frozen=True)
class Thresholds:
    """The least probabilities of "for" and "against"; below them a passage is only about the claim."""

    for_claim: float
    against: float


def contextual(encoder: Encoder) -> ContextualEncoder:
    """Return the encoder. Raises ModelError if it does not tell the vectors of words."""
    if isinstance(encoder, ContextualEncoder):
        return encoder
    raise ModelError(f"{encoder.identity.name} gives no vectors of single words, which reading a passage needs.")


def read_passages(
    claim: str, passages: Sequence[Passage], encoder: Encoder, pair_reader: PairReader, *, stop: Stop = never
) -> list[Read]:
    """Return the reading of each passage."""
    return with_relations(compare_passages(claim, passages, encoder, stop=stop), pair_reader, stop=stop)


def compare_passages(claim: str, passages: Sequence[Passage], encoder: Encoder, *, stop: Stop = never) -> list[Read]:
    """Return the words of each passage compared with the claim's, with every sentence encoded once."""
    spans = [sentences_in(passage) for passage in passages]
    told = [
        [_as_meant(passage.document.text, span) for span in found]
        for passage, found in zip(passages, spans, strict=True)
    ]
    texts = list(dict.fromkeys(itertools.chain.from_iterable(told)))
    read = dict(zip([claim, *texts], read_texts([claim, *texts], contextual(encoder), stop=stop), strict=True))
    reads = []
    for passage, found, said in zip(passages, spans, told, strict=True):
        text = passage.document.text
        sentences = [
            Sentence(read[words], span, _before(text, span[0]), _after(text, *span), section_of(claim, text, span))
            for span, words in zip(found, said, strict=True)
        ]
        reads.append(read_passage(read[claim], sentences))
    return reads


def _as_meant(text: str, span: Span) -> str:
    """Return the sentence at a span, as it was corrected; a row of a table has its heads."""
    return corrected(text, span) or row_with_heads(text, span)


def sentences_in(passage: Passage) -> list[Span]:
    """Return the sentences of a passage, as characters of the document's text."""
    found = [(passage.start + start, passage.start + end) for start, end in sentence_spans(passage.text)]
    return found or [(passage.start, passage.end)]


def _before(text: str, start: int) -> Neighbour:
    """Return the sentence before a place in a text, or the end of it where it is long."""
    begin = max(0, start - CONTEXT)
    spans = sentence_spans(text[begin:start])
    return Neighbour(text[begin:start][slice(*spans[-1])], begin + spans[-1][0] - start) if spans else Neighbour()


def _after(text: str, start: int, end: int) -> Neighbour:
    """Return the sentence after the one from `start` to `end`, or the beginning of it where it is long."""
    following = text[end : end + CONTEXT]
    spans = sentence_spans(following)
    return Neighbour(following[slice(*spans[0])], end - start + spans[0][0]) if spans else Neighbour()


def stances_of(
    claim: str,
    passages: Sequence[Passage],
    classifier: EmbeddedClassifier,
    encoder: Encoder,
    thresholds: Thresholds,
    *,
    stop: Stop = never,
) -> tuple[tuple[PassageStance, ...], Floats]:
    """Return the stance of each passage, with the words to check, and the probabilities, shape (passages, 4)."""
    if not passages:
        return (), np.zeros((0, len(STANCES)))
    reads = read_passages(claim, passages, encoder, load_pair_reader(), stop=stop)
    rows = classifier.probabilities(reads)
    plain = classifier.without_differences(reads)
    found = [stance_of(*each, thresholds) for each in zip(passages, reads, rows, plain, strict=True)]
    found = [_with_notice(*each) for each in zip(found, reads, strict=True)]
    languages = other_languages(claim, [passage.document for passage in passages])
    return tuple(in_language(*each) for each in zip(found, languages, strict=True)), rows


def stance_of(passage: Passage, read: Read, row: Floats, plain: Floats, thresholds: Thresholds) -> PassageStance:
    """Return a passage's stance from its probabilities `row`, and `plain`, those if it did not differ in any word."""
    if not any(character.isalpha() for character in passage.text):
        return PassageStance(passage, Stance.UNRELATED, 1.0, "holds no words, only numbers or signs")
    stance = decided(row, thresholds)
    probability = float(row[STANCES.index(stance)])
    matched, matched_claim = read.matched_spans()
    if read.orders:
        return PassageStance(passage, Stance.ABOUT, 1.0, "gives orders to its reader, so it is not counted", "order")
    if stance is Stance.AGAINST and rests_on_differences(read, row, plain):
        shown = sorted(read.differences, key=lambda one: _ORDER.index(one.kind))[:2]
        spans = tuple(_in_document(span, read.start) for one in shown for span in one.spans if span[1] > span[0])
        claim_spans = tuple(span for one in shown for span in one.claim_spans)
        reason = "; ".join(dict.fromkeys(one.reason for one in shown))
        return PassageStance(passage, stance, probability, reason, shown[0].kind, spans, claim_spans)
    if stance is Stance.FOR and read.values["exact"] >= SAME:
        reason = f"says the same: “{shortened(read.alignment.sentence.text)}”"
        return PassageStance(passage, stance, probability, reason, SAME_WORDS, matched, matched_claim)
    if stance in (Stance.FOR, Stance.AGAINST):
        span = read.carrying[STANCES.index(stance)]
        said = "says it" if stance is Stance.FOR else "says otherwise"
        sentence = _as_meant(passage.document.text, span)
        computed = computed_amounts(sentence, read.alignment.claim.text)
        notes = "".join(f"; {one.said}" for one in computed)
        reason = f"{said} in other words: “{shortened(sentence)}”{notes}"
        kind = COMPUTED if stance is Stance.FOR and computed else "reading"
        return PassageStance(passage, stance, probability, reason, kind, (span,))
    if stance is Stance.ABOUT:
        return PassageStance(passage, stance, probability, _neither(read), "", matched, matched_claim)
    return PassageStance(passage, stance, probability, "is off topic")


def _with_notice(one: PassageStance, read: Read) -> PassageStance:
    """Return a stance for or against the claim; its reason names the notice that corrected the passage's sentence."""
    if one.stance not in (Stance.FOR, Stance.AGAINST):
        return one
    spans = (read.sentence.span, read.carrying[STANCES.index(one.stance)])
    notice = next(filter(None, (notice_on(one.passage.document.text, span) for span in spans)), "")
    return replace(one, reason=f"{one.reason}; the document corrects itself: “{shortened(notice)}”") if notice else one


def in_language(one: PassageStance, code: str) -> PassageStance:
    """Return the stance, or one that names the language of a passage that was hardly read and takes no side."""
    if not code or one.kind == "order" or one.stance in (Stance.FOR, Stance.AGAINST):
        return one
    return PassageStance(
        one.passage, Stance.ABOUT, one.probability, f"is in {NAMES[code]}, and was hardly read", "language"
    )


def decided(row: Floats, thresholds: Thresholds) -> Stance:
    """Return the stance for a passage's four probabilities."""
    for_claim, against, about, unrelated = row.tolist()
    if for_claim >= max(thresholds.for_claim, against):
        return Stance.FOR
    if against >= thresholds.against:
        return Stance.AGAINST
    return Stance.UNRELATED if unrelated > for_claim + against + about else Stance.ABOUT


def rests_on_differences(read: Read, row: Floats, plain: Floats) -> bool:
    """Say whether the words in which a passage differs are why it is against the claim.

    They are if it would be less so without them. They also are if the sentence that carries has most of the claim.
    """
    same = read.values["rest"] >= SAME and read.carrying[1][0] == read.start
    less = bool(row[AGAINST] - plain[AGAINST] >= LEAST_SHARE)
    return bool(read.differences) and (same or less)


def _in_document(span: Span, start: int) -> Span:
    return span[0] + start, span[1] + start


def _neither(read: Read) -> str:
    if read.sentence.section.apart:
        return read.sentence.section.apart
    if other := another_of_its_series(read.alignment.claim.text, read.alignment.sentence.text):
        return f"speaks of {other[0]}, not of {other[1]}"
    if doubts := hedges(read.alignment):
        return f"speaks of it as something possible (“{doubts[0]}”), and settles nothing"
    if read.differences and read.values["coverage"] >= MIN_REST:
        return f"speaks of something near it: {read.differences[0].reason}"
    return "is on topic, but neither confirms nor denies the claim"
