"""The words of a text with their places, and the word lists for stances."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache

from core.files import ASSETS
from core.types import Span

LEXICON = ASSETS / "stance" / "lexicon.json"
WORD = re.compile(r"\d+(?:[.,·]\d+)*|[^\W\d_]+(?:['’\-][^\W\d_]+)*|[%$€£₹°]")
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ers", "ed", "es", "er", "ly", "s", "e", "y")


@dataclass(frozen=True)
class Word:
    """A word of a text: `text` as written, `lower` in lower case with straight apostrophes, `stem` without ending."""

    text: str
    lower: str
    stem: str
    start: int
    end: int

    @property
    def span(self) -> Span:
        return self.start, self.end


@dataclass(frozen=True)
class Lexicon:
    """Word lists by function, in lower case. `antonyms` goes both ways."""

    stopwords: frozenset[str]
    negation: frozenset[str]
    refusal: frozenset[str]
    denial: frozenset[str]
    hedge: frozenset[str]
    quantifiers: frozenset[str]
    months: tuple[str, ...]
    weekdays: tuple[str, ...]
    antonyms: dict[str, frozenset[str]]
    synonyms: dict[str, frozenset[str]]
    past: dict[str, str]


@cache
def lexicon() -> Lexicon:
    """Return the lists of assets/stance/lexicon.json."""
    lists = json.loads(LEXICON.read_text(encoding="utf-8"))
    sets = ("stopwords", "negation", "refusal", "denial", "hedge", "quantifiers")
    return Lexicon(
        **{name: frozenset(lists[name]) for name in sets},
        months=tuple(lists["months"]),
        weekdays=tuple(lists["weekdays"]),
        past=lists["past"],
        antonyms=_both_ways(lists["antonyms"]),
        synonyms=_both_ways(lists["synonyms"]),
    )


def _both_ways(pairs: list[list[str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for one, other in pairs:
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


def words_of(text: str) -> list[Word]:
    """Return the words, numbers and signs of money or percent in a text, in order."""
    return [_word(match) for match in WORD.finditer(text)]


def _word(match: re.Match[str]) -> Word:
    lower = match.group().lower().replace("’", "'")
    return Word(match.group(), lower, stem(lower), *match.span())


@cache
def stem(word: str) -> str:
    """Return a word in lower case without "'s" and its commonest endings: enough to tell "rose" from "roses" no more.

    At least three letters stay; the past of an irregular verb goes to its base form.
    """
    word = word.removesuffix("'s").removesuffix("'")
    word = lexicon().past.get(word, word)
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            base = word[: -len(ending)]
            return base[:-1] if len(base) > 3 and base[-1] == base[-2] else base
    return word


def is_content(word: Word) -> bool:
    """Say whether a word carries meaning of its own, rather than grammar or negation."""
    return word.lower not in lexicon().stopwords and word.lower not in lexicon().negation and word.lower != "%"
