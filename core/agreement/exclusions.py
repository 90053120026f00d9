"""Compare each metric's correlation with people without the excluded ratings and with them."""

from __future__ import annotations

from core.agreement.agreement_tables import LEVELS, pooled_values
from core.agreement.analysis import Analysis
from core.agreement.paper_tables import CORRELATION_DIGITS, scale_title
from core.agreement.ratings import RatingImport
from core.agreement.scored_items import ScoredItems
from core.agreement.study import Study, build_study
from core.statistics.correlation import SYMBOLS, Correlation
from core.tabular.table import Column, Table


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
