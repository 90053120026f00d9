"""Compare the amounts and dates of a claim with those of a passage, by arithmetic.

Two amounts are compared only if they are of one kind, of one thing and of one time. Else the passage is silent.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from functools import cache

from core.types import Span
from core.verification.stance.amounts import Amount, ClockTime, amounts, clock_times
from core.verification.stance.numerals import measures, noun
from core.verification.stance.text_dates import Period
from core.verification.stance.words import lexicon

LEAST = 0.3
"""From this closeness on two amounts are taken to speak of one thing."""

SLACK = 0.1
"""Amounts that are so little less close than the closest one are compared as well."""

ELSEWHERE = 0.4
"""An amount that agrees, so little further off than one that differs, leaves it open.

A date that agrees does so at any distance."""

_HEAD = 0.3
"""How much closer two amounts are if they count one thing by name, or are both changes."""

_ABOUT, _FAR = 0.05, 0.15
"""Relative distances: up to the first "about 100" agrees, from the second on it differs, between them it is silent."""

_LOOSE = 0.1
"""Relative distance from which on two numbers with the same bound neither agree nor differ."""

_LEAST_GAP = 1e-6
"""Relative distance below which two numbers are equal, after conversion from other units."""

_MOST_CLAIMED = 40
"""The most amounts of a claim to compare; later ones are ignored."""

_MOST_PAIRED = 60
"""The most amounts of a passage between which to compute changes; later ones are ignored."""

_PART_GAP = 150
"""Characters between a whole and "four of them" at most."""

_MOST_TIMES = 12
"""The most times of day in a passage between which to compute durations."""

DATES = ("date", "weekday")
"""The kinds of amounts that are times."""

_CHANGES = ("rise", "fall")
_PLAIN = ("", "about", "nearly")

Interval = tuple[float, float]
Part = tuple[Amount, Amount]


class AmountOutcome(StrEnum):
    """Say how an amount of a claim relates to a passage."""

    AGREES = "agrees"
    DIFFERS = "differs"
    SILENT = "silent"


@dataclass(frozen=True)
class AmountComparison:
    """One amount of a claim beside a passage: the outcome, a clause for the reader, and the characters in both.

    kind: the amount's, such as "count", "date" or "length". reason: "" if the passage is silent.
    """

    outcome: AmountOutcome
    kind: str
    reason: str
    claim_span: Span
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True)
class _Rival:
    """An amount of the passage that may be compared with one of the claim, and how close their contexts are."""

    closeness: float
    outcome: AmountOutcome
    amount: Amount


def counts(
    claim: str, passage: str, *, claim_date: date | None = None, passage_date: date | None = None
) -> tuple[int, int, int]:
    """Return how many amounts and dates of a claim agree, differ, and find nothing to be compared with."""
    found = [one.outcome for one in compare(claim, passage, claim_date=claim_date, passage_date=passage_date)]
    return found.count(AmountOutcome.AGREES), found.count(AmountOutcome.DIFFERS), found.count(AmountOutcome.SILENT)


def compare(
    claim: str, passage: str, *, claim_date: date | None = None, passage_date: date | None = None
) -> tuple[AmountComparison, ...]:
    """Return one comparison for each amount and date of a claim, in order.

    A date that belongs to an amount is not compared by itself. "Last year" is counted from `claim_date` and
    `passage_date`, the days on which they were written.
    """
    claimed = amounts(claim, claim_date)
    clock = clock_times(passage) if any(one.order in ("before", "after") for one in claimed) else ()
    return _compare_amounts(claimed, amounts(passage, passage_date), clock)


def _compare_amounts(
    claimed: Sequence[Amount], told: Sequence[Amount], clock: Sequence[ClockTime]
) -> tuple[AmountComparison, ...]:
    times = [one.when.span for one in claimed if one.when and one.kind != "date"]
    asked = [one for one in claimed if one.kind != "date" or not _is_within(one.when, times)][:_MOST_CLAIMED]
    parts = tuple(_parts(told))
    rivals = [[_rival(one, other) for other in told if comparable(one, other)] for one in asked]
    rivals = [[r for r in found if _may_count(one, r, parts)] for one, found in zip(asked, rivals, strict=True)]
    taken = _taken(asked, rivals)
    return tuple(
        _compared(one, [r for r in found if taken.get(r.amount.span, one.span) == one.span], told, parts, clock)
        for one, found in zip(asked, rivals, strict=True)
    )


def _is_within(one: Period | None, spans: Sequence[Span]) -> bool:
    return one is None or any(start <= one.span[0] and one.span[1] <= end for start, end in spans)


def _may_differ(one: Amount, other: Amount, parts: Sequence[Part]) -> bool:
    """Say whether two amounts are so surely about one thing that one of them can refute the other."""
    if one.denied != other.denied and one.kind in ("count", "share"):
        return False
    if (one.direction in _CHANGES) != (other.direction in _CHANGES):
        return False
    if one.order or other.order:
        if one.bound == "at most" and not one.event:  # "within an hour" leaves out the event that it is counted from
            return 2 * len(one.near & other.near) >= len(one.near - {"within"})
        return bool(one.event & other.event) and bool((one.near - one.event) & other.near)
    if any(w is other and (_is_of_part(one, w, p) or relation(one, p) is AmountOutcome.AGREES) for w, p in parts):
        return False
    if one.kind == "count":
        return _says_the_same_of(one, other)
    if one.kind in ("share", "length", "duration"):
        asked = one.near - _words_of_measure()
        if one.direction in _CHANGES:
            return 2 * len((asked - one.names) & other.around) >= max(len(asked - one.names), 1)
        return bool(asked) and one.head == other.head and asked <= other.around
    if one.kind in ("date", "weekday", "ordinal", "score", "age", "factor") or one.kind.startswith("rating"):
        return True
    return not one.near or 2 * len(one.near & other.around) > len(one.near)


def _may_agree(one: Amount, other: Amount, parts: Sequence[Part]) -> bool:
    """Say whether an equal amount is no other share, and no whole beside a claim about its rest."""
    if one.kind == "share" and not (one.near & other.around) - _words_of_measure():
        return not one.near - _words_of_measure()
    return one.denied == other.denied or not any(w is other and _is_of_part(one, w, p) for w, p in parts)


def _may_count(one: Amount, rival: _Rival, parts: Sequence[Part]) -> bool:
    if rival.outcome is AmountOutcome.SILENT:
        return True
    may = _may_differ if rival.outcome is AmountOutcome.DIFFERS else _may_agree
    return may(one, rival.amount, parts)


def _is_of_part(one: Amount, whole: Amount, part: Amount) -> bool:
    """Say whether a claim's amount has words that the passage says of a part alone."""
    return bool(one.near & (part.near - whole.near))


