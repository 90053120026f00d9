"""Tables of uncertainty: intervals, tests between metrics, the effect of exclusions, and the outcome of every row."""

from __future__ import annotations

from core.agreement.agreement_tables import LEVELS, CorrelationRow, pooled_values
from core.agreement.analysis import Analysis
from core.agreement.findings import simulated_comparison, simulated_level
from core.agreement.metric_ranking import EXCHANGES
from core.agreement.paper_tables import CORRELATION_DIGITS, scale_title
from core.agreement.ratings import RatingImport
from core.agreement.recipes import CLUSTERS, AgreementRecipe
from core.agreement.scored_items import ScoredItems
from core.agreement.study import Study, build_study
from core.statistics.clusters import smallest_p
from core.statistics.correlation import SYMBOLS, Correlation
from core.statistics.permutation import smallest_exchange_p
from core.tabular.table import Cell, Column, Table
from core.wording import counted

P = Column("p (Holm)", 4, p_values=True)
P_BH = Column("p (BH)", 4, p_values=True, help="After Benjamini and Hochberg: the share of false findings is bounded.")


def _figure_columns(analysis: Analysis) -> tuple[Column, ...]:
    values = (Column(title, CORRELATION_DIGITS) for title in ("Value", "Low", "High"))
    unit = CLUSTERS[analysis.study.recipe.cluster].capitalize()
    counts = Column("n", 0), Column(unit, 0, help="Independent of each other.")
    return (*values, P, P_BH, *counts, Column("Remark"), Column("Level in simulated studies", files_only=True))


def uncertainty_tables(analysis: Analysis) -> tuple[Table, ...]:
    """Return every correlation with its interval, tests of metrics, their ranking, and the account of rows."""
    return (interval_table(analysis), _comparisons(analysis), _ranking(analysis), _account(analysis))


def interval_table(analysis: Analysis) -> Table:
    """Return every correlation with its interval: scale, metric, level and coefficient."""
    scales, level = analysis.study.scales, simulated_level(analysis.study.recipe)
    rows = [
        (scale_title(row.scale), row.metric, row.level, SYMBOLS[row.correlation.coefficient], *_figures(row, level))
        for row in sorted(analysis.correlations, key=lambda row: scales.index(row.scale))
    ]
    columns = (
        Column("Dimension"),
        Column("Metric"),
        Column("Level"),
        Column("Coefficient"),
        *_figure_columns(analysis),
    )
    return Table("intervals", "Correlations with 95 % intervals", columns, tuple(rows), _interval_note(analysis))


def chosen_intervals(analysis: Analysis) -> Table:
    """Return the correlations of the analysis' scale and coefficient with their intervals."""
    rows = [
        (row.metric, row.level, *_figures(row, simulated_level(analysis.study.recipe)))
        for row in analysis.correlations
        if (row.scale, row.correlation.coefficient) == (analysis.scale, analysis.coefficient)
    ]
    title = f"{SYMBOLS[analysis.coefficient]} with {scale_title(analysis.scale).lower()}, 95 % intervals"
    columns = (Column("Metric"), Column("Level"), *_figure_columns(analysis))
    return Table("chosen-intervals", title, columns, tuple(rows), _interval_note(analysis))


def _figures(row: CorrelationRow, level: str) -> tuple[Cell, ...]:
    one = row.correlation
    low, high = (one.interval.low, one.interval.high) if one.interval else (None, None)
    note = one.reason or ("" if one.interval else "too few for an interval")
    if not note and row.level == "within rater":
        note = f"{counted(one.groups, 'rater')}, {one.left_out} left out"
    return one.value, low, high, row.adjusted, row.adjusted_bh, one.n, one.clusters, note, level


def _interval_note(analysis: Analysis) -> str:
    recipe = analysis.study.recipe
    family = max((row.family for row in analysis.correlations), default=0)
    units = CLUSTERS[recipe.cluster]
    counts = [row.correlation.clusters for row in analysis.correlations if row.level == "pooled"]
    least = smallest_p(max(counts, default=0))
    return (
        f"95 % intervals and two-sided p. The {units} count as independent: {_method(recipe)} p after Holm's "
        f"correction over the metrics with one dimension, level and coefficient ({counted(family, 'test')} each). "
        + f"{simulated_level(recipe)} p tests independence: it can be small where an interval includes 0. "
        + (f"With so few {units} no p can be below {least:.2g}. " if least > 1e-4 else "")
        + "Within rater: the mean of each rater's own correlation, weighted by items. By system: over the systems' "
        "means."
    )


def _method(recipe: AgreementRecipe) -> str:
    if recipe.cluster == "response":
        return f"bootstrap percentiles, {recipe.resamples} resamples, seed {recipe.seed}."
    permuted = f"permuted whole, {recipe.resamples} times, seed {recipe.seed}, and the permutations are studentised."
    if recipe.cluster == "claim-system":
        return f"the scores of both are {permuted} The error is two-way."
    if recipe.cluster == "item":
        return f"their scores are {permuted}"
    return f"{CLUSTERS[recipe.cluster]} are left out in turn (jackknife)."


def _comparisons(analysis: Analysis) -> Table:
    rows = tuple(
        (
            one.better,
            one.worse,
            one.better_value,
            one.worse_value,
            one.adjusted,
            one.adjusted_bh,
            one.n,
            one.units,
            one.reason,
        )
        for one in analysis.comparisons
    )
    symbol = SYMBOLS[analysis.coefficient]
    columns = (
        Column("Metric A"),
        Column("Metric B"),
        Column(f"{symbol} of A", CORRELATION_DIGITS),
        Column(f"{symbol} of B", CORRELATION_DIGITS),
        P,
        P_BH,
        Column("n", 0),
        Column(CLUSTERS[analysis.study.recipe.cluster].capitalize(), 0, help="Exchanged whole."),
        Column("Remark"),
    )
    return Table(
        "comparisons",
        f"Does metric A agree with {scale_title(analysis.scale).lower()} as metric B does?",
        columns,
        rows,
        _comparison_note(analysis),
    )


