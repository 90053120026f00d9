"""Find the words that call something false: "is a hoax", "no evidence", "This is wrong"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.types import Span
from core.verification.stance.words import Word, is_content, lexicon, words_of

_POINTS_BACK = re.compile(
    r"\W*(?:but |however,? |yet |in fact,? |actually,? )?"
    r"(?:this|that|it|these|those|they|"
    r"the (?:claim|post|statement|story|rumou?r|video|image|photo|quote|report)(?! that\b))\b"
    r"[^.!?;]{0,60}\b(?:is|are|was|were|has been|turned out)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(r",\s+(?:which|who|whose|where)\b")
"""The beginning of a clause that is about the word before it."""

BARE = re.compile(
    r"\W*(?:fact[- ]check\W+|verdict\W+|rating\W+|conclusion\W+|our ruling\W+)?"
    r"(?:not true|untrue|false|fake|wrong|hoax|misleading)\W*$",
    re.IGNORECASE,
)
_NO_EVIDENCE = re.compile(
    r"\b(?:(?:not|never) (?:true|correct|accurate|the case|real)|n['’]t (?:true|correct|the case|real)|"
    r"no (?:evidence|proof|basis|truth|record|sign|indication)|without (?:evidence|proof|any evidence)|"
    r"did(?: not|n['’]t) happen|never happened|little evidence|nothing of the (?:sort|kind)|"
    r"not,? as (?:is|was|has been) (?:\w+ )?(?:written|said|claimed|believed|reported)|"
    r"(?:den(?:y|ies|ied)|dismiss(?:es|ed)?|contradict(?:s|ed)?) (?:a |the |this |these |all )?"
    r"(?:rumou?rs?|claims?|reports?|talk|allegations?|suggestions?))\b",
    re.IGNORECASE,
)
_NO_SUCH = re.compile(
    r"\W*(?:but |however,? |in fact,? )?(?:there (?:was|is|were|are|has been|have been) (?:no|never any|not any) such|"
    r"none of (?:this|that|it) (?:is|was|happened)|not a word of (?:this|that|it)|"
    r"(?:(?:the )?\w+ )?(?:said no|den(?:y|ies|ied) (?:this|that|it)|made (?:this|it) up|ruled (?:that|it) out))\b",
    re.IGNORECASE,
)
_TALE = re.compile(
    r"(?:\b(?:is|are|was|were|be|been|as)|['’]s)\s"
    r"(?:(?:an?|the|just|only|pure|mere|complete|total|utter|old|common|popular|widespread|work of|piece of)\s)*"
    r"(?:fiction|satire|myths?|nonsense)\b(?!\s(?!(?:that|about|and|but|or|by)\b)\w)|"
    r"\bsatirical (?:web ?site|site|page|account|article|post|piece|story|blog|outlet|magazine)\b",
    re.IGNORECASE,
)
"""A story that is no fact: "is a myth", not "is a science fiction film"."""

_TELLS_FALSELY = re.compile(
    r"\b(?:falsely|wrongly|incorrectly|inaccurately|erroneously|misleadingly)\s(?:\w+ly\s)?"
    r"(?:claim|say|said|stat|suggest|alleg|report|attribut|assert|shar|present|describ|label|caption|link|impl|portray"
    r"|identif|quot)\w*",
    re.IGNORECASE,
)
_MADE_UP = re.compile(
    r"\b(?:claims?|rumou?rs?|stor(?:y|ies)|reports?|tales?|legends?|quotes?|quotations?|letters?|news)\b[^.;!?]{0,100}?"
    r"\b(?:is|are|was|were|has been|have been) (?:entirely |completely |simply )?(?:made up|invented)\b",
    re.IGNORECASE,
)
_ADJECTIVES = frozenset("bogus erroneous fake false inaccurate incorrect mistaken untrue wrong".split())
_STATEMENT = re.compile(
    r"(?:claim|rumou?r|stor(?:y|ies)|post|news|report|statement|information|photo|image|picture|video|quot|allegation|"
    r"message|tale|theor(?:y|ies)|headline|article|account|narrative|idea|belief|impression)",
    re.IGNORECASE,
)


def calls_false(text: str) -> bool:
    """Say whether a sentence calls the one before it false."""
    points_back = _POINTS_BACK.match(text) and denies(_ASIDE.split(text)[0])
    return bool(points_back or BARE.match(text) or _NO_SUCH.match(text))


def denies(text: str) -> bool:
    """Say whether a text has words such as "false" or "no evidence"."""
    return denying_words(text, words_of(text)) is not None


def denying_words(text: str, words: Sequence[Word]) -> Span | None:
    """Return the characters of a text that call something false; None if there are none. words: those of the text."""
    for pattern in (_NO_EVIDENCE, _TALE, _TELLS_FALSELY, _MADE_UP):
        if found := pattern.search(text):
            return found.span()
    return next((word.span for place, word in enumerate(words) if _calls_false(text, words, place)), None)


def _calls_false(text: str, words: Sequence[Word], place: int) -> bool:
    """Say whether a word denies. "Not false" does not, nor does "the wrong kidney"; "a false claim" does."""
    word, following = words[place], words[place + 1 : place + 2]
    if word.lower not in lexicon().denial:
        return False
    if {other.lower for other in words[max(0, place - 2) : place]} & lexicon().negation:
        return False
    of_it = [one for one in following if text[word.end : one.start] == " " and is_content(one)]
    return word.lower not in _ADJECTIVES or all(_STATEMENT.match(one.text) for one in of_it)