def _says_the_same_of(one: Amount, other: Amount) -> bool:
    """Say whether both have a word beside the things counted, or neither has: "Uganda has", "people watched"."""
    if "attending" in one.head & other.head:
        return True
    heads = one.head | other.head
    asked = one.near - heads
    return bool(asked & other.around) or not (asked - one.names or other.near - heads)


@cache
def _words_of_measure() -> frozenset[str]:
    known = measures()
    return frozenset(noun(word) for word in (*known.directions, *known.dimensions, *known.fractions))


def _parts(told: Sequence[Amount]) -> Iterator[Part]:
    """Yield each "four of them" of a passage with the amount before it that "them" refers to."""
    for place, part in enumerate(told):
        if part.partitive:
            for whole in reversed(told[max(0, place - 3) : place]):
                is_level = whole.kind not in (*_NO_LEVELS, "share") and not whole.partitive
                is_larger = part.kind == "share" or (part.kind == whole.kind and part.value < whole.value)
                if is_level and is_larger and part.span[0] - whole.span[1] <= _PART_GAP:
                    yield whole, part
                    break


def _rival(one: Amount, other: Amount) -> _Rival:
    return _Rival(_closeness(one, other), relation(one, other), other)


def _taken(asked: Sequence[Amount], rivals: Sequence[Sequence[_Rival]]) -> dict[Span, Span]:
    """Return the passage's amounts that equal one of the claim's; they counter no other one."""
    taken: dict[Span, Span] = {}
    for one, found in zip(asked, rivals, strict=True):
        same = [(r.closeness, r.amount.span) for r in found if r.outcome is AmountOutcome.AGREES and not one.bound]
        if same:
            taken.setdefault(max(same)[1], one.span)
    return taken


