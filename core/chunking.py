"""Passages: windows of sentences over a document, as character offsets into its text.

The sentence splitter needs no download and no model: a mark that ends sentences does so unless an
abbreviation or an initial stands before it or lower case follows. A line break always separates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.errors import BadInput
from core.types import Document, Passage

MAX_CHARACTERS = 1200
"""No passage is longer: about 256 tokens of English, which is all that the embedded encoder reads."""

Span = tuple[int, int]

# Closing quotes and brackets belong to the sentence they close. East Asian and Indic marks need no space
# after them.
_END = re.compile(r"""[.!?…؟]+["'”’»)\]]*\s+|[。！？।॥]+["'”’」』）)]*\s*""")
_LAST_GAP = re.compile(r"\s\S*\Z")
_OPENING = "\"'“‘„«([¿¡"


def _words(line: str) -> frozenset[str]:
    return frozenset(line.split())


_NEVER_LAST = _words(
    """mr mrs ms dr prof rev hon st mt ft gen col capt lt sgt maj cmdr adm gov sen rep pres supt insp messrs
    vs cf al ca approx e.g i.e bzw vgl"""
)
_BEFORE_NUMBER = _words(
    """no nos nr p pp pg vol vols fig figs art sec ch eq op para c
    jan feb mar apr jun jul aug sep sept oct nov dec"""
)
# These may end a sentence or not: it goes on unless the next word is one that mostly begins sentences.
_MAY_BE_LAST = _words("etc inc ltd co corp bros jr sr ph.d dept est")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_FIRST_WORDS = _words(
    """a an the this that these those he she it they we you i his her its their our there here in on at by for
    from to of with as if when while after before since although however but and or so then yet not no what
    who why how where according"""
)


def passages(document: Document, *, sentences: int = 3, overlap: int = 1) -> list[Passage]:
    """Return windows of `sentences` sentences, each sharing `overlap` sentences with the one before it.

    Together the windows cover every character that is not white space, and each brings text that the one
    before it had not. A window ends early where another sentence would make it longer than MAX_CHARACTERS; a
    sentence longer than that is cut between words. A document of few sentences is one passage, one without
    text none. Raises BadInput unless 0 <= overlap < sentences.
    """
    if not 0 <= overlap < sentences:
        raise BadInput(
            f"Windows of {sentences} sentences cannot share {overlap}: a window needs at least one sentence, "
            "and must share fewer than it has."
        )
    spans = sentence_spans(document.text)
    return [Passage(document, start, end) for start, end in _windows(spans, sentences, overlap)]


def sentence_spans(text: str) -> list[Span]:
    """Return start and end of each sentence of `text`, in order, without the white space around it.

    None is empty or longer than MAX_CHARACTERS; all characters but white space lie in exactly one.
    """
    spans: list[Span] = []
    offset = 0
    for line in text.split("\n"):
        if line and not line.isspace():
            spans.extend(_in_line(line, offset))
        offset += len(line) + 1
    return spans


def _in_line(line: str, offset: int) -> Iterator[Span]:
    start = len(line) - len(line.lstrip())
    length = len(line.rstrip())
    for end in _END.finditer(line, start, length):
        if not _goes_on(line, start, end):
            yield from _pieces(line, start, end.end(), offset)
            start = end.end()
    yield from _pieces(line, start, length, offset)


def _goes_on(line: str, start: int, end: re.Match[str]) -> bool:
    """Say whether the sentence that began at `start` goes on after the mark that `end` matched."""
    # Slices, not the whole line, because a line can be a book and each mark would copy it.
    following = line[end.end() : end.end() + 40].lstrip(_OPENING)
    if following[:1].islower():
        return True
    if line[end.start() : end.start() + 2] != line[end.start()] + " " or line[end.start()] != ".":
        return False
    before = line[max(start, end.start() - 40) : end.start()].split()
    word = before[-1].lstrip(_OPENING + "-–—/") if before else ""
    return _is_abbreviation(word, following, alone=len(before) == 1 and end.start() - start <= 40)


def _is_abbreviation(word: str, following: str, *, alone: bool) -> bool:
    """Say whether the full stop after `word` belongs to it; `alone` if it begins the sentence."""
    lower = word.lower()
    if lower in _NEVER_LAST or (following[:1].isdigit() and lower in _BEFORE_NUMBER):
        return True
    if alone and (len(word) == 1 or (len(word) <= 3 and word.isdigit())):
        return True  # the number of a list's item
    if len(word) == 1 and word.isupper() and word != "I":
        return True
    if lower in _MAY_BE_LAST or _DOTTED.fullmatch(word):
        return _first_word(following) not in _FIRST_WORDS
    return False


def _first_word(text: str) -> str:
    return text.partition(" ")[0].rstrip(",;:").lower()


def _pieces(line: str, start: int, end: int, offset: int) -> Iterator[Span]:
    """Cut one sentence into stretches of at most MAX_CHARACTERS, between words where there are any."""
    end = start + len(line[start:end].rstrip())
    while end - start > MAX_CHARACTERS:
        gap = _LAST_GAP.search(line, start, start + MAX_CHARACTERS + 1)
        cut = gap.start() if gap else start + MAX_CHARACTERS
        yield offset + start, offset + start + len(line[start:cut].rstrip())
        while line[cut].isspace():
            cut += 1
        start = cut
    if start < end:
        yield offset + start, offset + end


def _windows(spans: list[Span], sentences: int, overlap: int) -> Iterator[Span]:
    first = reached = 0
    while reached < len(spans):
        last = first + 1
        while last < min(first + sentences, len(spans)) and spans[last][1] - spans[first][0] <= MAX_CHARACTERS:
            last += 1
        if last > reached:  # otherwise a long sentence follows, and this window would repeat the last one
            yield spans[first][0], spans[last - 1][1]
            reached = last
        first = max(first + 1, last - overlap)
