"""Add to the reading of passages how each relates to the claim: the logits of the fine-tuned reader, as features."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.interfaces import Stop, never
from core.verification.stance.arithmetic import compare
from core.verification.stance.computed import with_computed_amounts
from core.verification.stance.denials import calls_false, denies
from core.verification.stance.differences import SAME, Difference, another_of_its_series, denial_by, negated
from core.verification.stance.features import ORDERS, Read, Sentence
from core.verification.stance.pair_reader import PairReader
from core.verification.stance.text_dates import OTHER_YEAR
from core.verification.stance.two_amounts import AmountOutcome

SENTENCES = 3
"""How many of a passage's closest sentences are read one by one, if it may take a side."""

_SUREST = 6.0
"""Log-odds beyond this are read as this."""

_NEARLY = 1.0
"""Log-odds that differ by no more than this are nearly the same."""

Floats = NDArray[np.float64]


def with_relations(reads: Sequence[Read], reader: PairReader, *, stop: Stop = never) -> list[Read]:
    """Return readings with how each passage as a whole, and its closest sentence, relate to the claim.

    Of a passage that may take a side further sentences are read, for the one that says it. A text in several passages
    is read once. One on another thing of the claim's series settles nothing: "District 69". Nor does a passage of
    sentences that are apart.
    """
    odds = _PairOdds(reader, stop)
    odds.read([pair for read in reads for pair in _whole_and_closest(read)])
    found = [odds.of(_whole_and_closest(read), read) for read in reads]
    sided = [bool(some.max() > 0) for some in found]
    odds.read([pair for read, takes in zip(reads, sided, strict=True) if takes for pair in _sentences(read)])
    return [
        _related(read, some, odds.of(_sentences(read), read) if takes else some[1:])
        for read, some, takes in zip(reads, found, sided, strict=True)
    ]


class _PairOdds:
    """The log-odds of texts with a claim; each pair is read once."""

    def __init__(self, reader: PairReader, stop: Stop) -> None:
        self._reader = reader
        self._stop = stop
        self._known: dict[tuple[str, str], Floats] = {}

    def read(self, pairs: Iterable[tuple[str, str]]) -> None:
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        if not new:
            return
        odds = log_odds(self._reader.logits(new, stop=self._stop))
        odds[[another_of_its_series(claim, text) is not None for text, claim in new]] = -_SUREST
        self._known.update(zip(new, odds, strict=True))

    def of(self, pairs: Sequence[tuple[str, str]], read: Read) -> Floats:
        """Return the log-odds of pairs that were read, shape (pairs, 2); passages that are apart settle nothing."""
        rows = np.array([self._known[pair] for pair in pairs])
        return np.full_like(rows, -_SUREST) if read.sentence.section.apart else rows


def log_odds(logits: Floats) -> Floats:
    """Return the log-odds of "for" and of "against", cut at ±6, for logits of shape (pairs, 3); (pairs, 2)."""
    rest = [np.logaddexp(logits[:, one], logits[:, other]) for one, other in ((1, 2), (0, 2))]
    return np.asarray(np.clip(logits[:, :2] - np.column_stack(rest), -_SUREST, _SUREST))


def _whole_and_closest(read: Read) -> list[tuple[str, str]]:
    """Return the passage, and its closest sentence in context, each with the claim.

    A sentence in the claim's own words is read alone, also in place of the passage. Its neighbours may be on other
    matters.
    """
    if read.values["exact"] >= SAME and not read.differences:
        return [_with_claim(_under_headings([one]), read) for one in (read.sentence, read.closest[0])]
    in_order = sorted(read.closest, key=lambda one: one.start)
    return [_with_claim(_under_headings(in_order), read), _with_claim(_in_context(read.closest[0]), read)]


def _sentences(read: Read) -> list[tuple[str, str]]:
    """Return the closest sentences in context, each with the claim."""
    return [_with_claim(_in_context(one), read) for one in read.closest[:SENTENCES]]


