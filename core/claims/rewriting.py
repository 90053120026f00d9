"""Have a language model make a sentence readable alone; its version is dropped if it adds or loses a fact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date

from core.claims.worthiness import NUMBER
from core.interfaces import LanguageModel, Stop, never
from core.llm.prompts import listed, listing, listing_tokens, render
from core.search.queries import is_strange
from core.terms import strange_words
from core.verification.stance.words import lexicon

_OPENERS = "the a an in on at by of"
"""Words that may begin a version in capitals without being names."""

LONGEST = 400
"""Characters of a version. A sentence that is longer is not rewritten."""


def model_version(
    sentence: str,
    before: Sequence[str],
    llm: LanguageModel,
    *,
    speaker: str = "",
    day: date | None = None,
    stop: Stop = never,
) -> str:
    """Return the model's version of a sentence that follows the texts `before`; "" if it cannot be used.

    `day` is when the speech was given. Raises ModelError, Cancelled.
    """
    if len(sentence) > LONGEST:
        return ""
    said_on = f"{day.day} {day:%B %Y}" if day else "unknown"
    context = " ".join(before)
    slots = {"speaker": speaker or "unknown", "date": said_on, "context": context, "sentence": sentence}
    prompt = render("standalone_sentence", slots)
    schema = listing("sentence", 1, LONGEST)
    written = listed(llm.generate(prompt, schema=schema, max_tokens=listing_tokens(1, LONGEST), stop=stop), "sentence")
    version = written[0] if written else ""
    return version if keeps_facts(version, sentence, (context, speaker, _days_near(day))) else ""


def keeps_facts(version: str, sentence: str, known: Sequence[str]) -> bool:
    """Say whether a version keeps the names, numbers and negations of a sentence, and adds none but known ones."""
    if not version or version.endswith("?") != sentence.endswith("?"):
        return False
    added = is_strange(version, sentence, *known, _OPENERS) or _numbers(version) - _numbers(
        " ".join((sentence, *known))
    )
    lost = strange_words(sentence, version) or _numbers(sentence) - _numbers(version)
    return not added and not lost and _negations(version) == _negations(sentence)


def _numbers(text: str) -> set[str]:
    return {word.lower() for word in NUMBER.findall(text) if word.isalpha()}


def _negations(text: str) -> Counter[str]:
    words = (word.strip('.,;:!?"“”()').lower() for word in text.replace("’", "'").split())
    return Counter(word for word in words if word in lexicon().negation)


def _days_near(day: date | None) -> str:
    """Return the words of the days, months and years near the day of a speech."""
    if day is None:
        return ""
    months = "January February March April May June July August September October November December"
    days = " ".join(str(date.fromordinal(day.toordinal() + move).day) for move in (-1, 0, 1))
    return f"{days} {months} {day.year - 1} {day.year} {day.year + 1}"
