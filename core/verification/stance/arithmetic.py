"""Compare the amounts and dates of a claim with those of a passage, by arithmetic.

Two amounts are compared only if they are of one kind, of one thing and of one time. Else the passage is silent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from core.types import Span
from core.verification.stance.amounts import Amount, amounts
from core.verification.stance.numerals import measures, noun
from core.verification.stance.text_dates import Period
from core.verification.stance.two_amounts import (
    CHANGES,
    AmountOutcome,
    agree,
    comparable,
    is_yearless,
    of_one_sum,
    phrase,
    relation,
)

LEAST = 0.3
"""From this closeness on two amounts are taken to speak of one thing."""

SLACK = 0.1
"""Amounts that are so little less close than the closest one are compared as well."""

ELSEWHERE = 0.4
"""An amount that agrees, so little further off than one that differs, leaves it open.

A date that agrees does so at any distance.
"""

_HEAD = 0.3
"""How much closer two amounts are if they count one thing by name, or are both changes."""

_MOST_CLAIMED = 40
"""The most amounts of a claim to compare; later ones are ignored."""


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


@cache
def words_of_measure() -> frozenset[str]:
    known = measures()
    return frozenset(noun(word) for word in (*known.directions, *known.dimensions, *known.fractions))


@dataclass(frozen=True)
class _Rival:
    """An amount of the passage that may be compared with one of the claim, and how close their contexts are."""

    closeness: float
    outcome: AmountOutcome
    amount: Amount


def compare(claim: str, passage: str) -> tuple[AmountComparison, ...]:
    """Return one comparison for each amount and date of a claim, in order.

    A date that belongs to an amount is not compared by itself.
    """
    claimed, told = amounts(claim), amounts(passage)
    times = [one.when.span for one in claimed if one.when and one.kind != "date"]
    asked = [one for one in claimed if one.kind != "date" or not _is_within(one.when, times)][:_MOST_CLAIMED]
    free = [other for other in told if not any(agree(one, other) for one in claimed if one not in asked)]
    rivals = [[_rival(one, other) for other in free if comparable(one, other)] for one in asked]
    rivals = [[r for r in found if _may_count(one, r)] for one, found in zip(asked, rivals, strict=True)]
    taken = _taken(asked, rivals)
    return tuple(
        _compared(one, [r for r in found if taken.get(r.amount.span, one.span) == one.span])
        for one, found in zip(asked, rivals, strict=True)
    )


def _is_within(one: Period | None, spans: Sequence[Span]) -> bool:
    return one is None or any(start <= one.span[0] and one.span[1] <= end for start, end in spans)


def _may_differ(one: Amount, other: Amount) -> bool:
    """Say whether two amounts are so surely about one thing that one of them can refute the other."""
    if not of_one_sum(one, other) or (one.denied != other.denied and one.kind in ("count", "share")):
        return False
    if (one.direction in CHANGES) != (other.direction in CHANGES):
        return False
    if one.kind == "count":
        return _says_the_same_of(one, other)
    if is_yearless(one):  # "shut in December" is not countered by "opened on 9 June 1974"
        return one.near <= other.around
    if one.kind in ("share", "length", "duration"):
        asked = one.near - words_of_measure()
        if one.direction in CHANGES:
            return 2 * len((asked - one.names) & other.around) >= max(len(asked - one.names), 1)
        return bool(asked) and one.head == other.head and asked <= other.around
    if one.kind in ("date", "ordinal", "score", "age", "factor") or one.kind.startswith("rating"):
        return True
    return not one.near or 2 * len(one.near & other.around) > len(one.near)


def _may_agree(one: Amount, other: Amount) -> bool:
    """Say whether an equal amount is no other share."""
    shares = one.kind == "share" and not (one.near & other.around) - words_of_measure()
    return not (shares and one.near - words_of_measure())


def _may_count(one: Amount, rival: _Rival) -> bool:
    if rival.outcome is AmountOutcome.SILENT:
        return True
    may = _may_differ if rival.outcome is AmountOutcome.DIFFERS else _may_agree
    return may(one, rival.amount)


def _says_the_same_of(one: Amount, other: Amount) -> bool:
    """Say whether both have a word beside the things counted, or neither has: "Uganda has", "people watched"."""
    if "attending" in one.head & other.head:
        return True
    heads = one.head | other.head
    asked = one.near - heads
    return bool(asked & other.around) or not (asked - one.names or other.near - heads)


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


def _compared(one: Amount, rivals: Sequence[_Rival]) -> AmountComparison:
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
    return AmountComparison(AmountOutcome.SILENT, one.kind, "", one.span)


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


def _closeness(one: Amount, other: Amount) -> float:
    """Return how much of the claim's clause the other's clause and sentence have, in [0, 1.3]."""
    mine = one.near or one.around
    same = len(mine & other.near) + 0.5 * len((mine - other.near) & other.around)
    named = one.head & (other.head or other.near) or other.head & (one.head or one.near)
    alike = bool(named) or bool(one.direction and other.direction)
    return (same / len(mine) if mine else LEAST + SLACK) + _HEAD * alike
