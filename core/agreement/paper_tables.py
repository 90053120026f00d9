"""An analysis as the tables of the paper: 5 to 8."""

from __future__ import annotations

from core.agreement.agreement_tables import VerdictTable
from core.agreement.analysis import Analysis
from core.agreement.rating_formats import SCALE_TITLES
from core.agreement.study import VERDICT_AGREEMENT
from core.statistics.correlation import SYMBOLS, Coefficient
from core.statistics.significance import holm
from core.tabular.table import Cell, Column, Table, number, shown
from core.types import Label
from core.wording import counted

SHORT_LABELS = {
    Label.SUPPORTED: "Supported",
    Label.REFUTED: "Refuted",
    Label.NOT_ENOUGH_EVIDENCE: "NEE",
    Label.CONFLICTING: "CE/C",
}
# The paper's order of rows and columns.
LABEL_ORDER = (Label.CONFLICTING, Label.NOT_ENOUGH_EVIDENCE, Label.REFUTED, Label.SUPPORTED)
CORRELATION_DIGITS = 3


def scale_title(scale: str) -> str:
    """Return a scale's name for readers."""
    return {**SCALE_TITLES, VERDICT_AGREEMENT: "Verdict agrees with gold"}.get(
        scale, scale.replace("_", " ").capitalize()
    )


def paper_tables(analysis: Analysis) -> tuple[Table, ...]:
    """Return Tables 5 (against each kind of label there is), 6, 7 and 8."""
    verdicts = tuple(_verdicts(table, first=i == 0) for i, table in enumerate(analysis.verdicts))
    return (*verdicts, _distributions(analysis), _correlations(analysis), _systems(analysis))


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
        f"Per cent of each row. Both agree on {100 * table.accuracy:.1f} % of {counted(table.n, 'response')}. "
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
    return Table("table6", title, tuple(columns), tuple(rows), f"{facts}." if facts else "", number="Table 6")


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


def rank_p(analysis: Analysis) -> dict[Coefficient, float]:
    """Return p of each correlation of the systems' means with their ranks, after Holm over the coefficients."""
    known = {name: one.p for name, one in analysis.system_correlations.items() if one.p is not None}
    return dict(zip(known, holm(list(known.values())).tolist(), strict=True))


def _systems(analysis: Analysis) -> Table:
    rows = tuple((row.system, row.mean, row.n, row.rank) for row in analysis.systems)
    tau = analysis.system_correlations[Coefficient.KENDALL]
    if all(row.rank is None for row in analysis.systems):
        trend = "No ranks were given: add a column 'rank' to the scores to compare the means with a leaderboard."
    elif tau.value is None:
        trend = f"Kendall's τ_b with the rank is undefined: {tau.reason}."
    else:
        p = rank_p(analysis)[Coefficient.KENDALL]
        trend = f"Kendall's τ_b of the mean with the rank, best rank highest: {number(tau.value, 3)} "
        trend += f"(p = {p:.3g} after Holm's "
        trend += (
            f"correction over {counted(len(analysis.system_correlations), 'coefficient')}, {counted(tau.n, 'system')})."
        )
    title = f"Mean {scale_title(analysis.scale).lower()} by system and rank"
    columns = (Column("System"), Column("Mean", 2), Column("n", 0), Column("Rank", 0))
    return Table("table8", title, columns, rows, trend, number="Table 8")
