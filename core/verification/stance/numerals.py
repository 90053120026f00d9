"""Read the numbers of a sentence, in figures and in words: values, ranges, shares, scores and ordinals."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from core.files import ASSETS
from core.types import Span
from core.verification.stance.text_dates import NO_DATE
from core.verification.stance.words import lexicon, stem

_MEASURES = ASSETS / "stance" / "measures.json"
_FOLLOWING = 6
"""How many words after a number may name the things that it counts."""

_LONGEST = 25
"""A number of more characters is a code."""

_TOKEN = re.compile(
    r"""(?P<unit>(?<![^\W\d_])(?:[kc]?m|ft)[23²³](?!\w))
    |(?P<skip>https?://\S+|NO_DATE
      |www\.\S+|\[\d+(?:[,–-]\s?\d+)*\]|\b\d{1,2}:\d\d(?::\d\d)?\b(?:\s?[ap]\.?m\b)?|\b\d{1,2}\.[0-5]\d\s?[ap]\.?m\b
      |\#\d+|\+\d[\d ()/-]{6,}\d|\b\d{1,6}(?:-\d{1,6}){2,}\b|\bv?\d+(?:\.\d+){2,}\b(?<!\.\d\d\d)
      |\b(?!(?:mid|pre|post|early|late|under|over|sub|non|US|A|R)-)[^\W\d_]+(?:[-–][^\W\d_]+)*-?\d[\w-]*)
    |(?P<score>(?<![\w$€£.,-])\d{1,2}\s?[-–]\s?\d{1,2}(?![\w%.,]\d|\w|%))
    |(?P<number>10[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}|\d{1,3}(?:\ \d{3}){2,}(?!\d)|(?<!\d\ )\d{1,3}\ \d{3}(?=\)|\ [a-z])
      |\d{1,3}(?:[,\u00a0\u2009\u202f'’]\d{3})+(?:\.\d+)?(?![\d])|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}
      |\d{1,2}(?:,\d\d)+,\d{3}|\d+(?:[.,·]\d+)?|[½¼¾⅓⅔])
    |(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)*)
    |(?P<sign>US\$|[%$€£¥₹°~≈+²³])
    |(?P<stop>[.!?;:()\n|—]|,(?!\d))
    |(?P<dash>[-–−/])""".replace("NO_DATE", NO_DATE),
    re.VERBOSE,
)
_FEET, _INCHES, _INCH = ("ft", "foot", "feet"), ("in", "inch", "inches"), 0.0254
_POWER = re.compile("10[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_FRACTION_SIGNS = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3}
_PLURALS = frozenset("people children men women police mice fish feet teeth cattle".split())
_PLAYING = frozenset(stem(word) for word in "won win victory beat defeat lost loss draw drew score final match".split())
_RANKED = frozenset("best largest biggest highest most season time place edition round seed".split())
_AFTER_FRACTION = frozenset(
    [*"of more less fewer higher lower larger smaller dearer cheaper in since between from".split(), ".", ",", ""]
)
_BEFORE_A_UNIT = frozenset("within for than after least about nearly almost over under in half".split())
_CURRENCY_CODES = frozenset("USD EUR GBP INR JPY CNY RMB CHF RUB NGN".split())
_LARGEST_RATIO = 100
"""One plot "in" a larger number of plots is no share."""

_LONGEST_NAME = 8
"""Words and commas at most that name the things of "one hotel, inn or campsite in three"."""

_ROUND_WHOLES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 20, 50, 100, 1000)
"""Wholes of "three out of ten"; other wholes are counted things, such as "37 out of 148 plots"."""

_OPENERS = frozenset("only all another nearly exactly roughly approximately altogether almost barely".split())
"""Words with a capital that are no name before a number: "Only 54 of the 90"."""

_LEADS = frozenset("of the these those its their his her all more other new confirmed total".split())


@dataclass(frozen=True)
class Measures:
    units: dict[str, tuple[str, float, str]]
    """A spelling's kind, size and name."""

    scales: dict[str, float]
    numbers: dict[str, float]
    ordinals: dict[str, float]
    fractions: dict[str, float]
    factors: dict[str, float]
    vague: dict[str, float]
    counted: dict[str, str]
    directions: dict[str, str]
    dimensions: dict[str, str]


