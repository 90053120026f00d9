"""Write the claim's amounts beside amounts of a text that make them true: shares, changes, multiples, other units.

The reader of passages cannot divide. "2019: 48,000; 2022: 60,000 (a quarter more than 48,000)" it can read. The note is
true of the two amounts. Whether the claim is about them, the reader alone says.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.verification.stance.amounts import Amount, amounts
from core.verification.stance.two_amounts import AmountOutcome, mid_sentence, of_one_subject, relation

_NO_LEVELS = frozenset(("date", "weekday", "ordinal", "score", "factor", "age", "share"))
_BOUNDS = ("over", "under", "at least", "at most")
_MOST_ASKED = 8
"""The most amounts of a claim to look for; later ones are ignored."""

_MOST = 40
"""The most amounts of a text to combine; later ones are ignored."""

_APART = 200
"""Characters between two amounts that are combined, at most."""

_NEAR = 0.1
"""Relative distance up to which "over 100 °F" is written beside 38 °C."""

_LOOSE = 0.25
"""Relative distance up to which "more than half" is written beside amounts that make it true."""

_COMPARED = re.compile(r" (?:as (?:much|many|high|large|big|long|heavy)|more|less|fewer|\w+er)\b")
_DIGIT = re.compile(r"\d")
"""A bound in figures, "over 63 %", holds of many pairs of numbers by chance. One in words seldom does."""

_INVERSE = re.compile(r" as (?:fast|quick|cheap|short|small|low|light)")
"""Who is twice as fast needs half the time."""


@dataclass(frozen=True)
class ComputedAmount:
    """An amount beside another one: the place behind it in the text, a note to put there, and a clause."""

    place: int
    note: str
    said: str


def with_computed_amounts(text: str, claim: str) -> str:
    """Return a text with the claim's amounts written beside those that make them true."""
    for one in sorted(computed_amounts(text, claim), key=lambda one: -one.place):
        text = f"{text[: one.place]} ({one.note}){text[one.place :]}"
    return text


def computed_amounts(text: str, claim: str) -> list[ComputedAmount]:
    """Return the amounts of a text that make an amount of a claim true, alone or beside another one."""
    spoken = text.lower()
    asked = [one for one in amounts(claim) if one.text.lower() not in spoken and _may_be_computed(one, claim)]
    told = amounts(text)[:_MOST] if asked else ()
    computed: dict[int, ComputedAmount] = {}
    for one in asked[:_MOST_ASKED]:
        shared, of, beside = max(_made(one, told), key=lambda made: made[0], default=(0, one, ""))
        if shared:
            note = _said(one, claim) + beside
            computed.setdefault(of.span[1], ComputedAmount(of.span[1], note, f"{of.text} is {note}"))
    return [*computed.values()]


def _may_be_computed(one: Amount, claim: str) -> bool:
    if one.kind == "factor":  # "won four times" is a count
        compared = _COMPARED.match(claim, one.span[1]) or one.text.endswith(("ed", "again"))
        return bool(compared) and not _INVERSE.match(claim, one.span[1])
    if one.kind == "share":
        return not (one.bound in _BOUNDS and _DIGIT.search(one.text))
    return one.kind not in _NO_LEVELS


def _made(one: Amount, told: Sequence[Amount]) -> Iterator[tuple[int, Amount, str]]:
    """Yield amounts that make the claim's true, and in words the other one beside which they do.

    First comes how many of the claim's words are around both.
    """
    for other in told:
        if _is_said_otherwise(one, other) and relation(one, other) is AmountOutcome.AGREES:
            yield len(one.near & other.around), other, ""
    if one.kind not in ("share", "factor"):
        return
    levels = [other for other in told if other.kind not in _NO_LEVELS and other.value > 0 and not other.direction]
    for pair in itertools.combinations(levels, 2):
        less, more = sorted(pair, key=lambda level: level.value)
        about = of_one_subject(one, less) and of_one_subject(one, more)
        if about and less.value < more.value and _are_alike(less, more) and _makes(one, less, more):
            of_larger = one.direction == "rise" or (one.kind == "factor" and one.value > 1)
            of, beside = (more, less) if of_larger else (less, more)
            words = f" than {beside.text}" if one.direction and one.bound not in _BOUNDS else ""
            yield len(one.near & (less.around | more.around)), of, words


def _is_said_otherwise(one: Amount, other: Amount) -> bool:
    """Say whether an amount has another unit than the claim's, is "12 of 48", or answers to "about 50"."""
    if one.kind != other.kind or one.rate != other.rate or not of_one_subject(one, other):
        return False
    if one.bound in _BOUNDS:
        return one.unit != other.unit and abs(one.value - other.value) <= _NEAR * abs(one.value)
    alike = one.head & other.head if one.kind == "count" else one.direction == other.direction
    return bool(other.parts or one.unit != other.unit or (one.bound in ("about", "nearly") and alike))


def _are_alike(one: Amount, other: Amount) -> bool:
    """Say whether two amounts are of one kind and of one thing, near each other."""
    heads = not one.head or not other.head or one.head & other.head
    gap = max(one.span[0], other.span[0]) - min(one.span[1], other.span[1])
    return one.kind == other.kind and one.rate == other.rate and bool(heads) and gap <= _APART


def _makes(one: Amount, less: Amount, more: Amount) -> bool:
    """Say whether the smaller of two amounts is to the larger as the claim says."""
    if one.kind == "factor":
        value = more.value / less.value if one.value > 1 else less.value / more.value
    elif one.direction == "rise":
        value = 100 * (more.value / less.value - 1)
    else:
        share = 100 * less.value / more.value
        value = 100 - share if one.direction == "fall" else share
    if one.bound in _BOUNDS and abs(value - one.value) > _LOOSE * one.value:
        return False
    made = replace(less, kind=one.kind, value=value, bound="", direction=one.direction, rounding=0.5)
    return relation(one, made) is AmountOutcome.AGREES


def _said(one: Amount, claim: str) -> str:
    """Return how the claim says an amount: "a quarter more", "twice as many"."""
    start, end = one.span
    following = _COMPARED.match(claim, end) if one.kind in ("share", "factor") else None
    words = claim[start : following.end() if following else end]
    words += "" if following or one.kind != "share" else {"rise": " more", "fall": " less"}.get(one.direction, "")
    return mid_sentence(words)
