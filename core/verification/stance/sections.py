"""The headings and labels that name the subject of a sentence: "Brackshire", where it only says "the rate"."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.documents.headings import SectionHeading, headings_above, headings_of
from core.types import Span
from core.verification.stance.amounts import amounts
from core.verification.stance.corrections import repeats_an_error
from core.verification.stance.tables import Row, rows_beside
from core.verification.stance.words import is_content, lexicon, stem, words_of

_OF_VALUES = frozenset(
    stem(word)
    for word in "cost price charge pay fare fee number count total amount reach measure hold have be list".split()
)
"""Stems of words that a row of two cells need not have: "Day ticket: 15 euros"."""

_OF_NOW_OR_ITS_END = frozenset("is are has have remains remain stays stay still now today until till by before".split())
"""Words of a claim on the present, or on the end of a state."""


@dataclass(frozen=True)
class Section:
    """The headings above a sentence that a claim needs, and why the sentence settles nothing; each "" where none.

    `given` are the stems of words that the sentence need not have.
    """

    headings: str = ""
    apart: str = ""
    given: frozenset[str] = frozenset()


def section_of(claim: str, text: str, span: Span) -> Section:
    """Return the section of the sentence at `span` of a document's text.

    A claim needs the headings with words of its own that the sentence lacks. The sentence settles nothing if the claim
    names another section or another row of its table. Nor does it if it repeats an error that was corrected. The end of
    a past state of the claim settles nothing either.
    """
    above = headings_above(text, span[0])
    asked, said = _stems(claim), _stems(text[slice(*span)])
    headings = ". ".join(one.text for one in above if (_stems(one.text) & asked) - said)
    named = frozenset(word.stem for word in words_of(claim) if not word.text.islower()) - said
    other = next((one.text for one in above if _is_of_another(one, text, named)), "")
    row, rows = rows_beside(text, span[0])
    if row and _is_another_row(row, rows, asked):
        other = row.label
    apart = f"is about “{other}”" if other else ""
    if repeats_an_error(text, span):
        apart = "repeats an earlier version, which the document corrects"
    elif undone := _undone(claim, text[slice(*span)]):
        apart = f"is about the end of it: “{undone}”"
    given = _stems(headings) | (_OF_VALUES if row else frozenset())
    return Section(headings, apart, given)


def _undone(claim: str, sentence: str) -> str:
    """Return the words of a sentence that end a past state of the claim: "opened again" for "was closed"; "" if none.

    They presuppose that state, so they do not say the opposite.
    """
    claimed, told = words_of(claim), words_of(sentence)
    if _OF_NOW_OR_ITS_END & {word.lower for word in claimed}:
        return ""
    opposites = {stem(other) for word in claimed for other in lexicon().antonyms.get(word.lower, ())}
    opposites -= {word.stem for word in claimed}
    for word, following in itertools.pairwise(told):
        if word.stem in opposites and following.lower == "again":
            return sentence[word.start : following.end]
    again = (word.text for word in told if word.lower.startswith("re") and word.stem[2:] in opposites)
    return next(again, "")


def _is_of_another(heading: SectionHeading, text: str, named: frozenset[str]) -> bool:
    """Say whether a claim has the names of a heading beside this one, and none of this one.

    A sentence under "Visitors" may be about the prices too, so only names and numbers part sections.
    """
    common = _common(text)
    own = _stems(heading.text) - common
    beside = [one for one in headings_of(text) if (one.level, one.above) == (heading.level, heading.above)]
    others = [_stems(one.text) - common for one in beside]
    return any(own - other and other - own and other - own <= named and not (own - other) & named for other in others)


def _is_another_row(row: Row, rows: Sequence[Row], asked: frozenset[str]) -> bool:
    """Say whether a claim has the label of another row, and lacks words of this row's.

    Both have values of the same kind: "Harl: a town" is no rival of "Inhabitants: 3,000".
    """
    if _of_label(row) <= asked:
        return False
    rivals = [one for one in rows if one.label != row.label and frozenset() < _of_label(one) <= asked]
    return any(_kinds(one) == _kinds(row) for one in rivals)


def _of_label(row: Row) -> frozenset[str]:
    return _stems(row.label) - _OF_VALUES


def _kinds(row: Row) -> frozenset[str]:
    """Return the kinds of amounts in a row's label, such as days of the week, or else in its values."""
    return frozenset(one.kind for one in amounts(row.label) or amounts(row.values))


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    """Return the stems of the words of meaning in a text."""
    return frozenset(word.stem for word in words_of(text) if is_content(word))


@lru_cache(maxsize=64)
def _common(text: str) -> frozenset[str]:
    """Return the stems of the words that a text has in lower case, which are no names."""
    return frozenset(word.stem for word in words_of(text) if word.text.islower())
