"""An analysis as tables to show and to download: those of the paper, and their uncertainty."""

from __future__ import annotations

from core.agreement.analysis import Analysis
from core.agreement.rating_formats import SCALE_TITLES
from core.agreement.study import VERDICT_AGREEMENT
from core.agreement.tables import CorrelationRow, VerdictTable
from core.statistics.correlation import SYMBOLS, Coefficient
from core.tabular.table import Cell, Column, Table, shown
from core.types import Label

SHORT_LABELS = {
    Label.SUPPORTED: "Supported",
    Label.REFUTED: "Refuted",
    Label.NOT_ENOUGH_EVIDENCE: "NEE",
    Label.CONFLICTING: "CE/C",
}
# The paper's order of rows and columns.
LABEL_ORDER = (Label.CONFLICTING, Label.NOT_ENOUGH_EVIDENCE, Label.REFUTED, Label.SUPPORTED)
CORRELATION_DIGITS = 3
FIGURES = (
    *(Column(title, CORRELATION_DIGITS) for title in ("Value", "Low", "High")),
    Column("p", 4, p_values=True),
    Column("n", 0),
    Column("Remark"),
)


def scale_title(scale: str) -> str:
    """Return a scale's name for readers."""
    return {**SCALE_TITLES, VERDICT_AGREEMENT: "Verdict agrees with gold"}.get(
        scale, scale.replace("_", " ").capitalize()
    )


def paper_tables(analysis: Analysis) -> tuple[Table, ...]:
    """Return Tables 5 (against each kind of label there is), 6, 7 and 8."""
    verdicts = tuple(_verdicts(table, first=i == 0) for i, table in enumerate(analysis.verdicts))
    return (*verdicts, _distributions(analysis), _correlations(analysis), _systems(analysis))


def uncertainty_tables(analysis: Analysis) -> tuple[Table, ...]:
    """Return every correlation with its interval, the pairwise tests of metrics, and the account of rows."""
    return (interval_table(analysis), _comparisons(analysis), _account(analysis))


def _verdicts(table: VerdictTable, *, first: bool) -> Table:
    # The paper has one such table: only the first that there is has its number.
    place = {label: i for i, label in enumerate(Label)}
    rows = []
    for human in LABEL_ORDER:
        counts = [table.counts[place[human]][place[label]] for label in LABEL_ORDER]
        total = sum(counts)
        shares: list[Cell] = [100 * count / total if total else None for count in counts]
        rows.append((SHORT_LABELS[human], *shares, total))
    columns = (
        Column("People"),
        *(Column(SHORT_LABELS[label], 2, "%") for label in LABEL_ORDER),
        Column("n", 0),
    )
    return Table(
        "table5-" + table.against.split()[0],
        f"Human verdict (rows) and {table.against} (columns)",
        columns,
        tuple(rows),
        f"Per cent of each row. Both agree on {100 * table.accuracy:.1f} % of {table.n} responses. "
        "NEE: not enough evidence; CE/C: conflicting evidence or cherry-picking.",
        number="Table 5" if first else "",
    )


def _distributions(analysis: Analysis) -> Table:
    scales = analysis.distributions
    values = sorted({value for one in scales for value in one.counts})
    columns = [Column("Rating", 0)]
    for one in scales:
        columns += [Column(scale_title(one.scale).removeprefix("Semantic ").capitalize(), 0), Column("%", 1)]
    rows: list[tuple[Cell, ...]] = []
    for value in values:
        cells: list[Cell] = [value]
        for one in scales:
            count = one.counts.get(value, 0)
            cells += [count, 100 * count / one.n if one.n else None]
        rows.append(tuple(cells))
    facts = "; ".join(
        f"{scale_title(one.scale)} mean {one.mean:.2f}, s.d. {shown(one.sd, Column('s.d.', 2))}, {one.missing} missing"
        for one in scales
        if one.mean is not None
    )
    title = "How often each rating was given"
    return Table("table6", title, tuple(columns), tuple(rows), f"{facts}.", number="Table 6")


def _correlations(analysis: Analysis) -> Table:
    pooled = [row for row in analysis.correlations if row.level == "pooled"]
    found = {(row.scale, row.metric, row.correlation.coefficient): row.correlation for row in pooled}
    rows: list[tuple[Cell, ...]] = []
    for scale in analysis.study.scales:
        for metric in analysis.study.metrics:
            values = [found[scale, metric, coefficient] for coefficient in Coefficient]
            rows.append((scale_title(scale), metric, *(value.value for value in values), values[0].n))
    symbols = tuple(Column(SYMBOLS[one], CORRELATION_DIGITS) for one in Coefficient)
    size = len(analysis.study.metrics)
    blocks = [range(start, start + size) for start in range(0, len(rows), size)] if size > 1 else []
    best = {
        (max(block, key=lambda i: value if isinstance(value := rows[i][j], float) else -2.0), j)
        for block in blocks
        for j in range(2, 2 + len(symbols))
        if any(rows[i][j] is not None for i in block)
    }
    return Table(
        "table7",
        "Correlation of scores with human ratings",
        (Column("Dimension"), Column("Metric"), *symbols, Column("n", 0)),
        tuple(rows),
        "Spearman's ρ, Pearson's r and Kendall's τ_b over all responses, from −1 to 1; 1 is best. Ties share "
        "their mean rank. Strong: the metric that agrees best. Intervals and p values are in a table of their own.",
        frozenset(best),
        number="Table 7",
    )


