"""Cut a document into passages, as offsets: windows of sentences, or groups of similar sentences.

The sentence splitter needs no model. A closing mark ends a sentence, except after an abbreviation or initial, or before
lower case. A line break always ends one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.errors import BadInput
from core.types import Document, Passage

MAX_CHARACTERS = 1200
"""The longest passage: about 256 tokens of English, the limit of the bundled encoder."""

Span = tuple[int, int]

# Closing quotes and brackets belong to the sentence they close. East Asian and Indic marks need no space after them.
# One set of signs at the start makes `re` five times as fast as two.
_END = re.compile(
    r"""[.!?…؟。！？।॥](?:(?<=[.!?…؟])[.!?…؟]*["'”’»)\]]*\s+|(?<=[。！？।॥])[。！？।॥]*["'”’」』）)]*\s*)"""
)
_LONG_WORD = re.compile(r"[a-z]{9}")  # longer words are no abbreviations
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
# Abbreviations that may end a sentence: they do so only before a word that mostly begins sentences.
_MAY_BE_LAST = _words("etc inc ltd co corp bros jr sr ph.d dept est")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_FIRST_WORDS = _words(
    """a an the this that these those he she it they we you i his her its their our there here in on at by for
    from to of with as if when while after before since although however but and or so then yet not no what
    who why how where according"""
)


def passages(document: Document, *, sentences: int = 3, overlap: int = 1) -> list[Passage]:
    """Return the windows of a document's text as passages. Raises BadInput as `windows` does."""
    return [Passage(document, *span) for span in windows(document.text, sentences=sentences, overlap=overlap)]


def windows(text: str, *, sentences: int = 3, overlap: int = 1) -> list[Span]:
    """Return start and end of windows of `sentences` sentences, each sharing `overlap` with the one before it.

    Together the windows cover every character that is not white space, and each brings text that the one
    before it had not. A window ends early where another sentence would make it longer than MAX_CHARACTERS; a
    sentence longer than that is cut between words. A text of few sentences is one window, an empty one none.
    Raises BadInput unless 0 <= overlap < sentences.
    """
    if not 0 <= overlap < sentences:
        raise BadInput(
            f"Windows of {sentences} sentences cannot share {overlap}: a window needs at least one sentence, "
            "and must share fewer than it has."
        )
    return list(_windows(sentence_spans(text), sentences, overlap))


def sentence_spans(text: str) -> list[Span]:
    """Return start and end of each sentence of `text`, in order, without surrounding white space.

    No sentence is empty or longer than MAX_CHARACTERS. Each other character is in exactly one sentence.
    """
    spans: list[Span] = []
    offset = 0
    for line in text.split("\n"):
        bare = line.rstrip()
        start = offset + len(bare) - len(bare.lstrip())
        for end in _END.finditer(bare, start - offset):
            if not _goes_on(bare, start - offset, end):
                spans += _pieces(text, start, offset + end.end())
                start = offset + end.end()
        spans += _pieces(text, start, offset + len(bare))
        offset += len(line) + 1
    return spans


def _goes_on(line: str, start: int, end: re.Match[str]) -> bool:
    """Return whether the sentence from `start` continues after the mark that `end` matched."""
    mark, after = end.span()
    # Slices, not the whole line: a line can be a whole book, copied for each mark.
    following = line[after : after + 40].lstrip(_OPENING)
    if following[:1].islower():
        return True
    if line[mark : mark + 2] != ". " or _LONG_WORD.match(line, max(start, mark - 9), mark):
        return False
    before = line[max(start, mark - 40) : mark].split()
    word = before[-1].lstrip(_OPENING + "-–—/") if before else ""
    return _is_abbreviation(word, following, alone=len(before) == 1 and mark - start <= 40)


def _is_abbreviation(word: str, following: str, *, alone: bool) -> bool:
    """Return whether the full stop after `word` belongs to it; `alone` says that the word begins the sentence."""
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


def _pieces(text: str, start: int, end: int) -> list[Span]:
    """Cut one sentence into pieces of at most MAX_CHARACTERS, between words if possible."""
    end = start + len(text[start:end].rstrip())
    pieces = []
    while end - start > MAX_CHARACTERS:
        gap = _LAST_GAP.search(text, start, start + MAX_CHARACTERS + 1)
        cut = gap.start() if gap else start + MAX_CHARACTERS
        pieces.append((start, start + len(text[start:cut].rstrip())))
        while text[cut].isspace():
            cut += 1
        start = cut
    if start < end:
        pieces.append((start, end))
    return pieces


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


def stretches(passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages in order, after joining overlapping or touching passages of one document."""
    by_document: dict[str, list[Passage]] = {}
    for passage in passages:
        by_document.setdefault(passage.document.digest, []).append(passage)
    return [joined for found in by_document.values() for joined in _joined(found)]


def _joined(passages: Sequence[Passage]) -> list[Passage]:
    ordered = sorted(passages, key=lambda passage: passage.start)
    document, spans = ordered[0].document, [(ordered[0].start, ordered[0].end)]
    for passage in ordered[1:]:
        start, end = spans[-1]
        if document.text[end : passage.start].strip():
            spans.append((passage.start, passage.end))
        else:
            spans[-1] = (start, max(end, passage.end))
    return [Passage(document, start, end) for start, end in spans]


def sentences_of(passage: Passage) -> list[Passage]:
    """Return the sentences of a passage, each as a passage."""
    offset = passage.start
    return [Passage(passage.document, offset + start, offset + end) for start, end in sentence_spans(passage.text)]


def group_neighbours(
    sentences: Sequence[Passage], similarity: Sequence[float], *, threshold: float, most: int
) -> list[Passage]:
    """Return the sentences of one piece of text, with similar neighbours joined.

    similarity[i] compares sentences i and i + 1, so its length is the number of sentences less 1. A sentence joins the
    one before it if they are at least `threshold` similar. The group keeps fewer than `most` sentences and stays within
    MAX_CHARACTERS. Raises ValueError if the lengths do not fit. Source: Dharamvaram and Hakak, FEVER 2025 (team Yellow
    Flash group similar neighbouring sentences).
    """
    if len(similarity) != max(len(sentences) - 1, 0):
        raise ValueError(f"{len(sentences)} sentences have {len(sentences) - 1} neighbours, not {len(similarity)}")
    groups: list[Passage] = []
    size = 0
    for position, sentence in enumerate(sentences):
        first = groups[-1].start if groups else sentence.start
        close = position > 0 and similarity[position - 1] >= threshold
        if close and size < most and sentence.end - first <= MAX_CHARACTERS:
            groups[-1] = Passage(sentence.document, first, sentence.end)
            size += 1
        else:
            groups.append(sentence)
            size = 1
    return groups
