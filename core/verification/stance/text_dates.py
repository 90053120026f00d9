"""Find dates in a text: years, months, days, decades, centuries and spans of them, as intervals of days."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from core.types import Span

_MONTHS = "january february march april may june july august september october november december".split()
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_MONTH = (
    r"\b(January|February|March|April|May|June|July|August|September|October|November|December"
    r"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)(?=[. ]))\.?"
)
_YEAR = r"((?:1\d|20|21)\d\d)(?![\d%]|[.,]\d)"
_DAY = r"([12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?\b(?![.,]\d)"
_TO = r"(?:\s?[-–—]\s?|\s(?:to|and|until|through)\s)"
_NO_COUNT = (
    r"(?!\s?[%°]|\s(?:per|km|kg|m|people|men|women|children|hundred|thousand|million|billion)\b"
    r"|\s(?!was\b|is\b|has\b|does\b)[a-z]{2,}(?<![uis])s\b)"
)
OTHER_YEAR = re.compile(r"\b\d{3,4}\s(?:AH|BE|AM|SH|BS)\b|\b(?:AH|AM|Reiwa|Heisei|Sh[oō]wa)\s\d{1,4}\b")
"""Years of other calendars, without times of day such as "10 AM"."""

NO_DATE = (
    r"\b\d{1,4}\s(?:AH|BE|AM|SH|BS)\b|\b(?:AH|AM|Reiwa|Heisei|Sh[oō]wa)\s\d{1,4}\b"
    r"|\((?:1[89]|20)\d\d\s(?:[A-Za-z]+\s)?(?:film|movie|album|song|series|novel|book|video|game|play|single)\)"
)
"""Years of other calendars, and years in a work's name, such as "Dunkirk (2017 film)"."""

_BOUND = re.compile(
    r"\b(?:(since|starting in|beginning in)|(after|later than)|(by|until|till|up to)|(before|prior to|earlier than))"
    r"(?:\sthe)?(?:\s(?:end|start|beginning|middle|year|month|morning|summer|winter|spring|autumn|fall))?(?:\sof)?"
    r"\s(?:early\s|mid[-\s]|late\s)?$",
    re.IGNORECASE,
)
_DASHES_OR_TO = ("-", "–", "—", "to", "until", "through")
_JOIN = re.compile(rf"{_TO}(?:the\s)?", re.IGNORECASE)

Days = tuple[float, float]


@dataclass(frozen=True)
class Period:
    """The days that a text allows, the first and the last included; every month counts 31 days, so any year fits.

    cycle: "" for days of a known year, "year" for days of any year, counted from January, "week" for weekdays.
    """

    first: float
    last: float
    span: Span
    cycle: str = ""

    def overlaps(self, other: Period) -> bool:
        """Say whether both may be the same time; without a year in one of them, the years are left aside."""
        both = _alike(self, other)
        return both is None or (both[0][0] <= both[1][1] and both[1][0] <= both[0][1])

    def within(self, other: Period) -> bool:
        """Say whether each of these days is one of the other's; unknown (False) where only the other has a year."""
        both = _alike(self, other) if self.cycle in ("", other.cycle) else None
        return both is not None and both[1][0] <= both[0][0] and both[0][1] <= both[1][1]


def _alike(one: Period, other: Period) -> tuple[Days, Days] | None:
    """Return both as days of one cycle; None if they cannot be compared."""
    if one.cycle == other.cycle:
        return (one.first, one.last), (other.first, other.last)
    full = one if not one.cycle else other
    if {one.cycle, other.cycle} != {"", "year"} or not full.last - full.first <= 31:
        return None
    first, second = ((p.first, p.last) if p.cycle else (p.first % 372, p.last % 372) for p in (one, other))
    return first, second


def day_number(year: int, month: int = 1, day: int = 1) -> float:
    """Return a day's place on a line of years with twelve months of 31 days."""
    return float(year * 372 + (month - 1) * 31 + day - 1)


