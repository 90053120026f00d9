"""Which language a text is in, by py3langid: naive Bayes over the letters that neighbour each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from core.types import Document

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

NAMES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese",
    "nl": "Dutch", "pl": "Polish", "sv": "Swedish", "da": "Danish", "no": "Norwegian", "fi": "Finnish",
    "cs": "Czech", "hu": "Hungarian", "ro": "Romanian", "tr": "Turkish", "ru": "Russian", "uk": "Ukrainian",
    "ar": "Arabic", "fa": "Persian", "he": "Hebrew", "hi": "Hindi", "bn": "Bengali", "ur": "Urdu", "ta": "Tamil",
    "zh": "Chinese", "ja": "Japanese", "ko": "Korean", "el": "Greek", "bg": "Bulgarian", "sr": "Serbian",
    "hr": "Croatian", "id": "Indonesian", "vi": "Vietnamese", "th": "Thai", "sw": "Swahili",
}  # fmt: skip
"""The languages that can be detected, by their codes."""

MIN_WORDS = 3
SURE = 0.6
"""The least probability of another language; English must also be ten times less likely, as names look foreign."""

MAX_CHARACTERS = 5000
"""How much of a text is looked at."""

ENGLISH = frozenset("the and with that from by were been".split())
"""Words that no other of the languages has."""

HARDLY_READ = "this text was hardly read. Translate it, or the claim."
"""The end of the sentence about documents in another language."""

ENGLISH_SHARE = 0.04
"""From this share of them on a text is English: German that quotes a title has fewer."""

LOOKED_AT = 200
BEGINNING = 500
"""How many documents of a collection are looked at, and how many characters of each."""


@cache
def identifier() -> LanguageIdentifier:
    """Load the model that comes with the package: arrays of numbers, no pickle."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    found = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    found.set_languages(tuple(NAMES))
    return found


def language_of(text: str) -> str:
    """Return the ISO 639-1 code of a text's language, "" where it is too short or too mixed to say."""
    text = text[:MAX_CHARACTERS]
    letters = sum(character.isalpha() for character in text)
    foreign = sum(character.isalpha() and not character.isascii() for character in text)
    if len(text.split()) < MIN_WORDS and foreign < letters / 2:
        return ""
    ranked = dict(identifier().rank(text))
    best = max(ranked, key=lambda code: ranked[code])
    if best == "en":
        return "en"
    return str(best) if ranked[best] >= SURE and ranked["en"] * 10 < ranked[best] else ""


def mismatch(claim: str, documents: Sequence[Document]) -> str:
    """Return in a sentence how many documents are in another language than the claim, and in which; "" for none.

    A claim too short to tell is taken for English. Of many documents only the first are looked at.
    """
    looked_at = documents[:LOOKED_AT]
    found = Counter(code for code in other_languages(claim, looked_at) if code)
    if not found:
        return ""
    named = ", ".join(NAMES[code] for code, _ in found.most_common())
    which = "The document is"
    if len(documents) > 1:
        first = "first " if len(documents) > LOOKED_AT else ""
        verb = "is" if found.total() == 1 else "are"
        which = f"Of the {first}{len(looked_at):,} documents {found.total():,} {verb}"
    return f"{which} in {named}, not in the language of the claim ({NAMES[_own(claim)]}): {HARDLY_READ}"


def other_languages(claim: str, documents: Iterable[Document]) -> list[str]:
    """Return the code of each document's language where it is another than the claim's, else ""."""
    own = _own(claim)
    codes = (_english_or_told(one.text[:BEGINNING]) for one in documents)
    return ["" if code == own else code for code in codes]


def _own(claim: str) -> str:
    return _english_or_told(claim) or "en"


def _english_or_told(text: str) -> str:
    """Return the language as `language_of`, without loading its model if English words are enough."""
    words = text.lower().split()
    english = sum(word in ENGLISH for word in words)
    return "en" if words and english / len(words) >= ENGLISH_SHARE else language_of(text)