def _compared(
    one: Amount,
    rivals: Sequence[_Rival],
    told: Sequence[Amount],
    parts: Sequence[Part],
    clock: Sequence[ClockTime],
) -> AmountComparison:
    derived = next(itertools.chain(_of_parts(one, parts), _between_times(one, clock)), None)
    if derived is not None:
        return derived
    best = max((r.closeness for r in rivals), default=0.0)
    near = [r for r in rivals if r.closeness >= max(best - SLACK, LEAST)]
    agreeing = next((r.amount for r in near if r.outcome is AmountOutcome.AGREES), None)
    then = next((r.amount for r in rivals if r.outcome is AmountOutcome.DIFFERS and _is_then(one, r.amount)), None)
    if agreeing is not None and agreeing.when is None and then is not None:
        return _comparison(AmountOutcome.DIFFERS, one, then)
    if agreeing is not None:
        return _comparison(AmountOutcome.AGREES, one, agreeing)
    away = math.inf if one.kind == "date" else ELSEWHERE
    elsewhere = any(r.outcome is AmountOutcome.AGREES and r.closeness >= best - away for r in rivals)
    if near and not elsewhere and all(r.outcome is AmountOutcome.DIFFERS for r in near):
        return _comparison(AmountOutcome.DIFFERS, one, max(near, key=lambda r: r.closeness).amount)
    return next(_computed(one, told), AmountComparison(AmountOutcome.SILENT, one.kind, "", one.span))


def _is_then(one: Amount, other: Amount) -> bool:
    """Say whether the passage gives an amount the very time that the claim gives its own."""
    return one.kind != "date" and one.when is not None and other.when is not None and other.when.within(one.when)


def _comparison(outcome: AmountOutcome, one: Amount, other: Amount) -> AmountComparison:
    said = f"says {phrase(other)}"
    if other.parts:
        said += f", which is {other.value:.3g} per cent"
    if outcome is AmountOutcome.DIFFERS or phrase(one) != phrase(other):
        said += f"; the claim says {phrase(one)}"
    return AmountComparison(outcome, one.kind, said, one.span, (other.span,))


def phrase(one: Amount) -> str:
    """Return an amount as its text has it, with its direction, on one line."""
    ways = {"profit": "a profit of ", "loss": "a loss of ", "rise": "a rise of ", "fall": "a fall of "}
    between = "between " if one.bound == "between" and " and " in one.text else ""
    return ways.get(one.direction, "") + between + mid_sentence(" ".join(one.text.split()))


def mid_sentence(text: str) -> str:
    """Return the words of an amount or a date as they are written within a sentence: "at least 20", "May 2019"."""
    first, known = text.split()[0], lexicon()
    named = first.lower() in known.months or first.lower() in known.weekdays
    return text if named or not first.istitle() else text[0].lower() + text[1:]


def comparable(one: Amount, other: Amount) -> bool:
    """Say whether two amounts are of one kind, of one thing and of one time."""
    if one.kind != other.kind or one.rate != other.rate:
        return False
    if not of_one_thing(one, other):
        return False
    if one.kind == "length" and one.head and other.head and one.head != other.head:
        return False
    if one.kind != "date" and one.when and other.when and not _of_one_time(one.when, other.when):
        return False
    return of_one_subject(one, other)


def _of_one_time(one: Period, other: Period) -> bool:
    return one.overlaps(other) and not _other_ends(one, other)


def _other_ends(one: Period, other: Period) -> bool:
    """Say whether both are spans of years, or both are open at one side, with different ends."""
    years = min(one.last - one.first, other.last - other.first) >= 372
    return years and one.cycle == other.cycle and (one.first, one.last) != (other.first, other.last)


