"""Read the amounts of a text: numbers with their units, the things counted, their time and their bounds.

Written by hand, because no library fits. quantulum3 0.10 needs 35 ms for 110 words, and misreads "$3bn". Loading
pint 0.25 takes 0.26 s, for conversions that are one factor each. text2num 3.1 gives no places in the text.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from core.retrieval.chunking import sentence_spans
from core.types import Span
from core.verification.stance.numerals import (
    Number,
    Numerals,
    Token,
    is_capital,
    is_plural,
    measures,
    noun,
    stems,
    unit_sizes,
)
from core.verification.stance.text_dates import Period, periods
from core.verification.stance.words import lexicon, stem

_WEIGHING = frozenset(stem(word) for word in "weigh weighs weighed weight weighing heavy heavier lighter lift".split())
_BOUND_WORDS = frozenset(
    "by about around some nearly almost over more than under less at least roughly an a of".split()
)
_COMPARATIVES = frozenset("more less fewer higher lower up down".split())
_MAKING = frozenset("make makes made making".split())
_COMPARED = frozenset("more less fewer higher lower greater larger longer later earlier".split())
_DIMENSION_NOUNS = frozenset("length end width breadth height depth thickness".split())
_ATTENDING = frozenset(
    "watch watched attend attended came come comes saw see gathered visited visit flocked cheered turned".split()
)
_VERBS = frozenset("has had is was will counts counted sold made employs employed won lost paid spent".split())
_COMMON_NOUN = re.compile(r"(?:tion|sion|ment|ness|ity|age|ance|ence|ing|ship|out|ue|fit|ty|th)$")
_COMPARED_WITH = re.compile(r",? (?:than|compared (?:with|to)|against|versus|up from|down from|over|on)\b[^.;,]{0,25}")
_MONEY = frozenset(("dollar", "euro", "pound sterling", "rupee", "yen", "yuan", "franc", "rouble", "naira"))
_MILLIONS = re.compile(r"[mbr]illi(?:on|ard)s?\b|\d ?(?:m|mn|bn|b|tn)\b", re.IGNORECASE)
_CLAUSES = frozenset("and but while whereas which although though or because when".split())
_BOUNDS = tuple(
    (re.compile(pattern, re.IGNORECASE), bound)
    for bound, pattern in (
        (
            "at most",
            r"\b(?:(?:no|not|never) (?:more|higher|greater|larger|longer) than|at most|up to|maximum of|within"
            r"|as (?:many|much) as|not exceed\w*)(?: an?)?$",
        ),
        ("at least", r"\b(?:(?:no|not) (?:less|fewer|lower) than|at (?:the )?least|at a minimum|minimum of)$"),
        (
            "over",
            r"\b(?:(?:more|greater|higher|better|larger|longer|later) than|(?<!averaged )(?<!averaged on )over|above"
            r"|exceed\w*|surpass\w*|beyond|in excess of|upwards of|past)(?: an?| the)?$",
        ),
        (
            "under",
            r"\b(?:(?:less|fewer|lower|smaller|shorter|earlier) than|under|below|short of)(?: an?| the)?$",
        ),
        ("nearly", r"\b(?:nearly|almost|close to|just under|just short of|approaching)(?: an?| the)?$"),
        (
            "about",
            r"(?:\b(?:about|around|approximately|roughly|circa|approx|some|estimated|in the region of|just over)|[~≈])"
            r"(?: an?| the| at)?$",
        ),
    )
)
_AFTER = (
    (re.compile(r"^\s?\+|^(?: \w+)? or (?:more|over|above|higher|older)\b"), "at least"),
    (re.compile(r"^(?: \w+)? or (?:less|fewer|under|below|younger)\b"), "at most"),
)


@dataclass(frozen=True)
class Amount:
    """A number of something, in the first unit of its kind (metres, kilograms, seconds, per cent, one dollar).

    `kind` is "count", "date", "weekday", "ordinal", "age", "score", "rating of 10", or a unit's, such as "length".
    `bound` is "", "about", "nearly", "over", "under", "at least", "at most" or "between".
    `upper` is the upper end of "between", else NaN. `rounding` is half of the last place that is written.
    `head` is the stem or group of the things counted, empty if none are named.
    `near` and `around` are stems of the words in its clause and in its sentence.
    `names` are the stems of capitalised words in its clause. `direction` is "rise", "fall", "profit", "loss" or "".
    `rate` is the stem after "per". `parts` is "12 of 48" if the share was computed. `lead` is the word before.
    `denied` says whether its clause has a "not".
    """

    kind: str
    value: float
    upper: float
    bound: str
    rounding: float
    head: frozenset[str]
    near: frozenset[str]
    around: frozenset[str]
    names: frozenset[str]
    when: Period | None
    span: Span
    text: str
    direction: str = ""
    rate: str = ""
    parts: str = ""
    unit: str = ""
    lead: str = ""
    denied: bool = False


@lru_cache(maxsize=256)
def amounts(text: str) -> tuple[Amount, ...]:
    """Return the amounts and dates of a text in order.

    Codes, telephone numbers, versions, times of day, references and numbers inside names are left out.
    """
    found = [one for start, end in sentence_spans(text) for one in _Sentence(text[start:end], start).read()]
    return tuple(sorted(found, key=lambda one: one.span))


def numbered_names(text: str) -> list[tuple[str, str]]:
    """Return the names of a text that end with a number, in order: ("District", "7")."""
    sentences = [_Sentence(text[start:end], start) for start, end in sentence_spans(text)]
    return [name for one in sentences for name in one.numbered_names()]


class _Sentence(Numerals):
    """One sentence with its tokens and dates, and where it begins in its text."""

    def __init__(self, text: str, start: int) -> None:
        self.start = start
        self.dates = periods(text)
        self.clauses: dict[tuple[int, int], list[Token]] = {}
        super().__init__(text, [one.span for one in self.dates])

    def read(self) -> list[Amount]:
        found = _completed(_with_units([self._amount(number) for number in self.numbers()]))
        found = [self._with_time(one, found) for one in found]
        found = list(_summed(found, self.text, self.start))
        found += [self._date(one) for one in self.dates]
        return sorted(found, key=lambda one: one.span)

    def _amount(self, number: Number) -> Amount:
        currency = self.currency_at(number.first - 1)
        unit, after = ("", number.last + 1) if currency else self._unit_after(number)
        kind, size, name = measures().units.get(currency or unit, ("count", 1.0, ""))
        if name == "pound" and kind == "pound sterling" and not currency and self.around & _WEIGHING:
            kind, size = "mass", measures().units["lb"][1]
        kind = number.kind or ("age" if kind == "duration" and name == "year" and self._is_age(number, after) else kind)
        size = 1.0 if kind == "age" else size
        first = number.first - bool(currency)
        end = self.tokens[after - 1].end
        begin = self.tokens[first].start
        (bound, begin), direction = self._bound(begin, end), self._direction(first, after, kind)
        by = self.lower(first - 1) == "by" or direction in ("rise", "fall")
        direction = "" if number.parts else direction
        shift = -32 * 5 / 9 if name == "degree Fahrenheit" and not by else 0.0
        value, upper = (v * size + shift for v in (number.value, number.upper))
        return Amount(
            kind=kind,
            value=value,
            upper=upper,
            bound="" if kind == "ordinal" else number.bound if bound in ("", "about") and number.bound else bound,
            rounding=(number.rounding or (0.5 if kind != "count" and not number.kind else 0.0)) * size,
            head=self._dimension(first, after) if kind == "length" else self._head(number, after),
            near=self._near(number.first, number.last),
            around=self.around,
            names=self._names(number.first, number.last),
            when=None,
            span=(begin + self.start, end + self.start),
            text=self.text[begin:end],
            direction=direction,
            rate=self._rate(after),
            parts=number.parts,
            unit=name or kind,
            lead=self.lower(first - 1),
            denied=self._is_denied(number.first, number.last),
        )

    def _unit_after(self, number: Number) -> tuple[str, int]:
        """Return the spelling of the unit after a number, "" if there is none, and the place after it."""
        if number.kind in ("ordinal", "score", "share", "factor") or number.kind.startswith("rating"):
            return "", number.last + 1
        unit, after = self.unit(number.last + 1 + (self.lower(number.last + 1) in ("-", "–")))
        return (unit, after) if unit and not (unit == "stone" and number.value > 40) else ("", number.last + 1)

    def _is_age(self, number: Number, after: int) -> bool:
        return (
            self.lower(after) == "old"
            or [self.lower(after), self.lower(after + 1)] in (["-", "old"], ["of", "age"])
            or bool({self.lower(number.first - n) for n in (1, 2)} & {"aged", "age"})
        )

    def _bound(self, begin: int, end: int) -> tuple[str, int]:
        """Return the bound that the words around an amount make it, and where these words begin."""
        after = self.text[end : end + 30].lower()
        bound = next((name for pattern, name in _AFTER if pattern.search(after)), "")
        if bound:
            return bound, begin
        lead = max(0, begin - 40)
        before = self.text[lead:begin].rstrip()
        for pattern, name in _BOUNDS:
            if match := pattern.search(before):
                return name, lead + match.start()
        return "", begin

    def _direction(self, first: int, after: int, kind: str) -> str:
        """Return which way it went: "rose 5", "rose by 5", "a 5 per cent rise", "a profit of 5"; "to 5" is a level."""
        known = measures().directions
        before = [self.lower(first - n) for n in range(1, 7) if not self._makes_up(first - n)]
        stop = next((n for n, word in enumerate(before) if word in ("", ",") or word in _CLAUSES), len(before))
        before = before[:stop]
        close = [word for word in before[:4] if word not in _BOUND_WORDS][:2]
        following = [self.lower(after + n) for n in range(6)]
        compared = "than" in following and "," not in following  # "a dozen goals fewer than the best"
        behind = [word for word in following[:2] if kind == "share" or compared or word not in _COMPARATIVES]
        if not {"to", "from", "at"} & set(before[:3]):
            for word in [*close, *behind]:
                if known.get(word) in ("rise", "fall") and not (
                    "than" in before and word.endswith(("er", "more", "less"))
                ):
                    return known[word]
        return next((known[word] for word in [*before, *following[:3]] if known.get(word) in ("profit", "loss")), "")

    def _makes_up(self, place: int) -> bool:
        """Say whether a word is the "up" of "makes up two thirds", which is no rise."""
        return self.lower(place) == "up" and self.lower(place - 1) in _MAKING

    def _head(self, number: Number, after: int) -> frozenset[str]:
        """Return the things counted: the plural after the number, the noun after an ordinal or after "per cent of"."""
        many = number.kind == "factor" and (self.lower(after), self.lower(after + 1)) == ("as", "many")
        run = self.following(after + 2 * many)
        if not run:
            return frozenset()
        named = next((word for word in run if is_plural(word)), "")
        if number.kind == "ordinal" or (number.value == 1 and not named):
            named = named or run[-1]
        named = named or (run[-1] if self.lower(after) in ("of", "-") else "")
        if not named:
            return frozenset()
        group = noun(named)
        if group in ("person", "audience"):
            clause = self._clause(number.first, number.last)
            return frozenset(["audience", "attending"] if any(t.lower in _ATTENDING for t in clause) else [group])
        return frozenset([group])

    def _dimension(self, first: int, after: int) -> frozenset[str]:
        """Return "long", "wide", "high" or "deep" for a length: "6 miles from end to end", "a depth of 3 metres"."""
        known = measures().dimensions
        for at in range(after, after + 3):
            if not self.lower(at) or self._ends_clause(at):
                break
            if self.lower(at) in known:
                return frozenset([known[self.lower(at)]])
        for at in range(first - 1, max(-1, first - 10), -1):
            if self._ends_clause(at):
                break
            if self.lower(at) in known and self.lower(at) in _DIMENSION_NOUNS:
                return frozenset([known[self.lower(at)]])
        return frozenset()

    def _is_denied(self, first: int, last: int) -> bool:
        """Say whether the clause of an amount has a "not", other than that of "no more than"."""
        words = [token.lower for token in self._clause(first, last)]
        negation = lexicon().negation
        return any(
            word in negation and following not in _COMPARED
            for word, following in itertools.zip_longest(words, words[1:], fillvalue="")
        )

    def _near(self, first: int, last: int) -> frozenset[str]:
        """Return the stems of the clause around the tokens from `first` to `last`."""
        return stems(self._clause(first, last))

    def _names(self, first: int, last: int) -> frozenset[str]:
        """Return the stems of the clause's capitalised words, with the sentence's first if it looks like a name."""
        clause = self._clause(first, last)
        return frozenset(
            noun(t.lower)
            for t in clause
            if t.kind == "word" and is_capital(t) and (t is not self.tokens[0] or self._opens_with_name())
        )

    def _opens_with_name(self) -> bool:
        """Say whether the sentence's first word is a name: "Kenya has", "Kenya's", "Lake Turkana"."""
        opener, following = self.tokens[0], self.token(1)
        if opener.lower in lexicon().stopwords or opener.lower in measures().numbers or following is None:
            return False
        if following.kind == "word" and is_capital(following):
            return True
        if is_plural(opener.lower) or opener.lower in measures().counted or _COMMON_NOUN.search(opener.lower):
            return False
        return opener.lower.endswith("'s") or following.lower in _VERBS or following.lower.endswith("ed")

    def _clause(self, first: int, last: int) -> list[Token]:
        if (first, last) not in self.clauses:
            self.clauses[first, last] = self._clause_around(first, last)
        return self.clauses[first, last]

    def _clause_around(self, first: int, last: int) -> list[Token]:
        while first > 0 and not self._ends_clause(first - 1):
            first -= 1
        while last + 1 < len(self.tokens) and not self._ends_clause(last + 1):
            last += 1
        return self.tokens[first : last + 1]

    def _ends_clause(self, place: int) -> bool:
        return self.tokens[place].kind == "stop" or self.tokens[place].lower in _CLAUSES

    def _rate(self, after: int) -> str:
        """Return the unit after "per", "a" or "each" behind an amount: "15 dollars an hour", "80 barrels a day"."""
        for at in range(after, min(after + 3, len(self.tokens))):
            word, unit = self.lower(at), self.lower(at + 1)
            if word in ("per", "each", "every") or (word in ("a", "an") and _is_time(unit)):
                return stem(unit)
            if self.tokens[at].kind == "stop":
                break
        return ""

    def _with_time(self, one: Amount, found: Sequence[Amount]) -> Amount:
        """Return an amount with its date: the next one in its clause, else the last one before it."""
        dates = [period for period in self.dates if period.cycle != "week"]
        if not dates:
            return one
        begin, end = one.span[0] - self.start, one.span[1] - self.start
        rivals = [other.span[0] - self.start for other in found if other.kind == one.kind]
        after = next((d for d in dates if d.span[0] >= end), None)
        if (
            after
            and not any(end <= at < after.span[0] for at in rivals)
            and _one_clause(self.text[end : after.span[0]])
        ):
            return replace(one, when=self._since(after) if one.direction in ("rise", "fall") else after)
        before = [d for d in dates if d.span[1] <= begin]
        if before:
            return replace(one, when=before[-1])
        return replace(one, when=None if any(end <= at for at in rivals) else after)

    def _since(self, period: Period) -> Period:
        """Return the time of "more in 2022 than in 2019", from the first to the last of both dates."""
        for other in self.dates:
            gap = self.text[period.span[1] : other.span[0]]
            if other.last < period.first and other.cycle == period.cycle and _COMPARED_WITH.fullmatch(gap):
                return replace(period, first=other.first, span=(period.span[0], other.span[1]))
        return period

    def _date(self, period: Period) -> Amount:
        at = max(0, sum(token.start < period.span[0] for token in self.tokens) - 1)
        start, end = period.span
        return Amount(
            "weekday" if period.cycle == "week" else "date",
            period.first,
            period.last,
            "",
            0.0,
            frozenset(),
            self._near(at, at),
            self.around,
            self._names(at, at),
            period,
            (start + self.start, end + self.start),
            self.text[start:end],
        )


