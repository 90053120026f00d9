"""How far the raters of a campaign agree: α of each question and κ of the pairs; also with the excluded ratings."""

from __future__ import annotations

from statistics import median

from core.campaigns.planning.rating_form import Form
from core.campaigns.reliability import QuestionAgreement, inter_rater_agreement
from core.campaigns.results import campaign_ratings
from core.campaigns.types import Campaign
from core.statistics.agreement import MIN_SHARED, Kappa
from core.storage.store import Store
from core.tabular.table import Cell, Column, Table, number

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