def _with_claim(text: str, read: Read) -> tuple[str, str]:
    claim = read.alignment.claim.text
    return with_claimed_amounts(with_computed_amounts(_line(text), claim), claim), claim


def _under_headings(sentences: Sequence[Sentence]) -> str:
    """Return sentences as one text, each change of the headings that the claim needs before the sentence."""
    parts, above = [], ""
    for one in sentences:
        headings = one.section.headings
        parts.append(f"{headings}: {one.text.text}" if headings not in ("", above) else one.text.text)
        above = headings
    return " ".join(parts)


def with_claimed_amounts(text: str, claim: str) -> str:
    """Return a text with the claim's words for each amount that agrees: "12,400,000" becomes "12.4 million".

    Numbers are compared by arithmetic; the reader, which would compare them by their digits, sees the same words.
    """
    agreeing = [one for one in compare(claim, text) if one.outcome is AmountOutcome.AGREES and len(one.spans) == 1]
    end = len(text)
    for one in sorted(agreeing, key=lambda one: one.spans, reverse=True):
        (span,) = one.spans
        if span[1] <= end:
            text = text[: span[0]] + claim[slice(*one.claim_span)] + text[span[1] :]
            end = span[0]
    return text


def _in_context(sentence: Sentence) -> str:
    """Return a sentence after the one before it, where that one gives no orders."""
    before = sentence.before.text
    alone = sentence.section.headings or sentence.is_row or ORDERS.search(before)
    return _under_headings([sentence]) if alone else f"{before} {sentence.text.text}"


def _line(text: str) -> str:
    """Return a text on one line. A year of another calendar is "some year": its figures are not compared."""
    return OTHER_YEAR.sub("some year", " ".join(text.split()))


def _related(read: Read, odds: Floats, of_sentences: Floats) -> Read:
    """Return a reading with the log-odds of its whole passage and closest sentence, and of its sentences."""
    said, against = _carrying(of_sentences)
    values, differences = read.values, read.differences
    for_claim = 1 / (1 + math.exp(-of_sentences[said, 0]))
    denied = any(one.kind == "denial" for one in differences)
    if not denied and for_claim > 0.5 and (denial := _denied_after(read, read.closest[said])):
        values, differences = {**values, "denial × coverage": for_claim}, (*differences, denial)
    return replace(
        read,
        values={**values, **_features(values, bool(differences), *odds)},
        plain={**read.plain, **_features(read.plain, False, *odds)},
        differences=differences,
        carrying=(read.closest[said].span, read.closest[against].span),
    )


def _denied_after(read: Read, sentence: Sentence) -> Difference | None:
    """Return the denial of a sentence that says the claim in other words by the sentence after it."""
    claim = read.alignment.claim
    if not calls_false(sentence.after.text) or denies(claim.text) or negated(claim):
        return None
    return denial_by(sentence.after, sentence.start - read.start)


def _carrying(odds: Floats) -> list[int]:
    """Return the places of the sentences that say most for and against: the closest of those nearly as sure.

    A sentence is read after the one before it, which may be the one that says it.
    """
    return [int(place) for place in (odds >= odds.max(axis=0) - _NEARLY).argmax(axis=0)]


def _features(values: dict[str, float], differs: bool, whole: Floats, closest: Floats) -> dict[str, float]:
    said, denied = (float(whole[side] + closest[side]) for side in (0, 1))
    return {
        "for in the passage": float(whole[0]),
        "for in the closest sentence": float(closest[0]),
        "against in the passage": float(whole[1]),
        "against in the closest sentence": float(closest[1]),
        "for × difference": said * differs,
        "for × coverage": said * values["coverage"],
        "against × difference": denied * differs,
        "against × amounts agree": denied * values["amounts agrees"],
        "difference × exact": differs * values["exact"],
        "no difference × coverage": (not differs) * values["coverage"],
    }