def of_one_thing(one: Amount, other: Amount) -> bool:
    """Say whether both, if they count things, count one: named alike, or named by one and in the other's clause."""
    if one.kind not in ("count", "ordinal"):
        return True
    if one.head and other.head:
        return bool(one.head & other.head)
    named = one.head | other.head
    if not named and one.direction and other.direction:
        return True
    return bool((named or one.near) & one.near & other.near)


def of_one_subject(one: Amount, other: Amount) -> bool:
    """Say whether either clause has a name of the other's sentence, or one of them has no names."""
    if not other.cell <= one.around:
        return False
    if not one.names or not other.names:
        return True
    return bool(one.names & other.around or other.names & one.around)


def _closeness(one: Amount, other: Amount) -> float:
    """Return how much of the claim's clause the other's clause and sentence have, in [0, 1.3]."""
    mine = one.near or one.around
    same = len(mine & other.near) + 0.5 * len((mine - other.near) & other.around)
    named = one.head & (other.head or other.near) or other.head & (one.head or one.near)
    alike = bool(named) or bool(one.direction and other.direction)
    return (same / len(mine) if mine else LEAST + SLACK) + _HEAD * alike


def agree(one: Amount, other: Amount) -> bool:
    """Say whether two amounts are of one kind and agree, as 12.4 and 12 million do. Their things may differ."""
    if one.kind != other.kind:
        return False
    found = {relation(one, other)} if one.bound or other.bound else {relation(one, other), relation(other, one)}
    return AmountOutcome.AGREES in found


def counters(one: Amount, other: Amount) -> bool:
    """Say whether two amounts are of one kind and form, but have other numbers or other ends of a time."""
    if one.kind != other.kind or agree(one, other):
        return False
    if one.kind == "count" and (one.direction in _CHANGES) != (other.direction in _CHANGES):
        return False
    if one.when and other.when and one.kind in DATES:
        alike = math.isinf(one.when.last - one.when.first) == math.isinf(other.when.last - other.when.first)
        differ = relation(one, other) is AmountOutcome.DIFFERS or _other_ends(one.when, other.when)
        return alike and differ  # "after May" may agree with "ends on 31 May"
    return relation(one, other) is AmountOutcome.DIFFERS or one.bound == other.bound


def is_yearless(one: Amount) -> bool:
    """Say whether an amount is a day of the week, or a date without its year."""
    return one.kind in DATES and one.when is not None and bool(one.when.cycle)


def relation(one: Amount, other: Amount) -> AmountOutcome:
    """Return whether the passage's amount, taken as true, makes the claim's true or false, or leaves it open.

    A date that agrees does so at any distance."""
    if one.kind in DATES:
        return _dates(one.when, other.when) if one.when and other.when else AmountOutcome.SILENT
    if {one.direction, other.direction} in ({"rise", "fall"}, {"profit", "loss"}):
        return AmountOutcome.DIFFERS
    (low, high), told = _allowed(one, _ABOUT), _stated(one, other, exact=True)
    if low <= told[0] and told[1] <= high:
        return AmountOutcome.SILENT if _other_bound(one, other) else AmountOutcome.AGREES
    (low, high), told = _allowed(one, _FAR), _stated(one, other, exact=False)
    return AmountOutcome.DIFFERS if told[1] < low or told[0] > high else AmountOutcome.SILENT


def _other_bound(one: Amount, other: Amount) -> bool:
    """Say whether both have one bound at numbers far apart: "over 100" implies "over 20", but nobody says it so."""
    return one.bound in _ENDLESS and one.bound == other.bound and abs(one.value - other.value) > _LOOSE * other.value


_ENDLESS = ("over", "under", "at least", "at most")


def _dates(claimed: Period, told: Period) -> AmountOutcome:
    if told.within(claimed):
        return AmountOutcome.SILENT if _other_ends(claimed, told) else AmountOutcome.AGREES
    return AmountOutcome.SILENT if told.overlaps(claimed) else AmountOutcome.DIFFERS


