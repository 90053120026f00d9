"""Names in a text: runs of capitalised words. No list of names, so that an unknown one is found as well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.types import Span
from core.verification.stance.amounts import amounts
from core.verification.stance.words import Word, is_content, lexicon

_INNER = frozenset("of de la le du da van von der den al bin ibn del di the".split())
_TITLES = frozenset("mr mrs ms dr sir president minister senator king queen pope prince princess lord lady".split())


@dataclass(frozen=True)
class Name:
    """A run of capitalised words; `places` are those of its words in the text, without titles and joining words."""

    text: str
    span: Span
    places: tuple[int, ...]


def names(text: str, words: Sequence[Word]) -> list[Name]:
    """Return the names of a text. The first word of a sentence counts only as part of a longer name, or an acronym.

    Parts of amounts and dates are no names: the C of "41 °C", the Aug of "3 Aug 2019".
    """
    numbers = [one.span for one in amounts(text)]
    found: list[Name] = []
    place = 0
    while place < len(words):
        end = _run(text, words, place)
        if end > place:
            name = _name(text, words, range(place, end))
            if name and not any(begin <= name.span[0] and name.span[1] <= last for begin, last in numbers):
                found.append(name)
        place = max(end, place + 1)
    return found


def _run(text: str, words: Sequence[Word], start: int) -> int:
    """Return where the run of capitalised words that begins at `start` ends; `start` if there is none."""
    if not _capital(words[start]):
        return start
    end = start + 1
    while end < len(words):
        gap = text[words[end - 1].end : words[end].start]
        if gap not in (" ", ". ", "-", " & ") or (gap == ". " and len(words[end - 1].text) > 2):
            break
        if _capital(words[end]):
            end += 1
        elif words[end].lower in _INNER and end + 1 < len(words) and _capital(words[end + 1]):
            end += 2
        else:
            break
    return end


def _capital(word: Word) -> bool:
    lex = lexicon()
    return not (not word.text[0].isupper() or word.lower in lex.months or word.lower in lex.weekdays)


def _name(text: str, words: Sequence[Word], places: range) -> Name | None:
    kept = [place for place in places if words[place].text[0].isupper() and is_content(words[place])]
    if len(kept) == 1 and _starts_sentence(text, words[kept[0]]):
        word = words[kept[0]]
        # A common word is capitalised there only because it comes first.
        if not (word.text.isupper() and len(word.text) > 1) and not _looks_like_name(text, word):
            return None
    named = [place for place in kept if words[place].lower not in _TITLES] or kept
    if not named:
        return None
    span = (words[named[0]].start, words[named[-1]].end)
    return Name(text[span[0] : span[1]], span, tuple(named))


def _starts_sentence(text: str, word: Word) -> bool:
    before = text[: word.start].rstrip(" \"'“‘(«")
    return not before or before[-1] in ".!?:\n"


def _looks_like_name(text: str, word: Word) -> bool:
    """Tell whether a sentence's first word is a name: it has a capital elsewhere too, or owns something."""
    return word.lower.endswith("'s") or text.count(f" {word.text}") > (text[word.start - 1 : word.start] == " ")
