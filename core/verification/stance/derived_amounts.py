"""Amounts that a passage does not state but makes: parts and rests of a whole, times apart, changes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from core.types import Span
from core.verification.stance.amounts import Amount, ClockTime
from core.verification.stance.numerals import measures, noun
from core.verification.stance.text_dates import Period
from core.verification.stance.two_amounts import AmountOutcome, of_one_subject, of_one_time, phrase, relation

_MOST_PAIRED = 60
"""The most amounts of a passage between which to compute changes; later ones are ignored."""

_PART_GAP = 150
"""Characters between a whole and "four of them" at most."""

_MOST_TIMES = 12
"""The most times of day in a passage between which to compute durations."""

_PLAIN = ("", "about", "nearly")

_NO_LEVELS = ("date", "weekday", "ordinal", "score", "factor", "age")

Part = tuple[Amount, Amount]


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


def parts_in(told: Sequence[Amount]) -> Iterator[Part]:
    """Yield each "four of them" of a passage with the amount before it that "them" refers to."""
    for place, part in enumerate(told):
        if part.partitive:
            for whole in reversed(told[max(0, place - 3) : place]):
                is_level = whole.kind not in (*_NO_LEVELS, "share") and not whole.partitive
                is_larger = part.kind == "share" or (part.kind == whole.kind and part.value < whole.value)
                if is_level and is_larger and part.span[0] - whole.span[1] <= _PART_GAP:
                    yield whole, part
                    break


def of_parts(one: Amount, parts: Sequence[Part]) -> Iterator[AmountComparison]:
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
    told = part.near - whole.near - words_of_measure()
    if len(one.near & told) <= len(told) / 2 or not (of_one_subject(one, whole) and of_one_subject(one, part)):
        return None
    if one.when and whole.when and not of_one_time(one.when, whole.when):
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


@cache
def words_of_measure() -> frozenset[str]:
    known = measures()
    return frozenset(noun(word) for word in (*known.directions, *known.dimensions, *known.fractions))


def between_times(one: Amount, clock: Sequence[ClockTime]) -> Iterator[AmountComparison]:
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


def changes(one: Amount, told: Sequence[Amount]) -> Iterator[AmountComparison]:
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
