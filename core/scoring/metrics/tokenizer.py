"""Tokenize words as NLTK, skipping each of its 25 substitutions that cannot apply.

The substitutions are NLTK's own, in its order. A pattern cannot change a sentence without its required characters. So
the words are the same, in much less time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# Characters that a pattern needs one of to match, by the pattern's text. A straight double quote
# counts as a backquote and an apostrophe, because earlier substitutions turn it into them. A pattern that
# is not listed here (another version of NLTK) is always applied.
NEEDED_CHARACTERS = {
    "([«“‘„]|[`]+)": "«“‘„`",
    r"^\"": '"',
    "(``)": '`"',
    r"([ \(\[{<])(\"|\'{2})": "\"'",
    r"(?i)(\')(?!re|ve|ll|m|t|s|d|n)(\w)\b": "'\"",
    r"([^\.])(\.)([\]\)}>" + r'"\'' + "»”’ " + r"]*)\s*$": ".",
    r"([:,])([^\d])": ":,",
    r"([:,])$": ":,",
    r"\.{2,}": ".",
    r"[;@#$%&]": ";@#$%&",
    r'([^\.])(\.)([\]\)}>"\']*)\s*$': ".",
    r"[?!]": "?!",
    r"([^'])' ": "'\"",
    r"[*]": "*",
    r"[\]\[\(\)\{\}\<\>]": "[](){}<>",
    r"--": "-",
    "([»”’])": "»”’",
    r"''": "'\"",
    r'"': '"',
    r"([^' ])('[sS]|'[mM]|'[dD]|') ": "'\"",
    r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ": "'\"",
}
NEEDED_WORDS = {
    r"(?i)\b(can)(?#X)(not)\b": "cannot",
    r"(?i)\b(d)(?#X)('ye)\b": "d'ye",
    r"(?i)\b(gim)(?#X)(me)\b": "gimme",
    r"(?i)\b(gon)(?#X)(na)\b": "gonna",
    r"(?i)\b(got)(?#X)(ta)\b": "gotta",
    r"(?i)\b(lem)(?#X)(me)\b": "lemme",
    r"(?i)\b(more)(?#X)('n)\b": "more'n",
    r"(?i)\b(wan)(?#X)(na)(?=\s)": "wanna",
    r"(?i) ('t)(?#X)(is)\b": "'tis",
    r"(?i) ('t)(?#X)(was)\b": "'twas",
}
FOLDED = frozenset("İıſK")
"""Letters that match "i", "s" or "k" without case, although their lower case differs."""


@dataclass(frozen=True)
class Substitution:
    """A pattern, its replacement, and the characters or the word it needs (empty: always applied)."""

    pattern: re.Pattern[str]
    replacement: str
    characters: frozenset[str]
    word: str


@dataclass(frozen=True)
class WordTokenizer:
    """Cuts one sentence into words as `nltk.tokenize.NLTKWordTokenizer` does."""

    before_padding: tuple[Substitution, ...]
    after_padding: tuple[Substitution, ...]

    def tokenize(self, sentence: str) -> list[str]:
        """Return the words and punctuation marks of a sentence, in order."""
        characters = set(sentence)
        lower = None if not FOLDED.isdisjoint(characters) else sentence.lower()
        text = _apply(self.before_padding, sentence, characters, lower)
        return _apply(self.after_padding, f" {text} ", characters, lower).split()


def _apply(substitutions: tuple[Substitution, ...], text: str, characters: set[str], lower: str | None) -> str:
    for step in substitutions:
        if step.characters and step.characters.isdisjoint(characters):
            continue
        if step.word and lower is not None and step.word not in lower:
            continue
        text = step.pattern.sub(step.replacement, text)
    return text


def word_tokenizer(nltk_tokenizer: Any) -> Callable[[str], list[str]]:
    """Return a function that cuts sentences as `nltk_tokenizer` (an NLTKWordTokenizer, or its class) does."""
    before = (
        *nltk_tokenizer.STARTING_QUOTES,
        *nltk_tokenizer.PUNCTUATION,
        nltk_tokenizer.PARENS_BRACKETS,
        nltk_tokenizer.DOUBLE_DASHES,
    )
    contractions = (*nltk_tokenizer.CONTRACTIONS2, *nltk_tokenizer.CONTRACTIONS3)
    after = (*nltk_tokenizer.ENDING_QUOTES, *((pattern, r" \1 \2 ") for pattern in contractions))
    return WordTokenizer(
        before_padding=tuple(_substitution(pattern, replacement) for pattern, replacement in before),
        after_padding=tuple(_substitution(pattern, replacement) for pattern, replacement in after),
    ).tokenize


def _substitution(pattern: re.Pattern[str], replacement: str) -> Substitution:
    characters = frozenset(NEEDED_CHARACTERS.get(pattern.pattern, ""))
    return Substitution(pattern, replacement, characters, NEEDED_WORDS.get(pattern.pattern, ""))