def _with_units(found: Sequence[Amount]) -> list[Amount]:
    """Return amounts with the unit that another one of the sentence has: "from 1,800 to 2,700 square metres".

    A bare number of millions is of the money before it: "11.2 million euros; 2.8 million of that".
    """
    money = next((one for one in found if one.kind in _MONEY), None)
    return [_with_unit(one, money, after) for one, after in itertools.zip_longest(found, found[1:])]


def _with_unit(one: Amount, money: Amount | None, after: Amount | None) -> Amount:
    """Return an amount without a unit with that of the amount after "from … to", or of the money before it."""
    if one.kind != "count" or one.head:
        return one
    size = unit_sizes().get((after.kind, after.unit)) if after and (one.lead, after.lead) == ("from", "to") else None
    if after and size and bool(_MILLIONS.search(one.text)) == bool(_MILLIONS.search(after.text)):
        unit, rate = after.unit, after.rate
        return replace(one, kind=after.kind, unit=unit, rate=rate, value=one.value * size, rounding=one.rounding * size)
    if money and money.span < one.span and not one.rate and _MILLIONS.search(one.text):
        return replace(one, kind=money.kind, unit=money.unit)
    return one


def _completed(found: Sequence[Amount]) -> list[Amount]:
    """Return amounts where a bare one counts the things of one before: "31,500 came; in 2023 there were 28,000".

    In a list a rate goes on: "5.8 plants per metre in ten plots, and 0.3 in the others".
    """
    completed: list[Amount] = []
    for one in found:
        before = completed[-1] if completed else one
        per = next((other for other in reversed(completed) if other.head and other.rate), None)
        if one.kind == "count" and not (one.head or one.rate or one.parts):
            if before.kind == "count" and not one.near:
                one = replace(one, head=before.head, rate=before.rate, near=before.near)
            elif per and one.lead in (",", "and"):
                one = replace(one, head=per.head, rate=per.rate, near=one.near | per.head)
        completed.append(one)
    return completed


