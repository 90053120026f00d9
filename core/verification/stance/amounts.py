"""Read the amounts of a text: numbers with their units, the things counted, their time and their bounds.

Written by hand, because no library fits. quantulum3 0.10 needs 35 ms for 110 words, and misreads "$3bn". Loading
pint 0.25 takes 0.26 s, for conversions that are one factor each. text2num 3.1 gives no places in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from core.retrieval.chunking import sentence_spans
from core.types import Span
from core.verification.stance.numerals import Number, Numerals, Token, is_capital, is_plural, measures, noun, stems
from core.verification.stance.text_dates import Period, periods
from core.verification.stance.words import stem

_CELL = re.compile(r"(?:(?<=[|\t])|^) *([^|\t]*)")
_WEIGHING = frozenset(stem(word) for word in "weigh weighs weighed weight weighing heavy heavier lighter lift".split())
_BOUND_WORDS = frozenset(
    "by about around some nearly almost over more than under less at least roughly an a of".split()
)
_COMPARATIVES = frozenset("more less fewer higher lower up down".split())
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


def amounts(text: str, written: date | None = None) -> tuple[Amount, ...]:
    """Return the amounts and dates of a text in order; `written` is its own date, which "last year" refers to.

    Codes, telephone numbers, versions, times of day, references and numbers inside names are left out.
    """
    cells, rest = _cells(text, written)
    found = [one for start, end in sentence_spans(rest) for one in _Sentence(rest[start:end], start, written).read()]
    return tuple(sorted([*cells, *found], key=lambda one: one.span))


def _cells(text: str, written: date | None) -> tuple[list[Amount], str]:
    """Return the amounts in the cells of a text's tables, and the text with the tables blanked out."""
    if "|" not in text and "\t" not in text:
        return [], text
    found: list[Amount] = []
    lines = text.split("\n")
    at, heads = 0, list[str]()
    for place, line in enumerate(lines):
        cells = _split(line, at)
        for (cell, start), head in list(zip(cells, heads, strict=False))[1:]:
            found += _cell(cell, start, cells[0][0], head, written)
        at += len(line) + 1
        if len(cells) > 1:
            lines[place] = " " * len(line)
        heads = (heads or [cell for cell, _ in cells]) if len(cells) > 1 else []
    return found, "\n".join(lines)


def _split(line: str, start: int) -> list[tuple[str, int]]:
    """Return a table row's cells with their places in the text, "| a | b |" or tabs between; none in other lines."""
    if line.count("|") < 2 and "\t" not in line:
        return []
    found = [(match.group(1).strip(), start + match.start(1)) for match in _CELL.finditer(line)]
    return found[1:] if line.startswith("|") else found


def _cell(cell: str, at: int, row: str, column: str, written: date | None) -> list[Amount]:
    """Return the amounts of one cell, read as "column of the row is cell", with a unit from the column's brackets."""
    if not any(character.isdigit() for character in cell):
        return []
    unit = re.search(r"\(([^()]+)\)", column)
    column = re.sub(r"\([^()]*\)", "", column).strip()
    heads = sorted((row, column), key=lambda head: head.isdigit())
    lead = f"{heads[0]} in {heads[1]} is " if heads[1].isdigit() else f"{heads[0]} {heads[1]} is "
    sentence = f"{lead}{cell} {unit.group(1)}" if unit else lead + cell
    start, end = at - len(lead), at + len(cell)
    read = _Sentence(sentence, start, written).read()
    return [replace(one, span=(one.span[0], min(one.span[1], end))) for one in read if at <= one.span[0] < end]


