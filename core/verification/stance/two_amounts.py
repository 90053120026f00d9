"""How two amounts relate by arithmetic: whether one makes the other true or false, or leaves it open."""

from __future__ import annotations

import math
from enum import StrEnum

from core.verification.stance.amounts import Amount
from core.verification.stance.numerals import noun
from core.verification.stance.text_dates import Period
from core.verification.stance.words import lexicon

_ABOUT, _FAR = 0.05, 0.15
"""Relative distances: up to the first "about 100" agrees, from the second on it differs, between them it is silent."""

_LOOSE = 0.1
"""Relative distance from which on two numbers with the same bound neither agree nor differ."""

_LEAST_GAP = 1e-6
"""Relative distance below which two numbers are equal, after conversion from other units."""

DATES = ("date", "weekday")
"""The kinds of amounts that are times."""

CHANGES = ("rise", "fall")

_LEVELS = ("count", "length", "mass", "area", "volume")
"""The kinds of amounts that a rise or a fall does not counter: "about four metres more" is no height."""

_SUMS = frozenset(noun(word) for word in ("profit", "revenue", "debt", "dividend", "tax", "price", "cost"))
"""Stems of sums of money that differ from each other."""

_COSTS = frozenset(map(noun, ("price", "cost")))

_ENDLESS = ("over", "under", "at least", "at most")

Interval = tuple[float, float]


class AmountOutcome(StrEnum):
    """Say how an amount of a claim relates to a passage."""

    AGREES = "agrees"
    DIFFERS = "differs"
    SILENT = "silent"


def comparable(one: Amount, other: Amount) -> bool:
    """Say whether two amounts are of one kind, of one thing and of one time."""
    if one.kind != other.kind or one.rate != other.rate or not of_one_thing(one, other):
        return False
    if one.kind == "length" and one.head and other.head and one.head != other.head:
        return False
    if one.kind != "date" and one.when and other.when and not of_one_time(one.when, other.when):
        return False
    return of_one_subject(one, other)


def of_one_time(one: Period, other: Period) -> bool:
    return one.overlaps(other) and not other_ends(one, other)


def other_ends(one: Period, other: Period) -> bool:
    """Say whether both are spans of years, or both are open at one side, with different ends."""
    years = min(one.last - one.first, other.last - other.first) >= 372
    return years and one.cycle == other.cycle and (one.first, one.last) != (other.first, other.last)


def of_one_thing(one: Amount, other: Amount) -> bool:
    """Say whether two counts, ranks or shares are of one thing: by its name, or in the other's clause."""
    if one.kind not in ("count", "ordinal", "share"):
        return True
    if one.head and other.head:
        return bool(one.head & other.head)
    named = one.head | other.head
    if not named and (one.kind == "share" or (one.direction and other.direction)):
        return True
    return bool((named or one.near) & one.near & other.near)


def of_one_matter(one: Amount, other: Amount) -> bool:
    """Say whether the clauses of two amounts share a word; where an amount has no clause, its sentence."""
    return bool((one.near or one.around) & (other.near or other.around))


def of_one_sum(one: Amount, other: Amount) -> bool:
    """Say whether an amount may differ from another: a profit differs from a profit, a cost from "Ticket: 9 euros"."""
    sums = (one.near & _SUMS) - (_COSTS if other.lead == ":" else frozenset())
    return sums <= other.around


def of_one_subject(one: Amount, other: Amount) -> bool:
    """Say whether either clause has a name of the other's sentence, or one of them has no names."""
    if not one.names or not other.names:
        return True
    return bool(one.names & other.around or other.names & one.around)


def agree(one: Amount, other: Amount) -> bool:
    """Say whether two amounts are of one kind and agree, as 12.4 and 12 million do. Their things may differ."""
    if one.kind != other.kind:
        return False
    found = {relation(one, other)} if one.bound or other.bound else {relation(one, other), relation(other, one)}
    return AmountOutcome.AGREES in found


def counters(one: Amount, other: Amount) -> bool:
    """Say whether two amounts are of one kind and form, but have other numbers or other ends of a time."""
    if one.kind != other.kind or agree(one, other) or not of_one_sum(one, other):
        return False
    if one.kind in _LEVELS and (one.direction in CHANGES) != (other.direction in CHANGES):
        return False
    if one.kind == "share" and one.denied != other.denied:  # "69% do not drink" does not counter "31% drink"
        return False
    if one.when and other.when and one.kind in DATES:
        alike = math.isinf(one.when.last - one.when.first) == math.isinf(other.when.last - other.when.first)
        differ = relation(one, other) is AmountOutcome.DIFFERS or other_ends(one.when, other.when)
        return alike and differ  # "after May" may agree with "ends on 31 May"
    return relation(one, other) is AmountOutcome.DIFFERS or one.bound == other.bound


def is_yearless(one: Amount) -> bool:
    """Say whether an amount is a day of the week, or a date without its year."""
    return one.kind in DATES and one.when is not None and bool(one.when.cycle)


def relation(one: Amount, other: Amount) -> AmountOutcome:
    """Return whether the passage's amount, taken as true, makes the claim's true or false, or leaves it open."""
    if one.kind in DATES:
        return _dates(one.when, other.when) if one.when and other.when else AmountOutcome.SILENT
    if (one.value, one.upper, one.bound, one.direction) == (other.value, other.upper, other.bound, other.direction):
        return AmountOutcome.AGREES
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


def _dates(claimed: Period, told: Period) -> AmountOutcome:
    if told.within(claimed):
        return AmountOutcome.SILENT if other_ends(claimed, told) else AmountOutcome.AGREES
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


def phrase(one: Amount) -> str:
    """Return an amount on one line as its text has it, with its direction. A month loses its "of"."""
    ways = {"profit": "a profit of ", "loss": "a loss of ", "rise": "a rise of ", "fall": "a fall of "}
    between = "between " if one.bound == "between" and " and " in one.text else ""
    return ways.get(one.direction, "") + between + mid_sentence(" ".join(one.text.split()).removeprefix("of "))


def mid_sentence(text: str) -> str:
    """Return the words of an amount or a date as they are written within a sentence: "at least 20", "May 2019"."""
    first, known = text.split()[0], lexicon()
    named = first.lower() in known.months or first.lower() in known.weekdays
    return text if named or not first.istitle() else text[0].lower() + text[1:]
