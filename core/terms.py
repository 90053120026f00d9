"""Words as the lexical index counts them: folded, stemmed, without English function words.

The BM25 index and the marks on the page share them: the page marks the words that were matched.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import Stemmer

_STOP_WORDS = """
a about above after again against all also am an and any are aren as at be because been before being below
between both but by can cannot could couldn d did didn do does doesn doing don down during each few for
from further had hadn has hasn have haven having he her here hers herself him himself his how i if in into
is isn it its itself just ll m may me might more most must my myself no nor not now of off on once only or
other our ours ourselves out over own re s same shall she should shouldn so some such t than that the
their theirs them themselves then there these they this those through to too under until up upon us ve
very was wasn we were weren what when where which while who whom whose why will with won would wouldn you
your yours yourself
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

_ASCII_WORD = re.compile(r"\w+", re.ASCII)
_IDEOGRAPH = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # written without spaces: each counts as a word
_MARK = "\u0300-\u036f\u064b-\u065f\u0900-\u0963\u0966-\u0dff"  # accents and vowel signs that \w leaves out
_WORD = re.compile(rf"[{_IDEOGRAPH}]|(?:[{_MARK}]|[^\W{_IDEOGRAPH}])+")
_SIGNS = "“”„‘’«»–—…•·\u00a0\u2009\u202f"  # the signs outside ASCII that are frequent and in no word
_LOWER = str.maketrans({chr(n): chr(n).lower() if _ASCII_WORD.match(chr(n)) else " " for n in range(128)})


def word_pattern(text: str) -> re.Pattern[str]:
    """Return the pattern that finds the words of `text`; that for ASCII gives the same and is faster."""
    return _ASCII_WORD if text.isascii() else _WORD


def words(text: str) -> list[str]:
    """Return the words of `text` as they are written, in order."""
    return word_pattern(text).findall(text)


def lower_words(text: str) -> list[str]:
    """Return the words of `text` in lower case, in order. ASCII takes a third of the time of `words`."""
    return text.translate(_LOWER).split() if text.isascii() else [word.lower() for word in _WORD.findall(text)]


def without_signs(text: str) -> str:
    """Return `text`, as long as it was and with the same words, with frequent signs outside ASCII as spaces.

    Most texts have such quotes and dashes, and most sentences nothing else that is not ASCII.
    """
    for sign in _SIGNS:
        text = text.replace(sign, " ")
    return text


def terms(written: Sequence[str]) -> list[str]:
    """Return the term of each word: its stem in lower case without accents, "" for a function word."""
    folded = [_folded(word) for word in written]
    # A new stemmer each time: threads must not share one.
    stems = Stemmer.Stemmer("english", 0).stemWords(folded)
    return ["" if word in STOP_WORDS else stem for word, stem in zip(folded, stems, strict=True)]


def _folded(word: str) -> str:
    lower = word.lower()
    if lower.isascii():
        return lower
    letters = unicodedata.normalize("NFKD", lower)
    plain = "".join(letter for letter in letters if not "\u0300" <= letter <= "\u036f")
    return unicodedata.normalize("NFC", plain)


def strange_words(text: str, *known: str) -> frozenset[str]:
    """Return the numbers, and the beginnings of words with capitals, of a text that no known text has.

    Its first word is left out. Words that begin alike count as the same: India and Indian, Hindu and Hindus.
    """
    named = {_beginning(word) for word in words(text)[1:] if word[0].isupper() or word[0].isdigit()}
    return frozenset(named - {_beginning(word) for one in known for word in words(one)})


def _beginning(word: str) -> str:
    return word if word[0].isdigit() else word[:4].lower()