class _Sentence(Numerals):
    """One sentence with its tokens and dates, and where it begins in its text."""

    def __init__(self, text: str, start: int, written: date | None) -> None:
        self.start = start
        self.dates = periods(text, written)
        super().__init__(text, [one.span for one in self.dates])

    def read(self) -> list[Amount]:
        found = [self._amount(number) for number in self.numbers()]
        found = [self._with_time(one, found) for one in found]
        found = list(_summed(found, self.text, self.start))
        found += [self._date(one) for one in self.dates]
        return sorted(found, key=lambda one: one.span)

    def _amount(self, number: Number) -> Amount:
        currency = self._currency(number.first)
        unit, after = ("", number.last + 1) if currency else self._unit_after(number)
        kind, size, name = measures().units.get(currency or unit, ("count", 1.0, ""))
        if name == "pound" and kind == "pound sterling" and not currency and self.around & _WEIGHING:
            kind, size = "mass", measures().units["lb"][1]
        kind = number.kind or ("age" if kind == "duration" and name == "year" and self._is_age(number, after) else kind)
        size = 1.0 if kind == "age" else size
        first = number.first - (self.currency_at(number.first - 1) is not None)
        end = self.tokens[after - 1].end
        begin = self.tokens[first].start
        (bound, begin), direction = self._bound(begin, end), self._direction(first, after, kind)
        by = self.lower(first - 1) == "by" or direction in ("rise", "fall")
        shift = -32 * 5 / 9 if name == "degree Fahrenheit" and not by else 0.0
        value, upper = (v * size + shift for v in (number.value, number.upper))
        return Amount(
            kind=kind,
            value=value,
            upper=upper,
            bound="" if kind == "ordinal" else number.bound if bound in ("", "about") and number.bound else bound,
            rounding=(number.rounding or (0.5 if kind != "count" and not number.kind else 0.0)) * size,
            head=self._head(number, after),
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
        )

    def _unit_after(self, number: Number) -> tuple[str, int]:
        """Return the spelling of the unit after a number, "" if there is none, and the place after it."""
        if number.kind in ("ordinal", "score", "share", "factor") or number.kind.startswith("rating"):
            return "", number.last + 1
        at = number.last + 1
        if self.lower(at) in ("-", "–"):
            at += 1
        for length in (4, 3, 2, 1):
            unit = self.joined(at, length)
            if unit in measures().units and not (unit == "stone" and number.value > 40):
                return unit, at + length
        return "", number.last + 1

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
        before = [self.lower(first - n) for n in range(1, 7)]
        stop = next((n for n, word in enumerate(before) if word in ("", ",") or word in _CLAUSES), len(before))
        before = before[:stop]
        close = [word for word in before[:4] if word not in _BOUND_WORDS][:2]
        following = [self.lower(after + n) for n in range(3)]
        behind = [word for word in following[:2] if kind == "share" or word not in _COMPARATIVES]
        if not {"to", "from", "at"} & set(before[:3]):
            for word in [*close, *behind]:
                if known.get(word) in ("rise", "fall") and not (word in ("more", "less", "fewer") and "than" in before):
                    return known[word]
        return next((known[word] for word in [*before, *following] if known.get(word) in ("profit", "loss")), "")

    def _head(self, number: Number, after: int) -> frozenset[str]:
        """Return the things counted: the plural after the number, the noun after an ordinal or after "per cent of"."""
        run = self.following(after)
        if not run:
            return frozenset()
        named = next((word for word in run if is_plural(word)), "")
        if number.kind == "ordinal" or (number.value == 1 and not named):
            named = named or run[-1]
        named = named or (run[-1] if self.lower(after) in ("of", "-") else "")
        return frozenset([noun(named)]) if named else frozenset()

    def _near(self, first: int, last: int) -> frozenset[str]:
        """Return the stems of the clause around the tokens from `first` to `last`."""
        return stems(self._clause(first, last))

    def _names(self, first: int, last: int) -> frozenset[str]:
        """Return the stems of the capitalised words in the clause, without the first word of the sentence."""
        clause = self._clause(first, last)
        return frozenset(noun(t.lower) for t in clause if t.kind == "word" and t.start and is_capital(t))

    def _clause(self, first: int, last: int) -> list[Token]:
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
            return replace(one, when=after)
        before = [d for d in dates if d.span[1] <= begin]
        if before:
            return replace(one, when=before[-1])
        lonely = not any(end <= at for at in rivals)
        return replace(one, when=after if after and lonely else None)

    def _date(self, period: Period) -> Amount:
        at = next((n for n, token in enumerate(self.tokens) if token.start >= period.span[0]), len(self.tokens)) - 1
        start, end = period.span
        kind = "weekday" if period.cycle == "week" else "date"
        near = self._near(max(at, 0), max(at, 0)) if self.tokens else frozenset[str]()
        span = (start + self.start, end + self.start)
        nothing = frozenset[str]()
        return Amount(
            kind,
            period.first,
            period.last,
            "",
            0.0,
            nothing,
            near,
            self.around,
            self._names(max(at, 0), max(at, 0)) if self.tokens else nothing,
            period,
            span,
            self.text[start:end],
        )


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
    """Say whether an amount has a smaller unit of the kind of the one before it, as inches after feet."""
    return (
        whole.kind == one.kind
        and one.kind in ("length", "duration", "mass")
        and whole.unit != one.unit
        and one.value < whole.value
    )


def _is_time(word: str) -> bool:
    return measures().units.get(word, ("",))[0] == "duration"


def _one_clause(gap: str) -> bool:
    return len(gap) <= 60 and not re.search(r"[;:.,()]|\b(?:and|but|while|whereas)\b", gap)