@cache
def measures() -> Measures:
    lists = json.loads(_MEASURES.read_text(encoding="utf-8"))
    units = {
        spelling: (kind, float(unit["size"]), name)
        for kind, named in lists["units"].items()
        for name, unit in named.items()
        for spelling in unit["spellings"]
    }
    by_word = {
        field: {word: group for group, words in lists[field].items() for word in words}
        for field in ("counted", "directions", "dimensions")
    }
    plain = {field: lists[field] for field in ("scales", "numbers", "ordinals", "fractions", "factors", "vague")}
    return Measures(units=units, **plain, **by_word)


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    lower: str
    start: int
    end: int


@dataclass(frozen=True)
class Number:
    """A number as it is written, and the places of its first and last token.

    `kind` is set where the form of the number gives it one."""

    value: float
    rounding: float
    first: int
    last: int
    kind: str = ""
    upper: float = math.nan
    parts: str = ""
    bound: str = ""


class Numerals:
    """The tokens of one sentence, and the numbers in them; `taken` are characters that hold dates."""

    def __init__(self, text: str, taken: Sequence[Span]) -> None:
        self.text = text
        self.tokens = [token for token in tokens_of(text) if not any(_overlap(token, span) for span in taken)]
        self.around = stems(self.tokens)

    def numbers(self) -> Iterator[Number]:
        place = 0
        while place < len(self.tokens):
            number = self._number_at(place)
            if number is None:
                place += 1
                continue
            number = self._range(number)
            share = self._ratio(number) or self._share(number)
            if share is not None:
                yield share
            counts = share is None or (share.kind == "share" and not share.bound)
            if counts:
                yield number
            place = (number if share is None or counts else share).last + 1

    def _number_at(self, place: int) -> Number | None:
        token = self.tokens[place]
        if token.kind == "score":
            return self._pair(place)
        if token.kind == "number":
            return self._digits(place)
        return self._in_words(place) if token.kind == "word" else None

    def _pair(self, place: int) -> Number:
        """Read "3-1" as a score, or as a range where the second number is larger and nobody plays."""
        token = self.tokens[place]
        first, second = (float(part) for part in re.split(r"\s?[-–]\s?", token.text))
        before = {stem(t.lower) for t in self.tokens[max(0, place - 6) : place]}
        if first >= second or before & _PLAYING:
            return Number(max(first, second) * 1000 + min(first, second), 0.0, place, place, "score")
        return self._scaled(Number(first, 0.0, place, place, upper=second, bound="between"))

    def _digits(self, place: int) -> Number | None:
        token = self.tokens[place]
        after = self.token(place + 1)
        if after and after.start == token.end and after.kind == "word":
            if after.lower in ("st", "nd", "rd", "th"):
                return Number(_value(token.text), 0.0, place, place + 1, "ordinal")
            if after.lower not in measures().units and after.lower not in measures().scales:
                return None
        if self._is_named(place) or len(token.text) > _LONGEST:
            return None
        if length := self._feet_and_inches(place):
            return length
        value = _value(token.text) * (-1 if self._is_minus(place) else 1)
        return self._scaled(Number(value, _rounding(token.text), place, place))

    def _feet_and_inches(self, place: int) -> Number | None:
        """Read "5 ft 11 in" as one length in metres."""
        inches = self.token(place + 2)
        if self.lower(place + 1) not in _FEET or self.lower(place + 3) not in _INCHES:
            return None
        if inches is None or inches.kind != "number" or _value(inches.text) >= 12:
            return None
        metres = (12 * _value(self.tokens[place].text) + _value(inches.text)) * _INCH
        return Number(metres, _INCH / 2, place, place + 3, "length")

    def numbered_names(self) -> Iterator[tuple[str, str]]:
        """Yield the word and the number of each "Chapter 3"."""
        for place, token in enumerate(self.tokens):
            if token.kind == "number" and self._is_named(place):
                yield self.tokens[place - 1].text, token.text

    def _is_named(self, place: int) -> bool:
        """Say whether a whole number is part of a name, such as "Chapter 3 was" or "Maroon 5", and counts nothing."""
        before, token = self.token(place - 1), self.tokens[place]
        if before is None or before.kind != "word" or not is_capital(before):
            return False
        if before.lower in _OPENERS or before.lower in lexicon().stopwords:
            return False
        if not token.text.isdigit() or before.end + 1 != token.start or self.lower(place + 1) in ("%", "/"):
            return False
        run = self.following(place + 1)
        return not self.unit(place + 1)[0] and not any(is_plural(word) for word in run[:2])

    def _is_minus(self, place: int) -> bool:
        before = self.token(place - 1)
        if before is None:
            return False
        lead = self.text[: before.start]
        attached = before.kind == "dash" and before.text in "-−" and before.end == self.tokens[place].start
        return before.lower == "minus" or (attached and (not lead or lead[-1] in " (\u00a0"))

    def _in_words(self, place: int) -> Number | None:
        known, token = measures(), self.tokens[place]
        if token.lower in known.factors:
            return Number(known.factors[token.lower], 0.0, place, place, "factor")
        if token.lower == "half" and self.lower(place + 1) == "as":
            return self._half_as(place)
        if token.lower in known.ordinals and self.lower(place - 1) in ("every", "each"):
            return self._every(place)
        if token.lower in known.vague and self.lower(place + 1) == "of":
            low = known.vague[token.lower]
            return self._scaled(Number(low, 0.0, place, place + 1, upper=low * 1000, bound="between"))
        if token.lower == "half" and self.lower(place + 1) in ("of", "the", "its", "their", "all"):
            return Number(50.0, 0.5, place, place, "share", bound="about")
        if token.lower == "half" and self.lower(place + 1) in ("a", "an"):
            scaled = self._scaled(Number(0.5, 0.0, place, place + 1))
            return scaled if scaled.last > place + 1 or self.unit(place + 2)[0] else None
        if token.lower in ("a", "an"):
            return self._a(place)
        if token.lower in known.ordinals and self.lower(place + 1) not in ("", "of", "person"):
            if token.lower not in ("first", "second") or self.lower(place + 1) in _RANKED:
                return Number(known.ordinals[token.lower], 0.0, place, place, "ordinal")
            return None
        return self._counted_words(place)

    def _half_as(self, place: int) -> Number:
        """Read "half as many" as a half, and "half as many ships again" as one and a half times as many."""
        again = next((at for at in range(place + 2, place + 6) if self.lower(at) == "again"), place)
        return Number(0.5 if again == place else 1.5, 0.0, place, again, "factor")

    def _every(self, place: int) -> Number | None:
        """Read "every fourth baby" as a share, but not "every second day"."""
        value = measures().ordinals[self.tokens[place].lower]
        if value == 1 or self.unit(place + 1)[0]:
            return None
        return Number(100 / value, 0.5, place - 1, place, "share", parts=f"1 in {value:g}", bound="about")

    def _a(self, place: int) -> Number | None:
        """Read "a million", "a dozen", "a third of" and "an hour"."""
        known, following = measures(), self.lower(place + 1)
        if following in known.fractions and following != "half" and self.lower(place + 2) in _AFTER_FRACTION:
            return Number(100 / known.fractions[following], 0.5, place, place + 1, "share", bound="about")
        if following == "dozen":
            return Number(12.0, 0.0, place, place + 1)
        if following in known.scales and len(following) > 2:
            return self._scaled(Number(1.0, 0.5, place, place))
        if following == "half" and self.lower(place + 2) in known.scales:
            return self._scaled(Number(0.5, 0.0, place, place + 1))
        unit = known.units.get(following, ("", 0.0, ""))[0]
        before = self.lower(place - 1)
        return Number(1.0, 0.0, place, place) if unit == "duration" and before in _BEFORE_A_UNIT else None

    def _counted_words(self, place: int) -> Number | None:
        """Read "two hundred and fifty thousand", "twenty-five", "two thirds" and "one and a half million"."""
        known = measures()
        total = current = 0.0
        last = place - 1
        at = place
        while at < len(self.tokens):
            word = self.tokens[at].lower
            if word in known.numbers:
                current += known.numbers[word]
                last = at
            elif word in known.scales and len(word) > 2 and last >= place:
                current *= known.scales[word]
                if known.scales[word] >= 1000:
                    total, current = total + current, 0.0
                last = at
            elif last < place or not self._joins(at, last):
                break
            at += 1
        if last < place:
            return None
        value = total + current
        part = last + (2 if self.lower(last + 1) == "-" else 1)  # "two-thirds"
        if self.lower(part) in known.fractions and (value == 1 or self.lower(part).endswith("s")):
            return Number(100 * value / known.fractions[self.lower(part)], 0.5, place, part, "share", bound="about")
        half = [self.lower(last + n) for n in (1, 2, 3)] == ["and", "a", "half"]
        alone = value == 1 and last == place
        if alone and not (half or self.unit(last + 1)[0] or self._out_of(last) or self._ratio_of(last)):
            return None
        number = Number(value, 0.5 * _last_place(value) if value >= 1000 else 0.0, place, last)
        if half:
            number = replace(number, value=value + 0.5, last=last + 3)
        return self._scaled(number)

    def _joins(self, at: int, last: int) -> bool:
        """Say whether "and" or a hyphen joins two words of one number ("hundred and five", "twenty-five")."""
        joins = at == last + 1 and (
            (self.tokens[at].lower == "and" and self.tokens[last].lower in ("hundred", "thousand", "million"))
            or (self.tokens[at].kind == "dash" and self.tokens[last].lower.endswith("ty"))
        )
        return joins and self.lower(at + 1) in measures().numbers

    def _scaled(self, number: Number) -> Number:
        """Return a number times the "million" after it, if there is one."""
        after = self.token(number.last + 1)
        scale = measures().scales.get(after.lower) if after else None
        if after is None or scale is None or not self._is_scale(number, after):
            return number
        grown = replace(
            number,
            value=number.value * scale,
            upper=number.upper * scale,
            rounding=(number.rounding or 0.5 * (number.value % 1 == 0)) * scale,
            last=number.last + 1,
        )
        return self._scaled(grown)

    def _is_scale(self, number: Number, after: Token) -> bool:
        attached = after.start == self.tokens[number.last].end
        if after.lower == "m":
            following = self.token(number.last + 2)
            counts = following is not None and following.kind == "word" and following.lower not in lexicon().stopwords
            counts = counts and following is not None and following.lower not in measures().dimensions
            return attached and (after.text == "M" or self.currency_at(number.first - 1) != "" or counts)
        return attached or len(after.lower) > 1

    def _range(self, number: Number) -> Number:
        """Return "3 to 5" and "between 3 and 5" as one number; "from 3 to 5" stays two."""
        join = self.lower(number.last + 1)
        before = self.lower(number.first - 1)
        if number.kind or number.bound or before == "from":
            return number
        if not (join in ("to", "-", "–") or (join == "and" and before == "between")):
            return number
        skip = 2 + (self.lower(number.last + 2) in ("$", "€", "£"))
        other = self._number_at(number.last + skip) if number.last + skip < len(self.tokens) else None
        if other is None or other.kind or other.bound or other.value <= number.value:
            return number
        scale = other.value / _value_of_last(self, other) if other.value >= 1000 and number.value < 1000 else 1.0
        low = number.value * scale
        if low >= other.value:
            return number
        return replace(number, value=low, upper=other.value, last=other.last, bound="between", rounding=0.0)

    def _ratio(self, number: Number) -> Number | None:
        """Read "one plot in four", "1 in 5" and "three out of ten" as a share; neither of its numbers counts things."""
        at = self._ratio_of(number.last) if not (number.kind or number.bound) else 0
        whole = self._number_at(at) if at else None
        if whole is None or whole.kind or whole.bound or self.unit(whole.last + 1)[0] or whole.value % 1:
            return None
        apart = self.lower(number.last + 1) not in ("in", "out")
        if not 0 < number.value < whole.value or number.value % 1 or (apart and whole.value > _LARGEST_RATIO):
            return None
        if apart and any(is_plural(word) for word in self.following(whole.last + 1)[: at - number.last - 1]):
            return None
        if "rating" in self.around or (self.lower(at - 1) == "of" and whole.value not in _ROUND_WHOLES):
            return None
        parts = f"{number.value:,g} in {whole.value:,g}"
        return Number(
            100 * number.value / whole.value, 0.5, number.first, whole.last, "share", parts=parts, bound="about"
        )

    def _ratio_of(self, last: int) -> int:
        """Return the place of the whole in "one (nurse) in eight" and "three (nurses) out of ten"; 0 if none."""
        at = last + 1
        named = _LONGEST_NAME if self.lower(last) == "one" else 2
        while at <= last + named and self._names_more(at):
            at += 1
        if self.lower(at) == "out" and self.lower(at + 1) == "of":
            at += 1
        elif self.lower(at) != "in":
            return 0
        at += 2 if self.lower(at + 1) in ("every", "each") else 1
        whole = self.token(at)
        return at if whole and (whole.kind == "number" or whole.lower in measures().numbers) else 0

    def _names_more(self, place: int) -> bool:
        """Say whether a word or a comma belongs to the things of "one hotel, inn or campsite in three"."""
        word = self.lower(place)
        return word in (",", "or") or (
            word.isalpha() and word not in lexicon().stopwords and word not in measures().numbers
        )

    def _share(self, number: Number) -> Number | None:
        """Return "12 of 48" as a share, and "6.4/10" or "4 out of 5" of a rating as a rating."""
        if number.kind or number.bound:
            return None
        at = self._out_of(number.last)
        whole = self._number_at(at) if at else None
        if whole is None or whole.kind or whole.bound or not 0 <= number.value <= whole.value:
            return None
        slash = self.lower(number.last + 1) == "/"
        if slash and self.lower(whole.last + 1) == "of" and 0 < number.value < whole.value:
            parts = f"{number.value:,g} of {whole.value:,g}"
            share = 100 * number.value / whole.value
            return Number(share, 0.5, number.first, whole.last, "share", parts=parts, bound="about")
        if slash or (whole.value in (5, 10, 100) and "rating" in self.around):
            if not slash or whole.value in (4, 5, 6, 10, 20, 100):
                return Number(number.value, number.rounding, number.first, whole.last, f"rating of {whole.value:g}")
            return None
        if whole.value < 2 or number.value % 1 or whole.value % 1:
            return None
        parts = f"{number.value:,g} of {whole.value:,g}"
        return Number(100 * number.value / whole.value, 0.5, number.first, whole.last, "share", parts=parts)

    def _out_of(self, last: int) -> int:
        """Return the place of the whole in "12 of 48", "12 out of the 48", "1 in 5" and "6/10"; 0 if there is none."""
        words = [self.lower(last + n) for n in (1, 2)]
        steps = 2 if words[0] in ("of", "in", "/") else 3 if words == ["out", "of"] else 0
        if steps and words[0] != "/" and self.lower(last + steps) in ("the", "all", "its", "their"):
            steps += 1
        whole = self.token(last + steps) if steps else None
        return last + steps if whole and (whole.kind == "number" or whole.lower in measures().numbers) else 0

    def unit(self, at: int) -> tuple[str, int]:
        """Return the spelling of the unit at a place, "" if there is none, and the place after it."""
        return next(((unit, at + n) for n in (3, 2, 1) if (unit := self.joined(at, n)) in measures().units), ("", at))

    def joined(self, at: int, length: int) -> str:
        part = self.tokens[at : at + length]
        if len(part) < length or any(t.kind in ("number", "stop", "score", "skip") for t in part):
            return ""
        pieces = [part[0].lower]
        for one, other in itertools.pairwise(part):
            pieces.append(("" if one.end == other.start or one.text == "°" else " ") + other.lower)
        return "".join(pieces)

    def currency_at(self, at: int) -> str:
        """Return the sign or code of a currency at a place, in lower case; "" if there is none."""
        token = self.token(at)
        if token is None or (token.kind != "sign" and token.text not in _CURRENCY_CODES):
            return ""
        return token.lower if token.lower in measures().units and token.text not in "%°" else ""

    def following(self, at: int) -> list[str]:
        """Return the words of the noun phrase that begins at a place."""
        run: list[str] = []
        for token in self.tokens[at : at + _FOLLOWING]:
            lead = not run and token.lower in _LEADS
            if token.kind in ("skip", "dash") or lead or (token.kind == "number" and not run):
                continue
            if token.kind != "word" or (token.lower in lexicon().stopwords and token.lower not in ("more", "other")):
                break
            run.append(token.lower)
        return [word for word in run if word not in ("more", "other")]

    def token(self, place: int) -> Token | None:
        return self.tokens[place] if 0 <= place < len(self.tokens) else None

    def lower(self, place: int) -> str:
        token = self.token(place)
        return token.lower if token else ""