def _summed(found: Sequence[Amount], text: str, start: int) -> Iterator[Amount]:
    """Join "six feet, two inches" and "3 hours and 5 minutes" to one amount."""
    last: Amount | None = None
    for one in found:
        gap = text[last.span[1] - start : one.span[0] - start] if last else ""
        if last and _is_part(last, one) and re.fullmatch(r",?\s?(?:and )?", gap):
            span = (last.span[0], one.span[1])
            joined = text[span[0] - start : span[1] - start]
            last = replace(last, value=last.value + one.value, rounding=one.rounding, span=span, text=joined)
            continue
        if last:
            yield last
        last = one
    if last:
        yield last


def _is_part(whole: Amount, one: Amount) -> bool:
    """Say whether an amount has a smaller unit of the kind of the one before it, as inches after feet.

    "8,848.86 metres, 86 centimetres more" are two amounts: nobody writes decimals and a smaller unit.
    """
    return (
        whole.kind == one.kind
        and not re.search(r"\d\.\d", whole.text)
        and one.kind in ("length", "duration", "mass")
        and whole.unit != one.unit
        and one.value < whole.value
    )


def _is_time(word: str) -> bool:
    return measures().units.get(word, ("",))[0] == "duration"


def _one_clause(gap: str) -> bool:
    return len(gap) <= 60 and not re.search(r"[;:.,()]|\b(?:and|but|while|whereas)\b", gap)