def _systems(analysis: Analysis) -> Table:
    rows = tuple((row.system, row.mean, row.n, row.rank) for row in analysis.systems)
    tau = analysis.system_correlations[Coefficient.KENDALL]
    if tau.value is None:
        trend = f"Kendall's τ_b with the rank is undefined: {tau.reason}."
    else:
        trend = f"Kendall's τ_b of the mean with the rank, best rank highest: {tau.value:.3f} (p = {tau.p:.3g}, "
        trend += f"{tau.n} systems)."
    title = f"Mean {scale_title(analysis.scale).lower()} by system and rank"
    columns = (Column("System"), Column("Mean", 2), Column("n", 0), Column("Rank", 0))
    return Table("table8", title, columns, rows, trend, number="Table 8")


def interval_table(analysis: Analysis) -> Table:
    """Return every correlation with its interval: scale, metric, level and coefficient."""
    scales = analysis.study.scales
    rows = [
        (scale_title(row.scale), row.metric, row.level, SYMBOLS[row.correlation.coefficient], *_figures(row))
        for row in sorted(analysis.correlations, key=lambda row: scales.index(row.scale))
    ]
    columns = (Column("Dimension"), Column("Metric"), Column("Level"), Column("Coefficient"), *FIGURES)
    return Table("intervals", "Correlations with 95 % intervals", columns, tuple(rows), _interval_note(analysis))


def chosen_intervals(analysis: Analysis) -> Table:
    """Return the correlations of the analysis' scale and coefficient with their intervals."""
    rows = [
        (row.metric, row.level, *_figures(row))
        for row in analysis.correlations
        if (row.scale, row.correlation.coefficient) == (analysis.scale, analysis.coefficient)
    ]
    title = f"{SYMBOLS[analysis.coefficient]} with {scale_title(analysis.scale).lower()}, 95 % intervals"
    columns = (Column("Metric"), Column("Level"), *FIGURES)
    return Table("chosen-intervals", title, columns, tuple(rows), _interval_note(analysis))


def _figures(row: CorrelationRow) -> tuple[Cell, ...]:
    one = row.correlation
    low, high = (one.interval.low, one.interval.high) if one.interval else (None, None)
    note = one.reason or ("" if one.interval else "too few for an interval")
    if not note and row.level == "within rater":
        note = f"{one.groups} raters, {one.left_out} left out"
    return one.value, low, high, one.p, one.n, note


def _interval_note(analysis: Analysis) -> str:
    recipe = analysis.study.recipe
    return (
        f"95 % bootstrap percentile intervals, {recipe.resamples} resamples, seed {recipe.seed}. Within rater: the "
        "mean of each rater's own correlation, weighted by items, p by shuffling within raters. By system: over the "
        "systems' means."
    )


def _comparisons(analysis: Analysis) -> Table:
    rows = tuple(
        (one.better, one.worse, one.better_value, one.worse_value, one.p, one.adjusted, one.williams, one.n, one.reason)
        for one in analysis.comparisons
    )
    symbol = SYMBOLS[analysis.coefficient]
    columns = (
        Column("Metric A"),
        Column("Metric B"),
        Column(f"{symbol} of A", CORRELATION_DIGITS),
        Column(f"{symbol} of B", CORRELATION_DIGITS),
        Column("p", 4, p_values=True),
        Column("p (Holm)", 4, p_values=True),
        Column("p (Williams)", 4, p_values=True),
        Column("n", 0),
        Column("Remark"),
    )
    return Table(
        "comparisons",
        f"Does metric A agree better with {scale_title(analysis.scale).lower()} than metric B?",
        columns,
        rows,
        f"One-sided permutation test PERM-BOTH, 1000 exchanges, seed {analysis.study.recipe.seed}; Holm's correction "
        "over the pairs. Williams' test is on Pearson's r. Small p: more than chance.",
    )


def _account(analysis: Analysis) -> Table:
    report = analysis.imported
    rows: list[tuple[Cell, ...]] = [("rows read from the ratings", report.read)]
    rows += [("rows skipped at import", len(report.skipped)), ("answers not usable", len(report.unused_answers))]
    rows += list(analysis.study.account)
    treated = "counted as 0" if analysis.study.recipe.missing_as_zero else "dropped"
    for scale, count in analysis.study.unanswered.items():
        rows.append((f"no answer to {scale_title(scale).lower()} ({treated})", count))
    columns = (Column("What"), Column("Rows", 0))
    return Table("account", "What became of every row", columns, tuple(rows), analysis.study.recipe.description)
