"""Which language a text is in, by py3langid: naive Bayes over the letters that neighbour each other."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

LANGUAGES = (
    "en de fr es it pt nl pl sv da no fi cs hu ro tr ru uk ar fa he hi bn ur ta zh ja ko el bg sr hr id vi th sw"
).split()
MIN_WORDS = 3
SURE = 0.6
"""The least probability of another language; English must also be ten times less likely, as names look foreign."""

MAX_CHARACTERS = 5000
"""How much of a text is looked at."""


@cache
def identifier() -> LanguageIdentifier:
    """Load the model that comes with the package: arrays of numbers, no pickle."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    found = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    found.set_languages(LANGUAGES)
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
