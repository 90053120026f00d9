"""Find the corrections of a document, and read the corrected sentences with the later figures and names.

"Nine were hurt. … Correction, 4 May: There were six." is read as "Six were hurt."
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from core.retrieval.chunking import sentence_spans
from core.types import Span
from core.verification.stance.amounts import Amount, amounts
from core.verification.stance.two_amounts import DATES, agree, of_one_matter, of_one_thing

_NOTICE = re.compile(
    r"\W*(?:(?:an? )?(?:correction|clarification|corrigendum|erratum)s?|corrected|amended|editor['’]s note)\b"
    r"[^.!?:;–—\n]{0,60}(?:[:;–—]|\.?$)",
    re.IGNORECASE | re.MULTILINE,
)
"""The beginning of a notice, with its date: "Correction, 4 May:"."""

_EARLIER = re.compile(
    r"\b(?:(?:earlier|previous|original|first|printed) (?:version|report|article|story|edition|text)s?"
    r"|(?:originally|previously|wrongly|incorrectly|mistakenly) (?:said|stated|reported|gave|wrote|put)"
    r"|(?:said|stated|reported|gave|wrote) (?:wrongly|incorrectly|in error|by mistake)"
    r"|(?:was|has been) (?:corrected|amended))\b",
    re.IGNORECASE,
)
_AMENDED_ON = re.compile(r"\b(?:amended|corrected|updated|changed|published)(?: again)? (?:on|at) $", re.IGNORECASE)
_NOT_THE_NAME = re.compile(r"([A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*), (?:and )?not ([A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*)")
_MOST_NOTICES, _BEFORE = 8, 50_000
"""How many notices of a document are read, and how many characters before each."""

_SENTENCES = 4
"""The most sentences of a notice, with the one that begins it."""


@dataclass(frozen=True)
class Correction:
    """The characters of a text that a notice corrects, the words in their place, and the notice's characters."""

    span: Span
    words: str
    notice: Span


def corrected(text: str, span: Span) -> str | None:
    """Return the sentence at a span of a document's text as it was corrected; None if it was not."""
    sentence, start = text[slice(*span)], span[0]
    found = _within(text, span)
    for one in reversed(found):
        old = text[slice(*one.span)]
        new = one.words[:1].upper() + one.words[1:] if old[:1].isupper() else one.words
        sentence = sentence[: one.span[0] - start] + new + sentence[one.span[1] - start :]
    return sentence if found else None


def notice_on(text: str, span: Span) -> str:
    """Return the notice that corrects the sentence at a span of a document's text; "" if none does."""
    return next((" ".join(text[slice(*one.notice)].split()) for one in _within(text, span)), "")


def repeats_an_error(text: str, span: Span) -> bool:
    """Say whether a sentence of a notice repeats something that the notice corrects."""
    made = [one for one in corrections_of(text) if one.notice[0] <= span[0] and span[1] <= one.notice[1]]
    said = amounts(text[slice(*span)]) if made else ()
    old = [text[slice(*one.span)] for one in made]
    return any(words in text[slice(*span)] for words in old) or any(
        agree(amount, other) for words in old for other in amounts(words) for amount in said
    )


def _within(text: str, span: Span) -> list[Correction]:
    return [one for one in corrections_of(text) if span[0] <= one.span[0] and one.span[1] <= span[1]]


@lru_cache(maxsize=64)
def corrections_of(text: str) -> tuple[Correction, ...]:
    """Return the corrections of a document's text, in its order."""
    found: dict[Span, Correction] = {}
    sentences, notices = sentence_spans(text), 0
    for place, span in enumerate(sentences):
        if notices == _MOST_NOTICES:
            break
        begins = _NOTICE.match(text, *span)
        if begins or _EARLIER.search(text, *span):
            notices += 1
            end = _end_of_notice(text, sentences[place : place + _SENTENCES])
            start = begins.end() if begins else span[0]
            for one in (
                *_amounts_corrected(text, (start, end), span[0]),
                *_names_corrected(text, (start, end), span[0]),
            ):
                found.setdefault(one.span, replace(one, notice=(span[0], end)))
    return tuple(found[span] for span in sorted(found))


def _end_of_notice(text: str, sentences: Sequence[Span]) -> int:
    """Return where the notice that the first sentence begins ends: with its paragraph, which may be the next line."""
    end = sentences[0][1]
    for place, (one, other) in enumerate(pairwise(sentences)):
        gap = text[one[1] : other[0]]
        if "\n" in gap and (place > 0 or text[one[1] - 1] in ".!?"):
            break
        end = other[1]
    return end


def _amounts_corrected(text: str, notice: Span, end: int) -> Iterator[Correction]:
    """Yield the amounts before the notice that it corrects.

    They are those that the notice repeats. Else they are of one thing with the new one, or the only ones of their kind.
    Dates are corrected only if they are repeated: a notice has its own date too.
    """
    said, first = text[slice(*notice)], max(0, end - _BEFORE)
    figures = [one for one in amounts(said) if not _AMENDED_ON.search(said[: one.span[0]])]
    before = amounts(text[first:end]) if figures else ()
    for new in figures:
        rivals = [one for one in before if _may_replace(new, one)]
        if not rivals or any(agree(new, one) for one in before):
            continue
        repeated = [one for one in rivals if any(agree(one, other) for other in figures)]
        alike = [one for one in rivals if of_one_thing(one, new) and of_one_matter(one, new)]
        only = rivals if len({one.value for one in rivals}) == 1 else []
        for old in repeated or ([] if new.kind in DATES else alike or only):
            yield Correction((old.span[0] + first, old.span[1] + first), new.text, notice)


def _may_replace(new: Amount, old: Amount) -> bool:
    heads = not new.head or not old.head or bool(new.head & old.head)
    return (new.kind, new.rate) == (old.kind, old.rate) and heads and not agree(new, old)


def _names_corrected(text: str, notice: Span, end: int) -> Iterator[Correction]:
    """Yield the names before the notice that it calls wrong: "Ann Berg, not Ann Borg"."""
    for match in _NOT_THE_NAME.finditer(text, *notice):
        for found in re.compile(rf"\b{re.escape(match.group(2))}\b").finditer(text, max(0, end - _BEFORE), end):
            yield Correction(found.span(), match.group(1), notice)
