"""Other spellings of a claim's words: numbers in digits and in words, singular and plural, two Englishes."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_VALUES = {**{word: at for at, word in enumerate(_SMALL)}, **{word: 10 * at for at, word in enumerate(_TENS) if at}}
_NUMBER = re.compile(
    rf"\d[\d,]*(?:\.\d+)?(?:\s+(?:{'|'.join(_SCALES)})\b)?"
    rf"|\b(?:{'|'.join([*_VALUES, *_SCALES])})(?:[\s-]+(?:and\s+)?(?:{'|'.join([*_VALUES, *_SCALES])}))*\b",
    re.IGNORECASE,
)
_ABBREVIATIONS = {
    "US": "United States", "USA": "United States", "UK": "United Kingdom", "EU": "European Union",
    "UN": "United Nations",
}  # fmt: skip
_ENDINGS = (("our", "or"), ("re", "er"), ("ise", "ize"), ("isation", "ization"), ("ghurt", "gurt"), ("ence", "ense"))


def spellings(text: str) -> tuple[str, ...]:
    """Return how else the numbers and short names of a text are written: 12,000 is 12000 and twelve thousand."""
    short = (_ABBREVIATIONS.get(word, "") for word in re.findall(r"\b[A-Z]{2,3}\b", text.replace(".", "")))
    found = dict.fromkeys(name for name in short if name)
    for match in _NUMBER.finditer(text):
        value = as_numeral(match[0])
        if value and (value >= 100 or not match[0][0].isdigit()):
            found.update(dict.fromkeys(form for form in (f"{value:,}", f"{value}", _in_words(value)) if form))
            found.pop(match[0].strip().lower(), None)
    return tuple(found)


def as_numeral(words: str) -> int:
    """Return the whole number that digits or words stand for, 0 if they stand for none."""
    digits, _, scale = words.replace(",", "").strip().lower().partition(" ")
    if digits.replace(".", "", 1).isdecimal() and (not scale or scale.strip() in _SCALES):
        value = float(digits) * _SCALES.get(scale.strip(), 1)
        return int(value) if value == int(value) and value < 1e15 else 0
    total = part = 0
    for word in re.split(r"[\s-]+", words.strip().lower()):
        if word in _VALUES:
            part += _VALUES[word]
        elif word == "hundred":
            part = max(part, 1) * 100
        elif word in _SCALES:
            total, part = total + max(part, 1) * _SCALES[word], 0
        elif word != "and":
            return 0
    return total + part


def _in_words(value: int) -> str:
    """Return a round number in words, "" for one that nobody writes so."""
    for word, scale in reversed(_SCALES.items()):
        if value % scale == 0 and value // scale < 100:
            return f"{_below_hundred(value // scale)} {word}"
    return _below_hundred(value) if value < 100 else ""


def _below_hundred(value: int) -> str:
    if value < len(_SMALL):
        return _SMALL[value]
    return _TENS[value // 10] + (f"-{_SMALL[value % 10]}" if value % 10 else "")


def other_forms(word: str, known: Container[str]) -> Iterator[str]:
    """Yield other forms of a word: singular or plural, another English."""
    if " " in word or not word.islower():
        return
    forms = [word.removesuffix("ves") + "f"] if word.endswith("ves") else []
    forms += [word.removesuffix("ies") + "y"] if word.endswith("ies") else []
    forms += [word.removesuffix("s")] if word.endswith("s") and not word.endswith("ss") else []
    forms += [f"{word}s", f"{word.removesuffix('e')}ing"] if not word.endswith("s") else []
    english = [
        word.removesuffix(f"{old}{plural}") + new + plural
        for pair in _ENDINGS
        for old, new in (pair, pair[::-1])
        for plural in ("", "s")
        if word.endswith(f"{old}{plural}")
    ]
    rare = word not in known
    yield from dict.fromkeys([*(form for form in english if rare or form in known), *(f for f in forms if f in known)])