def periods(text: str) -> list[Period]:
    """Return the dates of a text in order. Years before Christ count below 0. Dates of other calendars are left out."""
    found: list[Period] = []
    taken = bytearray(len(text))
    for pattern, read in _FORMS if _NAMED.search(text) else _IN_FIGURES:
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(taken[start:end]):
                continue
            taken[start:end] = b"\1" * (end - start)
            days = read(match)
            if days is not None:
                cycle = "week" if pattern is _WEEKDAY else "year" if 0 <= days[0] < 372 else ""
                found.append(Period(*days, (start, end), cycle))
    found += _relative(text, found)
    found.sort(key=lambda one: one.span)
    return [_bounded(text, one) for one in _joined(text, found)]


def _month(name: str) -> int:
    return next(place for place, month in enumerate(_MONTHS, 1) if month.startswith(name[:3].lower()))


def _days(year: str | None, month: str | int, first: str, last: str | None = None) -> Days:
    number = month if isinstance(month, int) else _month(month)
    start, end = (int(re.sub(r"\D", "", day)) for day in (first, last or first))
    return day_number(int(year or 0), number, start), day_number(int(year or 0), number, max(start, end))


def _whole_month(year: str | None, month: str) -> Days:
    return _days(year, month, "1", "31")


def _years(first: int, last: int) -> Days:
    return day_number(first), day_number(last, 12, 31)


def _in_figures(match: re.Match[str]) -> Days:
    """Read 3/4/2020; where the order of day and month is open, only the year is known."""
    one, other, year = int(match[1]), int(match[3]), match[4]
    if one > 12 >= other or (match[2] == "." and other <= 12):
        return _days(year, other, match[1])
    return _days(year, one, match[3]) if other > 12 >= one else _years(int(year), int(year))


def _season(match: re.Match[str]) -> Days | None:
    """Read "2013–14" or "2013/14": two years that follow each other."""
    first = int(match[1])
    last = first - first % 100 + int(match[2])
    last += 100 * (last < first)  # "1999–00"
    return _years(first, last) if first < last <= first + 30 else None


_ONES = "one two three four five six seven eight nine".split()
_TENS = (
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen "
    "twenty thirty forty fifty sixty seventy eighty ninety"
).split()
_CENTURIES = (
    "fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth "
    "eighteenth nineteenth twentieth twenty-first"
).split()


def _century(name: str) -> Days:
    number = _CENTURIES.index(name.lower()) + 5
    return _years(number * 100 - 100, number * 100)


def _year_in_words(hundreds: str, tens: str, ones: str | None) -> Days | None:
    """Read "nineteen eighty-four" and "twenty twenty four"."""
    place = _TENS.index(tens.lower())
    if ones and place < 10:
        return None
    value = place + 10 if place < 10 else (place - 8) * 10
    value += _ONES.index(ones.lower()) + 1 if ones else 0
    year = {"eighteen": 1800, "nineteen": 1900, "twenty": 2000}[hundreds.lower()] + value
    return _years(year, year)


_WEEKDAY = re.compile(r"\b(Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b")

