"""Quantities in a text: number and unit, in any spelling."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.types import Span
from core.verification.stance.words import Word, is_number, lexicon

YEAR = re.compile(r"1[5-9]\d\d|2[01]\d\d")
_MONEY = {"$": "dollar", "€": "euro", "£": "pound", "₹": "rupee"}
_REACH = 3
"""The most words after a number that may name the counted thing."""


@dataclass(frozen=True)
class Quantity:
    """A number of something: `unit` is a unit's name, "year" for calendar years, or the stem of the counted noun.

    `counted` are the stems of the words after the number. `rounding` is half of the last place that is written.
    `at_least` and `at_most` say that the text gives a bound, `approximate` that it says "about".
    """

    value: float
    unit: str
    counted: tuple[str, ...]
    rounding: float
    span: Span
    text: str
    approximate: bool = False
    bound: str = ""


def quantities(text: str, words: Sequence[Word]) -> list[Quantity]:
    """Return the numbers of a text, also in words from "two" on, without the days of dates."""
    found: list[Quantity] = []
    skip = -1
    for place, word in enumerate(words):
        if place <= skip:
            continue
        value = _value(word)
        if value is None or _is_day(words, place) or _is_code(text, word):
            continue
        quantity, skip = _quantity(text, words, place, value)
        found.append(quantity)
    return found


def _value(word: Word) -> float | None:
    if is_number(word):
        digits = word.text
        if re.fullmatch(r"\d{1,3}(?:,\d{2,3})+(?:\.\d+)?", digits):
            digits = digits.replace(",", "")
        try:
            return float(digits.replace(",", "."))
        except ValueError:  # "1.2.3" is no number
            return None
    return lexicon().numbers.get(word.lower)


def _is_day(words: Sequence[Word], place: int) -> bool:
    """Say whether a number is the day of a date such as "15 April" or "April 15"."""
    word = words[place]
    near = [words[at].lower for at in (place - 1, place + 1) if 0 <= at < len(words)]
    return word.text.isdigit() and len(word.text) <= 2 and any(other in lexicon().months for other in near)


def _is_code(text: str, word: Word) -> bool:
    """Say whether a number belongs to a name or a reference, such as "COVID-19", "F-16" or "[12]"."""
    if text[: word.start].rstrip().lower().endswith("covid"):
        return True
    before, after = text[word.start - 1 : word.start], text[word.end : word.end + 1]
    return (
        (before == "[" and after == "]")
        or (before in "-–/" and before != "" and text[word.start - 2 : word.start - 1].isalpha())
        or (before.isalpha() or before == ":" or after == ":")
    )


def _quantity(text: str, words: Sequence[Word], place: int, value: float) -> tuple[Quantity, int]:
    """Return the quantity at `place`, and the place of its last word."""
    word, lex = words[place], lexicon()
    rounding = _rounding(word.text, value)
    last, scale = place, 1.0
    while last + 1 < len(words) and _scales(words[last + 1], text[words[last].end : words[last + 1].start]):
        scale *= lex.scales[words[last + 1].lower]
        last += 1
    following = list(words[last + 1 : last + 1 + _REACH])
    unit = _unit(words, place, following)
    year = (
        scale == 1 and not unit and is_number(word) and YEAR.fullmatch(word.text) is not None and not _counts(following)
    )
    before = [other.lower for other in words[max(0, place - 3) : place]]
    end = following[0].end if unit and following and lex.units.get(following[0].lower) == unit else words[last].end
    start = words[place - 1].start if place and words[place - 1].text in _MONEY else word.start
    return (
        Quantity(
            value * scale,
            "calendar" if year else unit,
            tuple(other.stem for other in following if other.lower not in lex.stopwords),
            rounding * scale,
            (start, end),
            text[start:end],
            bool(set(before) & lex.approximators),
            _bound(" ".join(before)),
        ),
        last,
    )


def _rounding(digits: str, value: float) -> float:
    """Return half of the last place that a number is written to: 0.05 for 12.4, 0.5 for 12."""
    decimals = digits.rpartition(".")[2] if "." in digits else ""
    return 0.5 * 10.0 ** -len(decimals)


def _scales(word: Word, gap: str) -> bool:
    return word.lower in lexicon().scales and (len(word.lower) > 1 or gap == "") and not gap.strip("- \u00a0")


def _unit(words: Sequence[Word], place: int, following: Sequence[Word]) -> str:
    lex = lexicon()
    if place and words[place - 1].text in _MONEY:
        return _MONEY[words[place - 1].text]
    if following and following[0].lower in lex.units:
        return lex.units[following[0].lower]
    return ""


def _counts(following: Sequence[Word]) -> bool:
    """Tell whether the word after a number is a plural in lower case: then the number is no year."""
    return (
        bool(following)
        and following[0].text.islower()
        and following[0].lower.endswith("s")
        and (following[0].lower not in lexicon().stopwords and len(following[0].lower) > 3)
    )


def _bound(before: str) -> str:
    if re.search(r"(?:more than|at least|over|above|exceed\w*)$", before):
        return "at least"
    return "at most" if re.search(r"(?:less than|fewer than|at most|up to|under|below)$", before) else ""


def agrees(claimed: Quantity, told: Quantity) -> bool:
    """Tell whether two quantities agree, given rounding, "about" and "more than"."""
    if claimed.unit == "calendar" or told.unit == "calendar":
        return claimed.value == told.value
    gap = abs(claimed.value - told.value)
    # Half a unit of the coarser number, but never so coarse that 12 and 13 agree.
    coarser = max(claimed.rounding, told.rounding)
    fine = gap <= coarser if coarser > min(claimed.rounding, told.rounding) else gap < 1e-9 * max(1.0, told.value)
    if fine or (gap < 0.005 * abs(told.value) and min(claimed.rounding, told.rounding) >= 0.5 and told.value >= 1000):
        return True
    if (claimed.approximate or told.approximate) and gap <= 0.05 * abs(told.value):
        return True
    if claimed.bound and claimed.bound == told.bound:  # "more than 250" says that it is more than 200
        stronger = told.value >= claimed.value if claimed.bound == "at least" else told.value <= claimed.value
        return stronger and _within_bound(claimed, told)
    return _within_bound(claimed, told) or _within_bound(told, claimed)


def _within_bound(bound: Quantity, exact: Quantity) -> bool:
    if bound.bound == "at least":
        return bound.value <= exact.value <= 1.25 * bound.value
    return bound.bound == "at most" and 0.75 * bound.value <= exact.value <= bound.value


def comparable(claimed: Quantity, told: Quantity) -> bool:
    """Say whether two quantities measure the same kind of thing, so that a difference means something."""
    if claimed.unit or told.unit:
        return claimed.unit == told.unit
    return bool(set(claimed.counted[:2]) & set(told.counted[:2])) or not claimed.counted or not told.counted