def _comparison_note(analysis: Analysis) -> str:
    recipe, tests = analysis.study.recipe, [one for one in analysis.comparisons if one.p is not None]
    units = CLUSTERS[recipe.cluster]
    note = (
        f"Two-sided permutation test PERM-BOTH: the two scores of whole {units} are exchanged, {EXCHANGES} times, seed "
    )
    if recipe.cluster == "claim-system":
        note = (
            f"Two-sided test of the difference over its two-way error: scores are permuted over {units}, and exchanged "
            f"over claims, {EXCHANGES} times each. The larger p counts. Seed "
        )
    note += f"{recipe.seed}; Holm's correction over {counted(len(tests), 'pair')}. {simulated_comparison(recipe)}"
    few = min((one.units for one in tests), default=0)
    if few and recipe.cluster != "claim-system" and (least := smallest_exchange_p(few, EXCHANGES)) > 1 / EXCHANGES:
        note += f" {counted(few, units.removesuffix('s'))} can give no p below 2/{2**few} = {least:.2g}."
    return note


def _ranking(analysis: Analysis) -> Table:
    """Return WMT's measures of all metrics."""
    rows = tuple(
        (
            one.metric,
            one.system,
            one.system_tied,
            one.soft,
            one.segment,
            one.segment_threshold,
            one.segment_rank,
            one.segment_rank_uncorrected,
            one.pooled,
            one.correlation_rank,
            one.correlation_rank_uncorrected,
            one.systems,
            one.claims,
            one.complete,
        )
        for one in analysis.measures
    )
    symbol = SYMBOLS[analysis.coefficient]
    accuracy, tied = ("System pairs", "System pairs, ties"), "Segments, ties"
    columns = (
        Column("Metric"),
        Column(accuracy[0], CORRELATION_DIGITS, help="Share of pairs of systems that the metric orders as people do."),
        Column(accuracy[1], CORRELATION_DIGITS, help="The same, with differences up to a threshold as ties."),
        Column("Soft", CORRELATION_DIGITS, help="Soft pairwise accuracy: p values of people and metric compared."),
        Column(tied, CORRELATION_DIGITS, help="acc_eq: pairs of systems on one claim, ties calibrated."),
        Column("Threshold", 4, help="Scores of one claim that differ by at most this are a tie."),
        Column("Cluster", 0, help="By Segments, ties: Holm's correction over all pairs of metrics."),
        Column("Cluster, uncorrected", 0, help="The same as WMT does it: one-sided, without correction."),
        Column("All pairs, ties", CORRELATION_DIGITS, help="acc_eq over all pairs of segments."),
        Column(f"Cluster by {symbol}", 0, help="Holm's correction over all pairs of metrics."),
        Column(f"Cluster by {symbol}, uncorrected", 0, help="One-sided, without correction."),
        Column("Systems", 0),
        Column("Claims", 0),
        Column("Complete claims", 0, help="Claims of every system: those of soft accuracy."),
    )
    note = (
        "WMT's measures of metrics, 1 is best. Metrics of one cluster do not differ beyond chance. Cluster 1 is best. "
        "Formulas and papers are in docs/measures.md."
    )
    title = f"Metrics ranked on {scale_title(analysis.scale).lower()} as WMT ranks them"
    return Table("metric-ranking", title, columns, rows, note)


def _account(analysis: Analysis) -> Table:
    report = analysis.imported
    rows: list[tuple[Cell, ...]] = [("rows read from the ratings", report.read)]
    rows += [("rows skipped at import", len(report.skipped)), ("answers not usable", len(report.unused_answers))]
    rows += list(analysis.study.account)
    treated = "counted as 0" if analysis.study.recipe.missing_as_zero else "dropped"
    for scale, count in analysis.study.unanswered.items():
        rows.append((f"no answer to {scale_title(scale).lower()} ({treated})", count))
    columns = (Column("What"), Column("Rows", 0))
    return Table("account", "Outcome of every row", columns, tuple(rows), analysis.study.recipe.description)


def exclusion_table(analysis: Analysis, scored: ScoredItems, everything: RatingImport) -> Table:
    """Return each metric's chosen correlation without and with the excluded ratings; `everything` has all ratings."""
    recipe, key = analysis.study.recipe, analysis.control_key
    without = _chosen(analysis, analysis.study)
    both = _chosen(analysis, build_study(everything, scored, recipe, controls=key))
    rows = tuple((name, one.value, one.n, both[name].value, both[name].n) for name, one in without.items())
    symbol = SYMBOLS[analysis.coefficient]
    columns = (
        Column("Metric"),
        Column(f"{symbol} without", CORRELATION_DIGITS),
        Column("n without", 0),
        Column(f"{symbol} with", CORRELATION_DIGITS),
        Column("n with", 0),
    )
    title = f"{symbol} with {scale_title(analysis.scale).lower()}, without and with the excluded ratings"
    note = "Everything else on this page is without them; choose “Excluded ratings too” to see all of it with them."
    return Table("exclusions", title, columns, rows, note)


def _chosen(analysis: Analysis, study: Study) -> dict[str, Correlation]:
    return {
        row.metric: row.correlation
        for row in pooled_values(study)
        if (row.scale, row.correlation.coefficient, row.level) == (analysis.scale, analysis.coefficient, LEVELS[0])
    }
