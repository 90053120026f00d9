"""Show an analysis on the page Agreement: its choices and its tabs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from core.agreement.agreement_report import to_archive, to_json, to_report
from core.agreement.agreement_tables import LEVELS, CorrelationRow, correlation_table, pooled_values
from core.agreement.analysis import PREFERRED_SCALE, Analysis, analyse, rater_agreement
from core.agreement.charts import (
    JITTERED,
    correlation_intervals,
    rating_distributions,
    rating_matrix_chart,
    score_against_rating,
)
from core.agreement.compare import AgreementChoices
from core.agreement.findings import against_the_others, best_metric, simulated_level
from core.agreement.paper_tables import paper_tables, scale_title
from core.agreement.rater_tables import rater_tables
from core.agreement.ratings import unused_answers
from core.agreement.recipes import BY_DESIGN, CLUSTERS, RECIPES
from core.agreement.study import VERDICT_AGREEMENT, build_study
from core.agreement.uncertainty_tables import chosen_intervals, exclusion_table, uncertainty_tables
from core.scoring.registry import name_in_words
from core.statistics.correlation import Coefficient
from pages.agreement.agreement_files import Loaded
from pages.agreement.items import show_items
from pages.ui.action_form import ActionForm
from pages.ui.charts import show_chart
from pages.ui.file_button import file_button
from pages.ui.markup import readable, show, tag
from pages.ui.notices import quiet
from pages.ui.rating_files import show_exports, show_import
from pages.ui.tables import show_table

MAX_ROWS = 100
"""The most raters or pairs of raters to show; files have all."""

MAX_SAID = 3
"""The most unusable rows to show; Import has all."""

SCALE_PIXELS = 216
"""The width of the choice of a scale, in which "Semantic coverage" can be read."""

TABS = ["Tables", "Uncertainty", "Raters", "Items", "Import", "Downloads"]


def controls(files: Loaded) -> AgreementChoices:
    """Show the choices and return them."""
    scales = list(files.ratings.scales)
    if not files.ratings.own and any(item.gold for item in files.scored.items.values()):
        scales.append(VERDICT_AGREEMENT)
    first = PREFERRED_SCALE if PREFERRED_SCALE in scales else scales[0]
    form = ActionForm(AgreementChoices, "agreement", scale=first)
    row = st.container(horizontal=True)
    form.draw("scale", row.container(width=SCALE_PIXELS), choices=scales, format_func=scale_title)
    form.draw("metric", row, choices=["", *files.scored.metrics], format_func=_metric_title)
    form.draw("coefficient", row)
    published = RECIPES[form.draw("recipe", row)].cluster == "response"
    units = [BY_DESIGN, *(name for name in CLUSTERS if name != "response")]
    form.draw("cluster", row, choices=units, format_func=_unit_title, disabled=published)
    chosen = form.request(**({"cluster": BY_DESIGN} if published else {}))
    assert chosen
    return chosen


def _metric_title(name: str) -> str:
    return readable(name_in_words(name)) or "The best"


def _unit_title(name: str) -> str:
    return CLUSTERS.get(name, "By the design").capitalize()


def show_report(files: Loaded) -> None:
    choice = controls(files)
    analysis = analysis_of(files, choice, ("pooled",))
    other = against_the_others(analysis)
    show(tag("div", tag("p", best_metric(analysis), css="vd-claim vd-long"), tag("p", other), css="vd vd-card"))
    quiet(f"{analysis.study.cluster_reason} {simulated_level(analysis.study.recipe)}")
    say_unused(files)
    tables, uncertainty, raters, items, imported, files_out = st.tabs(TABS, on_change="rerun", key="agreement-tab")
    if tables.open:
        with tables:
            if files.with_excluded is not None:
                show_table(exclusion_table(analysis, files.scored, files.with_excluded))
            for table in paper_tables(analysis):
                show_table(table)
            show_chart(rating_distributions(analysis), "distributions", "Number of ratings with each value, by scale")
    if uncertainty.open:
        with uncertainty:
            show_uncertainty(files, analysis, choice)
    if raters.open:
        with raters:
            for table in rater_tables(analysis.raters):
                show_table(table, rows=MAX_ROWS)
            scale = analysis.scale if analysis.scale in files.ratings.scales else files.ratings.scales[0]
            show_matrix(files, scale)
    if items.open:
        with items:
            show_items(analysis)
    if imported.open:
        with imported:
            show_import(files.ratings.report, files.scored.notes)
            show_exports(files.ratings)
    if files_out.open:
        with files_out:
            downloads(lambda: analysis_of(files, choice, None))


def show_raters(files: Loaded) -> None:
    """Show the agreement between raters if there are no scores."""
    say_unused(files)
    scale = ""
    if files.ratings.scales:
        scale = st.selectbox("Scale", files.ratings.scales, format_func=scale_title, key="agreement-scale")
    raters = rater_agreement(files.ratings, scale, RECIPES["default"], files.controls)
    if files.controls_answered is not None:
        raters = replace(raters, controls=files.controls_answered, controls_known=bool(files.controls))
    for table in rater_tables(raters):
        show_table(table, rows=MAX_ROWS)
    if scale:
        show_matrix(files, scale)
    show_import(files.ratings.report, ())
    show_exports(files.ratings)


def say_unused(files: Loaded) -> None:
    """List the first unusable ratings and scores."""
    report = files.ratings.report
    unused = sorted((*report.skipped, *report.unused_answers), key=lambda one: one.row)
    said = [*([unused_answers(unused)] if unused else []), *files.scored.notes]
    for sentence in said[:MAX_SAID]:
        quiet(f"{sentence}.")
    if len(said) > MAX_SAID:
        quiet(f"… and {len(said) - MAX_SAID} more, under Import.")


def show_matrix(files: Loaded, scale: str) -> None:
    chart = rating_matrix_chart(files.ratings.responses, scale)
    if chart is None:
        quiet("Nobody answered this scale.")
    else:
        show_chart(chart, "raters", f"{scale_title(scale)} by rater and item")


def show_uncertainty(files: Loaded, analysis: Analysis, choice: AgreementChoices) -> None:
    whole = analysis_of(files, choice, LEVELS)
    intervals = correlation_intervals(whole)
    scale = scale_title(analysis.scale)
    if isinstance(intervals, str):
        quiet(intervals)
    else:
        show_chart(intervals, "intervals", f"Each metric's correlation with {scale} and its 95 per cent interval")
    show_table(chosen_intervals(whole))
    if (scatter := score_against_rating(analysis)) is not None:
        show_chart(scatter, "scatter", f"{scale} against {analysis.metric}, one point per response")
        quiet(JITTERED)
    for table in uncertainty_tables(whole)[1:]:
        show_table(table)


def downloads(analysis: Callable[[], Analysis]) -> None:
    """Offer the report and every table as files; `analysis` computes all levels on request."""
    quiet("The report is one HTML file. It lists the recipe, the seed and every omitted row.")
    files: tuple[tuple[str, Callable[[], str | bytes], str, str], ...] = (
        ("Report (HTML)", lambda: to_report(analysis()), "agreement.html", "text/html"),
        (
            "All tables (CSV, XLSX, LaTeX, JSON; zip)",
            lambda: to_archive(analysis()),
            "agreement.zip",
            "application/zip",
        ),
        (
            "All figures (JSON)",
            lambda: json.dumps(to_json(analysis()), indent=1, ensure_ascii=False),
            "agreement.json",
            "application/json",
        ),
    )
    row = st.container(horizontal=True)
    for place, (label, write, name, mime) in enumerate(files):
        file_button(label, write, name, mime=mime, place=row, type="secondary" if place else "primary", key=name)


# Number of analyses to keep; one of 20,000 ratings takes some megabytes.
MAX_KEPT = 12


def analysis_of(files: Loaded, choice: AgreementChoices, levels: tuple[str, ...] | None) -> Analysis:
    """Return the analysis of the chosen scale, metric and coefficient at `levels`; at all levels if None."""
    key = (choice, levels)
    if key not in files.analyses:
        rows = _correlations(files, choice, levels)
        with st.spinner("Comparing metrics and raters …"):
            found = analyse(
                files.ratings,
                files.scored,
                choice.rules,
                control_key=files.controls,
                metric=choice.metric,
                scale=choice.scale,
                coefficient=Coefficient(choice.coefficient),
                correlations=rows,
                controls_answered=files.controls_answered,
            )
        files.analyses[key] = found
        while len(files.analyses) > MAX_KEPT:
            del files.analyses[next(iter(files.analyses))]
    return files.analyses[key]


def _correlations(
    files: Loaded, choice: AgreementChoices, levels: tuple[str, ...] | None
) -> tuple[CorrelationRow, ...]:
    """Return Table 7, with intervals and p for the chosen scale and coefficient; for all if `levels` is None."""
    recipe = choice.rules
    study = build_study(files.ratings, files.scored, recipe, controls=files.controls)
    if levels is None:
        with st.spinner("Correlating at every level …"):
            return correlation_table(study)
    chosen: list[CorrelationRow] = []
    coefficient = Coefficient(choice.coefficient)
    for level in levels:
        key = (recipe, choice.scale, coefficient, level)
        if key not in files.correlations:
            with st.spinner(f"Correlating, {level} …"):
                files.correlations[key] = correlation_table(
                    study, coefficients=[coefficient], levels=[level], scales=[choice.scale]
                )
        chosen += files.correlations[key]
    known = {(row.metric, row.scale, row.correlation.coefficient) for row in chosen}
    others = (row for row in pooled_values(study) if (row.metric, row.scale, row.correlation.coefficient) not in known)
    return (*chosen, *others)