_Form = tuple[re.Pattern[str], Callable[[re.Match[str]], Days | None]]
_FORMS: tuple[_Form, ...] = (
    (re.compile(NO_DATE), lambda m: None),
    (re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b"), lambda m: _days(m[1], int(m[2]), m[3])),
    (re.compile(rf"\b(\d{{1,2}})([/.])(\d{{1,2}})\2{_YEAR}"), _in_figures),
    (
        re.compile(rf"\b{_DAY}(?:{_TO}{_DAY})?\s(?:of\s)?{_MONTH}(?:,?\s{_YEAR})?"),
        lambda m: _days(m[4], m[3], m[1], m[2]),
    ),
    (
        re.compile(rf"{_MONTH}\s(?:the\s)?{_DAY}(?:\s?[-–]\s?{_DAY})?(?:,?\s{_YEAR})?"),
        lambda m: _days(m[4], m[1], m[2], m[3]),
    ),
    (re.compile(rf"{_MONTH},?\s(?:of\s)?{_YEAR}"), lambda m: _whole_month(m[2], m[1])),
    (re.compile(r"\b(\d{1,4})\s(?:BCE?\b|B\.C\.)"), lambda m: _years(-int(m[1]), -int(m[1]))),
    (
        re.compile(r"\b((?:1\d|20)\d0)['’]?s\b"),
        lambda m: _years(int(m[1]), int(m[1]) + (99 if m[1].endswith("00") else 9)),
    ),
    (
        re.compile(
            r"\b(\d{1,2})(?:st|nd|rd|th)"
            r"(?:[ -]century\b| centuries\b|(?=(?: and |, | or )\d{1,2}(?:st|nd|rd|th) centuries\b))"
        ),
        lambda m: _years(int(m[1]) * 100 - 100, int(m[1]) * 100),
    ),
    (re.compile(rf"\b({'|'.join(_CENTURIES)})[ -]century\b", re.IGNORECASE), lambda m: _century(m[1])),
    (
        re.compile(
            rf"\b(eighteen|nineteen|twenty)[ -]({'|'.join(_TENS)})(?:[ -]({'|'.join(_ONES)}))?\b", re.IGNORECASE
        ),
        lambda m: _year_in_words(m[1], m[2], m[3]),
    ),
    (re.compile(r"(?<![\d.,])\b((?:1[5-9]|20)\d\d)[-–/](\d\d)\b(?![\d.,-])"), _season),
    (
        re.compile(
            rf"\b(?<![$€£¥₹.,#/-])(?<!than\s){_YEAR}\b{_NO_COUNT}|(?<=[12]\d\d\d[-–/]){_YEAR}\b"
            r"|(?<=\bIn )((?:1[89]|20)\d[1-9])(?=\s[a-z])"
        ),
        lambda m: _years(int(m[1] or m[2] or m[3]), int(m[1] or m[2] or m[3])),
    ),
    (
        re.compile(
            r"\b(?:[Ii]n|[Bb]y|[Ss]ince|[Uu]ntil|[Oo]f|[Ll]ast|[Nn]ext|[Ee]arly|[Ll]ate|[Mm]id-?)\s(May|March)\b"
        ),
        lambda m: _whole_month(None, m[1]),
    ),
    (
        re.compile(r"\b(January|February|April|June|July|August|September|October|November|December)\b(?![’'\w-])"),
        lambda m: _whole_month(None, m[1]),
    ),
    (_WEEKDAY, lambda m: (float(_WEEKDAYS.index(m[1].lower())),) * 2),
)
_NAMED = re.compile(r"Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|day\b")
_IN_FIGURES = tuple(form for form in _FORMS if not re.search("January|March|Monday", form[0].pattern))
"""The forms without a month's or a weekday's name."""

_RELATIVE = re.compile(
    r"\b(?:(the (?:previous year|year before)|a year earlier)|the (?:following year|year after)|a year later)\b",
    re.IGNORECASE,
)


def _relative(text: str, found: list[Period]) -> list[Period]:
    """Return "the year before" and "the year after" of the year named last before it, else of the first."""
    years = sorted((one for one in found if one.cycle == ""), key=lambda one: one.span)
    result = []
    for match in _RELATIVE.finditer(text) if years else ():
        near = ([one for one in years if one.span[1] <= match.start()] or years[:1])[-1]
        year = int(near.first // 372) + (-1 if match[1] else 1)
        result.append(Period(*_years(year, year), match.span()))
    return result


def _joined(text: str, found: list[Period]) -> list[Period]:
    """Join "between 2019 and 2022", "from May to July 2020" and "1996–2013" to one period each."""
    result: list[Period] = []
    for one in found:
        last = result[-1] if result else None
        gap = text[last.span[1] : one.span[0]] if last else ""
        leads = last is not None and re.search(
            r"\b(?:between|from)\s(?:the\s)?$", text[: last.span[0]][-16:], re.IGNORECASE
        )
        joins = _JOIN.fullmatch(gap) and (leads or gap.strip() in _DASHES_OR_TO)
        if last and joins and last.cycle == one.cycle and last.first <= one.first:
            result[-1] = replace(last, last=one.last, span=(last.span[0], one.span[1]))
        else:
            result.append(one)
    return result


def _bounded(text: str, one: Period) -> Period:
    """Return a period as open as "before", "since", "after" or "by" in front of it make it."""
    bound = _BOUND.search(text[max(0, one.span[0] - 40) : one.span[0]])
    if bound is None or one.cycle == "week":
        return one
    since, after, by, _ = bound.groups()
    start = one.span[0] - len(bound.group())
    span = (start, one.span[1])
    if since or after:
        return replace(one, first=one.first if since else one.last + 1, last=math.inf, span=span)
    return replace(one, first=-math.inf, last=one.last if by else one.first - 1, span=span)
