"""The words of a passage that a question should ask for: those that speak of the claim."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.retrieval.chunking import sentence_spans
from core.terms import STOP_WORDS, terms, words
from core.types import Passage, PassageStance, Span, Stance

MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December|"
    "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
)
_DAY, _YEAR = r"\d{1,2}(?:st|nd|rd|th)?", r"(?:1\d|20)\d\d"
DATE = re.compile(
    rf"\b{_DAY} (?:{MONTHS})\b(?:,? {_YEAR}\b)?|\b(?:{MONTHS})\b (?:{_DAY}\b(?:,? {_YEAR}\b)?|{_YEAR}\b)"
    rf"|\b(?!May|Mar)(?:{MONTHS})\b|\b{_YEAR}\b(?![.,:]?\d)(?! ?%)(?: ?(?:and|to|–|-) ?{_YEAR}\b)?"
)
"""Days, months and years. "May" and "March" alone are mostly verbs."""

WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
_UNIT = r"(?: ?%| ?(?:per ?cent|percent|hundred|thousand|million|billion|trillion|lakh|crore)\b)"
NUMBER = re.compile(rf"[$€£₹]?\d+(?:[.,:]\d+)*(?!\w){_UNIT}?(?: [a-z]+s\b)?", re.IGNORECASE)
REASON = re.compile(
    r"\b(?:because(?: of)?|due to|owing to|thanks to|as a result of|in order to|so that)\b ([^.,;:!?]{8,120})"
)
_NAME_WORD = r"[A-Z][\w’'.-]*[\w]"
NAME = re.compile(rf"\b{_NAME_WORD}(?: (?:(?:of|the|de|la|al|bin|van|von|da|del) )*{_NAME_WORD})*")
_CHUNK_END = re.compile(r"[^\w\s’'-]+")
_BEFORE_NOUNS = frozenset(
    "a an the its their his her this these of in on at by with for from into than no any all some between".split()
)

WEIGHTS = {"reason": 3.5, "date": 3.0, "number": 3.0, "name": 2.0, "phrase": 1.0}
"""How much a kind of words is worth asking for."""

LENGTH = 0.2
"""Added for each content word, up to four."""

DECISIVE, STATED, SUBJECT, FARTHEST = 4.0, 1.5, -2.5, -1.5
"""Added for words that decided a stance, are in the claim, are its subject, or are far from its words.

If a passage does not agree with the claim, STATED is subtracted: words of both are then only their topic.
"""

MOST_WORDS = 12
"""The longest words to ask for."""


@dataclass(frozen=True)
class Focus:
    """The part of a passage that a question is written from, and the words in it that answer the question.

    `kind` is one of WEIGHTS, or "" where there are no words to ask for.
    """

    text: str
    span: str = ""
    kind: str = ""


def focus_of(claim: str, passage: Passage, stance: PassageStance | None = None, *, longest: int = 44) -> Focus:
    """Return the sentence that speaks of the claim, as much before it as `longest` words allow, and its best words."""
    whole, start = passage.text, passage.start
    marked = [(max(a - start, 0), min(b - start, len(whole))) for a, b in stance.spans] if stance else []
    sentences = sentence_spans(whole)
    if not sentences:
        return Focus(" ".join(whole.split())[: 8 * longest])
    place = _closest(claim, whole, sentences, marked)
    begin, end = sentences[place]
    sentence = " ".join(whole[begin:end].split()[:longest])
    side = stance.stance if stance else Stance.ABOUT
    deciding = [whole[a:b] for a, b in marked if begin <= a < end] if side is Stance.AGAINST else []
    span, kind = best_words(claim, sentence, deciding, agrees=side is Stance.FOR)
    before = " ".join(whole[:begin].split())
    room = longest - len(sentence.split())
    kept = before.split()[-room:] if room > 0 else []
    return Focus(" ".join([*_from_sentence(kept, before), sentence]), span, kind)


def _from_sentence(kept: Sequence[str], before: str) -> Sequence[str]:
    """Return the words before a sentence from the first that begins a sentence; none where none does."""
    if len(kept) == len(before.split()):
        return kept
    starts = (place for place, word in enumerate(kept[:-1], start=1) if word[-1] in '.!?”"')
    return kept[next(starts, len(kept)) :]


def _closest(claim: str, whole: str, sentences: Sequence[Span], marked: Sequence[Span]) -> int:
    """Return the place of the sentence with most marked characters, or else most of the claim's terms."""
    theirs = content_terms(claim)

    def closeness(place: int) -> tuple[int, int]:
        begin, end = sentences[place]
        characters = sum(max(0, min(b, end) - max(a, begin)) for a, b in marked)
        return characters, len(theirs & content_terms(whole[begin:end]))

    return max(range(len(sentences)), key=closeness)


