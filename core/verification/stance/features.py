"""Read a passage against a claim: its closest sentence, the differences there, and features as numbers."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.retrieval.chunking import sentence_spans
from core.types import Span
from core.verification.stance.alignment import Alignment, Text, align, beside, joined
from core.verification.stance.arithmetic import AmountComparison, compare
from core.verification.stance.computed import computed_amounts, with_computed_amounts
from core.verification.stance.differences import (
    SAME,
    Difference,
    Neighbour,
    amount_differences,
    antonym_differences,
    denial_differences,
    missing_names,
    name_differences,
    negate_apart,
    negate_as_often,
    negated,
    negation_differences,
    undone_by_antonyms,
)
from core.verification.stance.sections import Section
from core.verification.stance.two_amounts import DATES, AmountOutcome
from core.verification.stance.words import lexicon

KINDS = ("number", "date", "name", "negation", "antonym", "denial")
ORDERS = re.compile(
    r"\b(?:ignore (?:all |any |your |the |these |previous |prior )+(?:instructions|rules)|you are now a|"
    r"answer (?:only |with )?[\"“']?(?:supported|refuted|true|false|yes)\b|"
    r"(?:the|your) verdict (?:is|must be|should be|:) ?[\"“']?(?:supported|refuted|true|false)|"
    r"(?:must|should) be (?:answered|rated|labelled|labeled|judged)\b|write nothing else)",
    re.IGNORECASE,
)
"""Orders to the reader about the verdict. No passage with them is counted."""

_PAIR_GAIN = 0.12
"""How much more of the claim two sentences together must cover, for both to be read as one."""


@dataclass(frozen=True)
class Sentence:
    """A sentence of a passage: its words, its place in the document, and the sentences before and after it.

    The words of a row of a table come with the heads of its columns. `section` has the headings above the sentence.
    """

    text: Text
    span: Span
    before: Neighbour
    after: Neighbour
    section: Section = field(default_factory=Section)

    @property
    def start(self) -> int:
        return self.span[0]

    @property
    def is_row(self) -> bool:
        """Whether it is a row of a table, so that its words are at other places than the document's."""
        return len(self.text.text) != self.span[1] - self.span[0]


@dataclass(frozen=True)
class Read:
    """The reading of a passage: numbers by name, differences, and the sentence that is aligned with the claim.

    `plain` are the numbers if there were no differences. A row of a table has none: its amounts are compared by
    arithmetic alone. `closest` are the passage's sentences, the closest to the claim first. `carrying` are the
    characters of the document that say most for the claim, and against it.
    """

    values: dict[str, float]
    plain: dict[str, float]
    differences: tuple[Difference, ...]
    alignment: Alignment
    sentence: Sentence
    orders: bool
    closest: tuple[Sentence, ...]
    carrying: tuple[Span, Span] = ((0, 0), (0, 0))

    @property
    def start(self) -> int:
        return self.sentence.start

    def matched_spans(self) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
        """Return the characters of the document and of the claim that say the same."""
        one = self.alignment
        same = [place for place in one.claim.content if one.exact(place)]
        told = sorted({one.sentence.words[int(one.partner[place])].span for place in same})
        found = tuple((a + self.start, b + self.start) for a, b in told)
        return (self.sentence.span,) if self.sentence.is_row else found, tuple(one.claim.words[p].span for p in same)


def read_passage(claim: Text, sentences: Sequence[Sentence]) -> Read:
    """Return the reading of a passage from its sentences, one or more.

    Those that give orders, and those that settle nothing, are read only where there are no others.
    """
    orders = [bool(ORDERS.search(sentence.text.text)) for sentence in sentences]
    sentences = [one for one, order in zip(sentences, orders, strict=True) if not order] or sentences
    sentences = [one for one in sentences if not one.section.apart] or sentences
    read = sorted(
        ((sentence, align(claim, sentence.text, sentence.section.given)) for sentence in sentences),
        key=lambda each: -_closeness(each[1]),
    )
    chosen, one, covered = _closest(read)
    stems = frozenset().union(*(sentence.text.stems | sentence.section.given for sentence in sentences))
    initials = frozenset(
        "".join(sentence.text.words[at].lower[0] for at in name.places)
        for sentence in sentences
        for name in sentence.text.names
        if len(name.places) > 1
    )
    told = [amount for sentence in sentences for amount in sentence.text.amounts]
    theirs, ours = negated(one.sentence), negated(claim)
    noted = with_computed_amounts(one.sentence.text, claim.text)
    compared = compare(claim.text, noted)
    named = [
        *(each for each in amount_differences(one, told) if not _agrees(each.claim_spans, compared)),
        *name_differences(one, stems, initials),
        *_in_words(one, theirs, ours),
        *denial_differences(one, chosen.before, chosen.after),
    ]
    if noted == one.sentence.text:
        named += _by_arithmetic(compared, named)
    found = () if chosen.is_row or chosen.section.apart else tuple(named)
    missing = len(missing_names(one, stems, initials))
    common = {
        "negations_apart": float(negate_apart(one, theirs, ours)),
        **{f"amounts {outcome}": _share(compared, outcome) for outcome in AmountOutcome},
        "amounts computed": float(any(computed_amounts(sentence.text.text, claim.text) for sentence in sentences)),
    }
    values, plain = ({**_values(one, some, missing, covered), **common} for some in (found, ()))
    closest = tuple(sentence for sentence, _ in read)
    return Read(values, plain, found, one, chosen, all(orders), closest)