def tokens_of(text: str) -> list[Token]:
    return [
        Token(
            "word" if match["unit"] else str(match.lastgroup),
            match.group(),
            match.group().lower().replace("’", "'"),
            *match.span(),
        )
        for match in _TOKEN.finditer(text)
    ]


def is_capital(token: Token) -> bool:
    return token.text[0].isupper() and len(token.text) > 1


def _overlap(token: Token, span: Span) -> bool:
    return token.start < span[1] and span[0] < token.end


def stems(tokens: Sequence[Token]) -> frozenset[str]:
    stopwords = lexicon().stopwords
    known = measures()
    return frozenset(
        noun(t.lower)
        for t in tokens
        if t.kind == "word"
        and not (t.lower in stopwords or t.lower in known.scales or t.lower in known.numbers)
        and t.lower not in _unit_words()
    )


@cache
def unit_sizes() -> dict[tuple[str, str], float]:
    """Return the size of each unit by its kind and its name. Degrees are left out: they have no common zero."""
    return {(kind, name): size for kind, size, name in measures().units.values() if kind != "temperature"}


@cache
def _unit_words() -> frozenset[str]:
    return frozenset(word for spelling in measures().units for word in spelling.split())


@cache
def noun(word: str) -> str:
    """Return the group of a thing counted, such as "death" for "fatalities", else the word's stem."""
    return measures().counted.get(word) or stem(word)


