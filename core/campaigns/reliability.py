"""Whether raters can be relied on: signs of carelessness with their numbers, and how far raters agree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from core.agreement.own_questions import Measure, OwnQuestion, span_overlap
from core.agreement.ratings import MajorError, RatingImport, Response
from core.campaigns.adjudication import by_item
from core.campaigns.planning.plans import CampaignItem
from core.campaigns.planning.rating_form import ERROR, VERDICT, Form
from core.campaigns.progress import SECONDS_A_MINUTE, RaterProgress
from core.campaigns.results import campaign_ratings
from core.campaigns.types import Campaign
from core.statistics.agreement import MIN_SHARED, Alpha, Kappa, Level, krippendorff_alpha, pairwise_kappa
from core.storage.store import Store
from core.tabular.table import Cell, Column, Table, number
from core.types import Label

MIN_CONTROLS, MIN_RIGHT = 2, 0.6
"""A rater with at least MIN_CONTROLS answered controls is flagged if fewer than MIN_RIGHT of them are right."""
MIN_ITEMS, UNIFORM_SHARE, LONG_RUN = 8, 0.9, 8
"""From MIN_ITEMS items, a rater is flagged if UNIFORM_SHARE of them, or LONG_RUN in a row, have equal ratings."""
MIN_TIMED, FAST_SHARE = 3, 1 / 3
"""A rater of at least MIN_TIMED timed items is flagged for a median below FAST_SHARE of all raters'."""
FASTEST_READER = 12.0
"""Words a second. People read four and skim ten; who needs less time has not read, also where all raters hurry."""


@dataclass(frozen=True)
class QuestionAgreement:
    """How far raters agree on one question; κ, quadratic-weighted, needs answers with an order.

    Spans have no α. Their `overlap` is the mean share of marked characters that two raters of an item both marked.
    """

    question: str
    alpha: Alpha
    kappas: tuple[Kappa, ...]
    overlap: float | None = None


def signs_of_carelessness(rater: RaterProgress, typical_minutes: float | None, words: float = 0.0) -> tuple[str, ...]:
    """Return the striking facts about a rater, with numbers.

    `typical_minutes` is the campaign's median a rating, `words` the median length of an item.
    """
    found = []
    controls, straight = rater.controls, rater.straight
    if controls and controls.answered >= MIN_CONTROLS and controls.correct < MIN_RIGHT * controls.answered:
        found.append(f"{controls.correct} of {controls.answered} controls right")
    if straight and straight.n >= MIN_ITEMS and straight.uniform >= UNIFORM_SHARE * straight.n:
        found.append(f"one and the same rating on every scale for {straight.uniform} of {straight.n} items")
    elif straight and straight.n >= MIN_ITEMS and straight.longest_run >= LONG_RUN:
        found.append(f"the same ratings for {straight.longest_run} items in a row")
    if rater.minutes is not None and rater.timed >= MIN_TIMED:
        own, usual = rater.minutes * SECONDS_A_MINUTE, (typical_minutes or 0.0) * SECONDS_A_MINUTE
        if own < FAST_SHARE * usual:
            found.append(f"{own:.0f} seconds per item (median), where all raters take {usual:.0f}")
        elif own * FASTEST_READER < words:
            found.append(f"{own:.0f} seconds per item (median), too few to read its {words:.0f} words")
    return tuple(found)


def inter_rater_agreement(items: Iterable[CampaignItem], ratings: RatingImport) -> tuple[QuestionAgreement, ...]:
    """Return Krippendorff's α of each question, and κ of the pairs of raters that share at least MIN_SHARED items.

    Controls are left out: their answers are known, and would count as agreement. Errors and verdicts are nominal,
    scales ordinal. A form of one's own says the level of each question. Needs no scores.
    """
    rated = {(*item.key, item.claim): place for place, item in enumerate(i for i in items if not i.control)}
    raters = sorted({response.rater for response in ratings.responses})

    def agreement(question: str, level: Level, value: Value) -> QuestionAgreement:
        matrix = np.full((len(raters), len(rated)), np.nan)
        for response in ratings.responses:
            place = rated.get((response.item, response.system, response.claim))
            if place is not None and (given := value(response)) is not None:
                matrix[raters.index(response.rater), place] = given
        alpha = krippendorff_alpha(matrix, level=level)
        return QuestionAgreement(question, alpha, _kappas(matrix, raters) if level != "nominal" else ())

    if ratings.own:
        marked = by_item(one for one in ratings.responses if (one.item, one.system, one.claim) in rated)
        own = (
            agreement(one.name, one.level, _own_number(one)) if one.level else _overlapping(one, marked.values())
            for one in ratings.own
            if one.measure is not Measure.TEXT
        )
        return tuple(own)
    return (
        agreement(ERROR, "nominal", lambda one: list(MajorError).index(one.error)),
        agreement(VERDICT, "nominal", lambda one: list(Label).index(one.verdict) if one.verdict else None),
        *(agreement(scale, "ordinal", _rating(scale)) for scale in ratings.scales),
    )