def content_terms(text: str) -> frozenset[str]:
    """Return the terms of a text without function words."""
    return frozenset(terms(words(text))) - {""}


def best_words(claim: str, sentence: str, deciding: Sequence[str] = (), *, agrees: bool = False) -> tuple[str, str]:
    """Return the best words of a sentence to ask for, and their kind; "" and "" if it has none.

    `deciding` are words in which it differs from the claim; `agrees` says that it says the same.
    """
    theirs = content_terms(claim)
    subject = next((content_terms(found.group()) for found in _names(claim)), frozenset())
    claimed = [found.start() for found in re.finditer(r"\w+", sentence) if content_terms(found.group()) & theirs]
    decided = content_terms(" ".join(deciding))

    def worth(candidate: tuple[int, int, str]) -> float:
        start, end, kind = candidate
        own = content_terms(sentence[start:end])
        far = min((min(abs(at - start), abs(at - end)) for at in claimed if not start <= at < end), default=200)
        return (
            WEIGHTS[kind]
            + LENGTH * min(len(own), 4)
            + DECISIVE * bool(own & decided)
            + (STATED if agrees else -STATED) * bool(own & theirs)
            + SUBJECT * bool(own & subject)
            + FARTHEST * min(far / 100, 1.0)
        )

    candidates = [one for one in candidates_of(sentence) if _fits(sentence[one[0] : one[1]])]
    if not candidates:
        return "", ""
    start, end, kind = max(candidates, key=worth)
    return sentence[start:end].strip(" ,"), kind


def _fits(text: str) -> bool:
    return len(text.split()) <= MOST_WORDS and len(text) <= 120


def kind_of(text: str) -> str:
    """Return the kind of some words: that of the first candidate in them, "" for no words."""
    return next((kind for _, _, kind in candidates_of(text)), "phrase") if text.strip() else ""


def candidates_of(sentence: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of words to ask for; a part of a date is no number."""
    dates = [found.span() for found in DATE.finditer(sentence)]
    yield from ((*span, "date") for span in dates)
    for found in NUMBER.finditer(sentence):
        if not any(a < found.end() and found.start() < b for a, b in dates):
            yield *found.span(), "number"
    yield from ((*found.span(1), "reason") for found in REASON.finditer(sentence))
    yield from (
        (*found.span(), "name")
        for found in _names(sentence)
        if not any(a < found.end() and found.start() < b for a, b in dates)
    )
    yield from _phrases(sentence)


def _names(text: str) -> Iterator[re.Match[str]]:
    """Yield the names of a text: words with capitals, except a single first one."""
    for found in NAME.finditer(text):
        alone, word = " " not in found.group(), found.group().lower()
        if alone and (found.start() == 0 or word in STOP_WORDS or word in WEEKDAYS):
            continue
        yield found


def _phrases(sentence: str) -> Iterator[tuple[int, int, str]]:
    """Yield runs of content words that an article or a preposition precedes: others are mostly verbs."""
    run: list[re.Match[str]] = []
    runs: list[list[re.Match[str]]] = []
    before = ""
    for found in re.finditer(r"\w[\w’'-]*|[^\w\s]", sentence):
        if _CHUNK_END.match(found.group()) or found.group().lower() in STOP_WORDS:
            runs, run, before = [*runs, run], [], found.group().lower()
        elif run or before in _BEFORE_NOUNS:
            run.append(found)
    yield from ((one[0].start(), one[-1].end(), "phrase") for one in [*runs, run] if one)
