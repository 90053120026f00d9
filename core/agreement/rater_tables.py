"""An analysis as tables to show and to download: the raters, and the items where score and people disagree."""

from __future__ import annotations

from core.agreement.agreement_tables import MetricDisagreement
from core.agreement.analysis import Analysis, RaterAgreement
from core.agreement.paper_tables import CORRELATION_DIGITS, SHORT_LABELS, scale_title
from core.agreement.study import VERDICT_AGREEMENT, RatedResponse
from core.statistics.agreement import MIN_SHARED
from core.tabular.table import Cell, Column, Table

MOST_ITEMS = 10
"""Items in each of Tables 10 and 11."""


def rater_tables(raters: RaterAgreement) -> tuple[Table, ...]:
    """Return α, the raters' profiles, κ of verdicts by pair, and κ of the scale by pair.

    A form of one's own may have no scale, and has no verdicts: tables about them are left out.
    """
    profiles, kappas = ((_raters(raters),), (_kappas(raters),)) if raters.scale else ((), ())
    return (_alphas(raters), *profiles, *([_verdict_kappas(raters)] if "verdict" in raters.alphas else []), *kappas)


def item_tables(analysis: Analysis) -> tuple[Table, ...]:
    """Return Tables 10 and 11: the items that the metric places highest, and lowest, against people."""
    items = analysis.disagreements
    high = tuple(one for one in items if one.gap > 0)[:MOST_ITEMS]
    low = tuple(one for one in reversed(items) if one.gap < 0)[:MOST_ITEMS]
    return (
        _items("table10", f"Highly scored by {analysis.metric}, rated low by people", high, analysis),
        _items("table11", f"Scored low by {analysis.metric}, rated highly by people", low, analysis),
    )


def _alphas(raters: RaterAgreement) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for scale, alpha in (*raters.alphas.items(), *raters.interval_alphas.items()):
        low, high = (alpha.interval.low, alpha.interval.high) if alpha.interval else (None, None)
        title = "Verdict" if scale == "verdict" else scale_title(scale)
        rows.append((title, alpha.level, alpha.value, low, high, alpha.items, alpha.raters, alpha.reason))
    columns = (
        Column("Question"),
        Column("Level"),
        *(Column(title, CORRELATION_DIGITS) for title in ("α", "Low", "High")),
        Column("Shared items", 0),
        Column("Raters", 0),
        Column("Remark"),
    )
    note = "Krippendorff's α: 1 is full agreement, 0 is chance. Only items rated at least twice count; "
    note += "95 % intervals leave those items out in turn, and held the real α in 93–98 % of simulated studies. "
    note += "Interval: the steps of a scale count as equal."
    return Table("alpha", "Agreement between raters", columns, tuple(rows), note)


def _raters(raters: RaterAgreement) -> Table:
    straight = {one.rater: one for one in raters.straightness}
    controls = {one.rater: one for one in raters.controls}
    rows: list[tuple[Cell, ...]] = []
    for profile in raters.profiles:
        line, control = straight.get(profile.rater), controls.get(profile.rater)
        known = control is not None and control.answered > 0
        rows.append(
            (
                profile.rater,
                profile.n,
                profile.mean,
                profile.sd,
                profile.severity,
                profile.shared,
                100 * line.uniform / line.n if line and line.n else None,
                line.longest_run if line else None,
                f"{control.correct} of {control.answered}" if control and known else None,
            )
        )
    scale = scale_title(raters.scale).lower()
    columns = (
        Column("Rater"),
        Column("Items", 0),
        Column("Mean", 2),
        Column("s.d.", 2),
        Column("Severity", 2),
        Column("Shared items", 0),
        Column("Uniform", 0, "%"),
        Column("Longest run", 0),
        Column("Controls right"),
    )
    note = (
        f"Mean and severity on {scale}; severity is how far below the others on shared items. Uniform: items with one "
        "value on all scales. Longest run: consecutive items answered alike. "
    )
    note += "" if raters.controls_known else "Controls: no key with gold verdicts was given."
    return Table("raters", "Raters", columns, tuple(rows), note)


def _kappas(raters: RaterAgreement) -> Table:
    shared = [one for one in raters.kappas if one.n >= MIN_SHARED]
    rows = tuple((one.first, one.second, one.value, one.unweighted, one.n, one.reason) for one in shared)
    columns = (
        Column("Rater A"),
        Column("Rater B"),
        Column("κ", CORRELATION_DIGITS, help="Quadratic weights: near misses count less."),
        Column("κ unweighted", CORRELATION_DIGITS),
        Column("n", 0),
        Column("Remark"),
    )
    title = f"Quadratic-weighted κ by pair, {scale_title(raters.scale).lower()}"
    others = len(raters.kappas) - len(shared)
    note = f"Pairs who share fewer than {MIN_SHARED} items are not listed: there are {others}." if others else ""
    return Table("kappa", title, columns, rows, note)


def _verdict_kappas(raters: RaterAgreement) -> Table:
    shared = [one for one in raters.verdict_kappas if one.n >= MIN_SHARED]
    rows = tuple((one.first, one.second, one.unweighted, one.n, one.reason) for one in shared)
    columns = (
        Column("Rater A"),
        Column("Rater B"),
        Column("κ unweighted", CORRELATION_DIGITS),
        Column("n", 0),
        Column("Remark"),
    )
    note = f"Cohen's κ without weights. Pairs who share fewer than {MIN_SHARED} verdicts are not listed."
    return Table("kappa-verdict", "κ of verdicts by pair", columns, rows, note)


def _items(name: str, title: str, found: tuple[MetricDisagreement, ...], analysis: Analysis) -> Table:
    scales = tuple(scale for scale in analysis.study.scales if scale != VERDICT_AGREEMENT)
    rows = []
    for one in found:
        verdict = one.judged.response.verdict
        ratings = tuple(one.judged.ratings.get(scale) for scale in scales)
        words = (_claim(one.judged), SHORT_LABELS[verdict] if verdict else None)
        rows.append((one.judged.item.item, one.judged.system, *words, *ratings, one.score, one.gap))
    columns = (
        *(Column(title, prose=title == "Claim") for title in ("Id", "System", "Claim", "People")),
        *(Column(scale_title(scale), 0) for scale in scales),
        Column(analysis.metric, 4),
        Column("Gap", 2),
    )
    note = f"Gap: percentile rank of the score minus that of {scale_title(analysis.scale).lower()}, from −1 to 1. "
    note += "An item with several raters shows the first one's answers; its place comes from their mean."
    return Table(name, title, columns, tuple(rows), note, number=f"Table {name.removeprefix('table')}")


def _claim(judged: RatedResponse) -> str:
    return judged.item.claim or judged.response.claim
