"""Detect the language of a text with py3langid: naive Bayes on letter sequences."""

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
"""The detectable languages, by code."""

MIN_WORDS = 3
SURE = 0.6
"""Minimum probability of another language; English must be ten times less likely, because names look foreign."""

MAX_CHARACTERS = 5000
"""Number of characters to examine."""

ENGLISH = frozenset("the and with that from by were been".split())
"""Words of English and of no other detectable language."""

HARDLY_READ = "hardly any of this text was used. Translate the text or the claim."
"""End of the sentence on documents in another language."""

ENGLISH_SHARE = 0.04
"""Minimum share of such words in English; German text with a quoted title has fewer."""

LOOKED_AT = 200
BEGINNING = 500
"""Number of documents to examine, and of characters in each."""


@cache
def identifier() -> LanguageIdentifier:
    """Load the package's model: arrays of numbers, no pickle."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    found = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    found.set_languages(tuple(NAMES))
    return found


def language_of(text: str) -> str:
    """Return the ISO 639-1 code of a text's language, or "" for short or mixed texts."""
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
    """Return a sentence on documents in another language than the claim, with number and languages; "" for none.

    Very short claims count as English. Only the first documents are examined.
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
    return f"{which} in {named}, not in the language of the claim ({NAMES[claim_language(claim)]}): {HARDLY_READ}"


def other_languages(claim: str, documents: Iterable[Document]) -> list[str]:
    """Return each document's language code if it differs from the claim's, else ""."""
    own = claim_language(claim)
    codes = (_english_or_told(one.text[:BEGINNING]) for one in documents)
    return ["" if code == own else code for code in codes]


def claim_language(claim: str) -> str:
    """Return the code of a claim's language; English for a short or mixed one."""
    return _english_or_told(claim) or "en"


def _english_or_told(text: str) -> str:
    """Return the language as `language_of`, without loading its model if English words are enough."""
    words = text.lower().split()
    english = sum(word in ENGLISH for word in words)
    return "en" if words and english / len(words) >= ENGLISH_SHARE else language_of(text)