Value = Callable[[Response], float | None]


def _own_number(question: OwnQuestion) -> Value:
    return lambda response: response.number(question)


def _overlapping(question: OwnQuestion, items: Iterable[Sequence[Response]]) -> QuestionAgreement:
    given = [[one.own.get(question.name, "") for one in item if one.own is not None] for item in items]
    shares = [share for spans in given if (share := span_overlap(spans)) is not None]
    alpha = Alpha(None, "nominal", 0, len(shares), reason="spans have no α, and their overlap is in its place")
    return QuestionAgreement(question.name, alpha, (), sum(shares) / len(shares) if shares else None)


def _rating(scale: str) -> Value:
    return lambda response: response.ratings.get(scale)


def _kappas(matrix: NDArray[np.float64], raters: list[str]) -> tuple[Kappa, ...]:
    return tuple(one for one in pairwise_kappa(matrix, raters) if one.n >= MIN_SHARED)


MAX_PAIRS = 10
"""Of more pairs of raters not every κ is written out; the page Agreement has them all."""


def raters_agreement(store: Store, owner: str, campaign: Campaign) -> Table:
    """Return α of each question and κ of the pairs; a second α includes the excluded ratings, if any."""
    counted = campaign_ratings(store, campaign.id, owner)
    everything = campaign_ratings(store, campaign.id, owner, excluded_too=True)
    without = inter_rater_agreement(campaign.plan.items, counted)
    excluded = len(everything.responses) > len(counted.responses)
    both = inter_rater_agreement(campaign.plan.items, everything) if excluded else ()
    return agreement_table(without, both, campaign.plan.form)


def agreement_table(without: tuple[QuestionAgreement, ...], both: tuple[QuestionAgreement, ...], form: Form) -> Table:
    """Return one row per question; `both` is empty if nothing is excluded."""
    columns = [Column("Question"), Column("α", 3), Column("95 % interval"), Column("Items", 0), Column("κ by pair")]
    columns += [Column("α with excluded", 3)] if both else []
    rows = [agreement_row(one, form.titles) for one in without]
    if both:
        rows = [(*row, one.alpha.value) for row, one in zip(rows, both, strict=True)]
    levels = "nominal for errors and verdicts, ordinal for scales"
    if form.own:
        own = [one.exported() for one in form.own]
        levels = ", ".join(f"{one.level} for {form.titles[one.name]}" for one in own if one.level) or "none here"
    note = (
        f"Krippendorff's α: 1 is full agreement, 0 is chance; {levels}. "
        f"Items: rated at least twice. κ: quadratic-weighted, of the pairs of raters that share {MIN_SHARED} "
        "items or more. Controls and practice items do not count."
    )
    reasons = {one.alpha.reason for one in without if one.alpha.value is None and one.alpha.reason}
    return Table(
        "inter-rater",
        "Agreement of the raters",
        tuple(columns),
        tuple(rows),
        " ".join((note, *(f"Undefined: {reason}." for reason in sorted(reasons)))),
    )


def agreement_row(one: QuestionAgreement, titles: dict[str, str]) -> tuple[Cell, ...]:
    interval = one.alpha.interval
    return (
        titles.get(one.question, one.question),
        one.alpha.value,
        f"{number(interval.low, 3)} to {number(interval.high, 3)}" if interval else "",
        one.alpha.items,
        kappas_in_words([kappa for kappa in one.kappas if kappa.value is not None])
        if one.overlap is None
        else f"{number(one.overlap, 2)} of marked characters marked by both (mean of pairs of raters)",
    )


def kappas_in_words(kappas: list[Kappa]) -> str:
    """Return each pair's κ, or where there are many their median and the lowest and highest pair."""
    if len(kappas) <= MAX_PAIRS:
        return "; ".join(map(kappa_in_words, kappas))
    ordered = sorted(kappas, key=lambda kappa: kappa.value or 0.0)
    middle = median(kappa.value or 0.0 for kappa in kappas)
    lowest, highest = kappa_in_words(ordered[0]), kappa_in_words(ordered[-1])
    return f"median {number(middle, 2)} of {len(kappas):,} pairs; lowest {lowest}, highest {highest}"


def kappa_in_words(kappa: Kappa) -> str:
    return f"{kappa.first}–{kappa.second} {number(kappa.value or 0.0, 2)} (n = {kappa.n})"