def _in_words(one: Alignment, theirs: dict[int, int], ours: dict[int, int]) -> Iterator[Difference]:
    """Yield the differences by a negation and by an opposite word."""
    if undone_by_antonyms(one, theirs, ours):
        return
    if not negate_as_often(theirs, ours):
        yield from negation_differences(one, theirs, ours)
    if not _swapped(one):  # "A sold more than B", "B sold less than A"
        yield from antonym_differences(one, theirs, ours)


def _by_arithmetic(compared: Sequence[AmountComparison], named: Sequence[Difference]) -> list[Difference]:
    """Return the differences that arithmetic finds in amounts of the claim that are not named yet."""
    spans = {span for one in named for span in one.claim_spans}
    return [
        Difference("date" if one.kind in DATES else "number", one.reason, one.spans, (one.claim_span,))
        for one in compared
        if one.outcome is AmountOutcome.DIFFERS and one.claim_span not in spans
    ]


def _agrees(claim_spans: Sequence[Span], compared: Sequence[AmountComparison]) -> bool:
    """Say whether a number or date of the claim agrees by arithmetic."""
    agreeing = [one.claim_span for one in compared if one.outcome is AmountOutcome.AGREES]
    return any(start < other[1] and other[0] < end for start, end in claim_spans for other in agreeing)


def _share(compared: Sequence[AmountComparison], outcome: AmountOutcome) -> float:
    return sum(one.outcome is outcome for one in compared) / len(compared) if compared else 0.0


def _closest(read: Sequence[tuple[Sentence, Alignment]]) -> tuple[Sentence, Alignment, float]:
    """Return the closest sentence to the claim (two neighbours where both are needed), its alignment and a coverage.

    The coverage is the highest of any single sentence. `read` has the closest sentence first.
    """
    covered = max(alignment.coverage for _, alignment in read)
    best = read[0]
    if best[1].coverage >= SAME and len(sentence_spans(best[1].claim.text)) == 1:
        return *best, covered  # a neighbour could only lend it a name or a number that belongs elsewhere
    in_order = sorted(read, key=lambda each: each[0].start)
    pairs = [
        (_join(first, second), beside(one, other, second.start - first.start))
        for (first, one), (second, other) in itertools.pairwise(in_order)
        if not (first.is_row or second.is_row)
    ]
    together = max(pairs, key=lambda pair: _closeness(pair[1]), default=best)
    return *(together if _closeness(together[1]) > _closeness(best[1]) + _PAIR_GAIN else best), covered


def _closeness(one: Alignment) -> float:
    return one.coverage + one.exact_coverage


def _join(first: Sentence, second: Sentence) -> Sentence:
    """Return two sentences that follow each other as one."""
    shift = second.start - first.start
    after = Neighbour(second.after.text, second.after.start + shift)
    span = first.start, second.span[1]
    section = first.section if first.section.headings else second.section
    return Sentence(joined(first.text, second.text, shift), span, first.before, after, section)


def _values(one: Alignment, found: Sequence[Difference], missing: int, covered: float) -> dict[str, float]:
    kinds = {difference.kind for difference in found}
    return {
        "coverage": one.coverage,
        "rest": one.coverage_without([span for difference in found for span in difference.claim_spans]),
        "exact": one.exact_coverage,
        "backward": one.backward,
        "covered": covered,
        "names_missing": missing / len(one.claim.names) if one.claim.names else 0.0,
        "swapped": float(_swapped(one)),
        **{f"{kind} × coverage": float(kind in kinds) * one.coverage for kind in KINDS},
    }


def hedges(one: Alignment) -> tuple[str, ...]:
    """Return a sentence's words of doubt that the claim lacks. "May" counts as the month."""
    claimed = {word.lower for word in one.claim.words}
    doubts = lexicon().hedge - claimed
    return tuple(word.text for word in one.sentence.words if word.lower in doubts and word.text != "May")


def _swapped(one: Alignment) -> bool:
    """Tell whether two names have the other order, with neither or both in the passive."""
    at = [int(one.partner[name.places[-1]]) for name in one.claim.names if one.matches[name.places[-1]] >= 1.0]
    passive = [any(word.lower == "by" for word in text.words) for text in (one.claim, one.sentence)]
    return len(at) > 1 and at != sorted(at) and passive[0] == passive[1]
