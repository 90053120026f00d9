"""An analysis on the page Agreement: what can be chosen, and the tabs."""

from __future__ import annotations

import streamlit as st

from core.formats.agreement_report import report_tables
from core.scoring.titles import name_in_words
from core.statistics.analysis import PREFERRED_SCALE, Analysis
from core.statistics.analysis_item_tables import rater_tables
from core.statistics.analysis_tables import chosen_intervals, paper_tables, scale_title, uncertainty_tables
from core.statistics.correlation import Coefficient
from core.statistics.findings import against_the_others, best_metric
from core.statistics.study import RECIPES, VERDICT_AGREEMENT
from core.statistics.tables import LEVELS
from pages.shared.agreement_charts import show_distributions, show_intervals, show_matrix, show_scatter
from pages.shared.agreement_files import Loaded
from pages.shared.agreement_import import show_exports, show_import
from pages.shared.agreement_items import show_items
from pages.shared.agreement_results import Choice, analysis_of
from pages.shared.agreement_tables import downloads, show_table, table_downloads
from pages.shared.markup import plain, show, tag

COEFFICIENTS = {
    Coefficient.SPEARMAN: "Spearman’s ρ",
    Coefficient.PEARSON: "Pearson’s r",
    Coefficient.KENDALL: "Kendall’s τ_b",
}
TABS = ["Tables", "Uncertainty", "Raters", "Items", "Import", "Downloads"]


def controls(files: Loaded) -> Choice:
    """Show what can be chosen and return it."""
    scales = list(files.ratings.scales)
    if any(item.gold for item in files.scored.items.values()):
        scales.append(VERDICT_AGREEMENT)
    first = scales.index(PREFERRED_SCALE) if PREFERRED_SCALE in scales else 0
    row = st.container(horizontal=True)
    scale = row.selectbox("Scale", scales, index=first, format_func=scale_title, key="agreement-scale")
    metric = row.selectbox(
        "Metric",
        ["", *files.scored.metrics],
        format_func=lambda name: plain(name_in_words(name)) or "The best",
        key="agreement-metric",
        help="The metric of the scatter plot and of the items.",
    )
    coefficient = row.selectbox(
        "Coefficient", tuple(COEFFICIENTS), format_func=lambda one: COEFFICIENTS[one], key="agreement-coefficient"
    )
    recipe = row.selectbox(
        "Recipe",
        list(RECIPES),
        format_func=str.capitalize,
        key="agreement-recipe",
        help="Default: " + RECIPES["default"].description + " Published: " + RECIPES["published"].description,
    )
    return Choice(recipe, scale, metric, coefficient)


def show_report(files: Loaded) -> None:
    choice = controls(files)
    analysis = analysis_of(files, choice, ("pooled",))
    other = against_the_others(analysis)
    show(tag("div", tag("p", best_metric(analysis), css="vd-claim vd-long"), tag("p", other), css="vd vd-card"))
    tables, uncertainty, raters, items, imported, files_out = st.tabs(TABS, on_change="rerun", key="agreement-tab")
    if tables.open:
        with tables:
            for table in paper_tables(analysis):
                show_table(table)
            show_distributions(analysis)
    if uncertainty.open:
        with uncertainty:
            show_uncertainty(files, analysis, choice)
    if raters.open:
        with raters:
            for table in rater_tables(analysis):
                show_table(table)
            scale = analysis.scale if analysis.scale in files.ratings.scales else files.ratings.scales[0]
            show_matrix(files.ratings.responses, scale)
    if items.open:
        with items:
            show_items(analysis)
    if imported.open:
        with imported:
            show_import(files.ratings.report, files.scored.notes)
            show_exports(files.ratings)
    if files_out.open:
        with files_out:
            downloads(lambda: analysis_of(files, choice, LEVELS))
            table_downloads(report_tables(analysis))


def show_uncertainty(files: Loaded, analysis: Analysis, choice: Choice) -> None:
    whole = analysis_of(files, choice, LEVELS)
    show_intervals(whole, whole.correlations)
    show_table(chosen_intervals(whole))
    show_scatter(analysis)
    for table in uncertainty_tables(whole)[1:]:
        show_table(table)