def is_plural(word: str) -> bool:
    return word in _PLURALS or (len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "'s")))


def _value(digits: str) -> float:
    """Return a number's value: "1,234.5", "1.234,5", "12,400,000", "12 400 000", "12,5", "12·5" and "10⁶"."""
    if digits in _FRACTION_SIGNS:
        return _FRACTION_SIGNS[digits]
    if _POWER.fullmatch(digits):
        return 10.0 ** int(digits[2:].translate(_RAISED))
    plain = re.sub(r"[ \u00a0\u2009\u202f'’]", "", digits).replace("·", ".")
    if re.fullmatch(r"\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?", plain):
        return float(plain.replace(",", ""))
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}", plain):
        return float(plain.replace(".", "").replace(",", "."))
    return float(plain.replace(",", "."))


def _rounding(digits: str) -> float:
    """Return half of the last place after the point; 0 for whole numbers."""
    decimals = re.search(r"[.·](\d{1,8})$", digits)
    return 0.5 * 10.0 ** -len(decimals[1]) if decimals else 0.0


def _last_place(value: float) -> float:
    place = 1.0
    while value and value % (place * 10) == 0:
        place *= 10
    return place


def _value_of_last(sentence: Numerals, number: Number) -> float:
    token = sentence.tokens[number.first]
    return _value(token.text) if token.kind == "number" else number.value