def _allowed(one: Amount, about: float) -> Interval:
    """Return the numbers for which the claim is true; about: the relative distance that "about" allows."""
    value, least = one.value, _LEAST_GAP * abs(one.value)
    if one.bound in ("about", "nearly"):
        return value - about * (1 + (one.bound == "nearly")) * abs(value), value + about * abs(value)
    if one.bound:
        return _bounded(one, least)
    rounded = 0.005 * value if abs(value) >= 1000 and value % 100 == 0 else 0.0
    slack = max(one.rounding, rounded, least)
    return value - slack, value + slack


def _stated(claimed: Amount, one: Amount, *, exact: bool) -> Interval:
    """Return the numbers that a passage's amount may mean; exact: as written, else as loosely as people write."""
    value, least = one.value, _LEAST_GAP * abs(one.value)
    claims_a_bound = claimed.bound not in ("", "about", "nearly")
    if one.bound in ("", "about", "nearly"):
        if exact or claims_a_bound:
            return value, value
        slack = _FAR * abs(value) if one.bound else one.rounding
        return value - slack, value + slack
    low, high = _bounded(one, 2 * least)
    return (low, high) if exact or claims_a_bound else (low - 4 * least, high + 4 * least)


def _bounded(one: Amount, least: float) -> Interval:
    """Return the numbers within an amount's bound; "over" and "under" leave out the number itself."""
    if one.bound == "between":
        return one.value - least, one.upper + least
    if one.bound in ("over", "at least"):
        return one.value + (least if one.bound == "over" else -least), math.inf
    return -math.inf, one.value + (-least if one.bound == "under" else least)


def _of_parts(one: Amount, parts: Sequence[Part]) -> Iterator[AmountComparison]:
    """Yield the agreement with a part, a rest or a share that two amounts of the passage make.

    A rest answers a claim with "not". The claim's words must have most of the part's, and the whole's if there are any.
    """
    for whole, part in parts:
        derived = _derived(one, whole, part)
        if derived is not None and relation(one, derived) is AmountOutcome.AGREES:
            said = f"says {phrase(whole)} and {phrase(part)}, which makes {derived.text}"
            yield AmountComparison(
                AmountOutcome.AGREES,
                one.kind,
                f"{said}; the claim says {phrase(one)}",
                one.span,
                (whole.span, part.span),
            )


def _derived(one: Amount, whole: Amount, part: Amount) -> Amount | None:
    """Return the amount that a whole and its part make; None if the claim speaks of another one."""
    told = part.near - whole.near - _words_of_measure()
    if len(one.near & told) <= len(told) / 2 or not (of_one_subject(one, whole) and of_one_subject(one, part)):
        return None
    if one.when and whole.when and not _of_one_time(one.when, whole.when):
        return None
    if part.bound not in _PLAIN or whole.bound not in _PLAIN or one.direction:
        return None
    rest = one.denied != part.denied
    share = part.value / 100 if part.kind == "share" else part.value / whole.value
    share = 1 - share if rest else share
    if one.kind == "share" and part.kind != "share" and (one.near - part.near) & whole.around:
        return replace(whole, kind="share", value=100 * share, rounding=0.5, text=f"{100 * share:.3g} per cent")
    if one.kind != whole.kind or (part.kind != "share" and not rest) or not (one.head or one.kind != "count"):
        return None
    if (one.head and whole.head and not one.head & whole.head) or (whole.rate and one.rate not in ("", whole.rate)):
        return None
    value = whole.value * share
    return replace(whole, value=value, rate=one.rate, text=f"{value:,.6g}")


def _between_times(one: Amount, clock: Sequence[ClockTime]) -> Iterator[AmountComparison]:
    """Yield the agreement of "an hour before it rang" with the only two times of day that have the claim's words."""
    if one.order not in ("before", "after"):
        return
    rest, found = one.around - one.event, []
    for event, other in itertools.permutations(clock[:_MOST_TIMES], 2):
        gap = (event.minutes - other.minutes) * (1 if one.order == "before" else -1) % (24 * 60)
        if gap < 12 * 60 and one.event & (event.near - other.near) and rest & (other.near - event.near):
            found.append((gap, event, other))
    if len(found) == 1:
        gap, event, other = found[0]
        told = replace(one, value=60.0 * gap, bound="", upper=math.nan, rounding=60.0)
        if gap and relation(one, told) is AmountOutcome.AGREES:
            said = f"says two times that are {gap} minutes apart; the claim says {phrase(one)}"
            yield AmountComparison(AmountOutcome.AGREES, one.kind, said, one.span, (event.span, other.span))


