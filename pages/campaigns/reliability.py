"""How far raters agree with each other, live, without any score; with and without what is excluded."""

from __future__ import annotations

from core.campaigns.planning.form import ERROR, VERDICT
from core.campaigns.reliability import MIN_SHARED, QuestionAgreement, inter_rater_agreement
from core.campaigns.results import campaign_ratings
from core.campaigns.types import Campaign
from core.storage.store import Store
from core.tabular.table import Cell, Column, Table
from pages.ui.tables import show_table

TITLES = {ERROR: "Major errors", VERDICT: "Verdict"}


def show_agreement(store: Store, who: str, campaign: Campaign) -> None:
    """Show α of each question and κ of the pairs; a second α with what is excluded, where anything is."""
    counted = campaign_ratings(store, campaign.id, who)
    everything = campaign_ratings(store, campaign.id, who, excluded_too=True)
    without = inter_rater_agreement(campaign.plan.items, counted)
    excluded = len(everything.responses) > len(counted.responses)
    both = inter_rater_agreement(campaign.plan.items, everything) if excluded else ()
    titles = TITLES | {scale.name: scale.title for scale in campaign.plan.form.scales}
    show_table(agreement_table(without, both, titles))


def agreement_table(
    without: tuple[QuestionAgreement, ...], both: tuple[QuestionAgreement, ...], titles: dict[str, str]
) -> Table:
    """Return a row a question; `both` is empty where nothing is excluded."""
    columns = [Column("Question"), Column("α", 3), Column("95 % interval"), Column("Items", 0), Column("κ by pair")]
    columns += [Column("α with excluded", 3)] if both else []
    rows = [agreement_row(one, titles) for one in without]
    if both:
        rows = [(*row, one.alpha.value) for row, one in zip(rows, both, strict=True)]
    note = (
        "Krippendorff's α: 1 is full agreement, 0 what chance gives; nominal for errors and verdicts, ordinal for "
        f"scales. Items: rated at least twice. κ: quadratic-weighted, of the pairs of raters that share {MIN_SHARED} "
        "items or more. Controls and practice items are in none of it."
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
    kappas = "; ".join(f"{k.first}–{k.second} {k.value:.2f} (n = {k.n})" for k in one.kappas if k.value is not None)
    return (
        titles.get(one.question, one.question),
        one.alpha.value,
        f"{interval.low:.3f} to {interval.high:.3f}" if interval else "",
        one.alpha.items,
        kappas,
    )