def _computed(one: Amount, told: Sequence[Amount]) -> Iterator[AmountComparison]:
    """Yield the change that two numbers of the passage make, beside the claim's "rose by 25 per cent" or "doubled".

    A claim without a time may agree with the two years of a table's row. It does not differ from them.
    """
    if not (one.kind == "factor" or (one.kind == "share" and one.direction in ("rise", "fall"))):
        return
    numbers = [p for p in told if p.kind not in _NO_LEVELS and not p.direction and p.around & one.near][:_MOST_PAIRED]
    numbers = [p for p in numbers if p.value > 0 and of_one_subject(one, p) and (not one.head or p.kind == "count")]
    for first, last in itertools.permutations(numbers, 2):
        if first.kind == last.kind and _of_one_row(first, last):
            outcome = relation(one, _change(one, first, last))
            agrees = outcome is AmountOutcome.AGREES
            timed = _from_to(one.when, one.near, first, last) and (agrees or not _is_one_year(one.when))
            timeless = agrees and one.when is None and _are_the_years_of_a_row(first, last, numbers)
            if outcome is not AmountOutcome.SILENT and (timed or timeless):
                yield AmountComparison(
                    outcome, one.kind, _arithmetic(one, first, last), one.span, (first.span, last.span)
                )


def _are_the_years_of_a_row(first: Amount, last: Amount, told: Sequence[Amount]) -> bool:
    """Say whether two cells are a row's first and last year, and its only ones."""
    times = {p.when.first for p in told if p.when and p.cell == first.cell and p.near == first.near}
    return bool(first.cell and first.when and last.when and len(times) == 2 and first.when.first < last.when.first)


def _of_one_row(first: Amount, last: Amount) -> bool:
    """Say whether two amounts are prose, or cells that differ in their year alone."""
    return first.cell == last.cell and (not first.cell or first.near == last.near)


_NO_LEVELS = ("date", "weekday", "ordinal", "score", "factor", "age")


def _is_level_of(near: frozenset[str], level: Amount) -> bool:
    """Say whether an amount's clause has a word of the claim, or no words at all: "after 375 million in 2021"."""
    return not level.near or bool(near & level.near)


def _from_to(asked: Period | None, asked_near: frozenset[str], first: Amount, last: Amount) -> bool:
    """Say whether two amounts are the first and the last of the time that the claim names, or "from … to …"."""
    if asked and first.when and last.when and math.isfinite(asked.last - asked.first):
        if _is_one_year(asked) and not (_is_level_of(asked_near, first) and _is_level_of(asked_near, last)):
            return False
        ends = (asked.first // 372 - _is_one_year(asked), asked.last // 372)
        return ends[0] < ends[1] and (first.when.first // 372, last.when.first // 372) == ends
    return first.lead == "from" and last.lead == "to" and 0 < last.span[0] - first.span[1] < 60


def _is_one_year(asked: Period | None) -> bool:
    """Say whether a time is a year, such as that of "grew in 2022", which is a growth from the year before."""
    return asked is not None and not asked.cycle and asked.last - asked.first == 371


def _change(one: Amount, first: Amount, last: Amount) -> Amount:
    """Return the change between two amounts as an amount of the claim's kind."""
    ratio = last.value / first.value
    if one.kind == "factor":
        return replace(one, value=ratio, bound="", direction="")
    value = 100 * abs(ratio - 1)
    return replace(one, value=value, bound="", rounding=0.5, direction="rise" if ratio >= 1 else "fall")


def _arithmetic(one: Amount, first: Amount, last: Amount) -> str:
    change = _change(one, first, last)
    result = (
        f"{change.value:.3g} times" if one.kind == "factor" else f"a {change.direction} of {change.value:.3g} per cent"
    )
    return f"says {first.text} and {last.text}, which is {result}; the claim says {phrase(one)}"
