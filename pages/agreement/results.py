"""Compute the results of Agreement once per choice, because resampling takes seconds."""

from __future__ import annotations

import streamlit as st

from core.agreement.agreement_tables import CorrelationRow, correlation_table, pooled_values
from core.agreement.analysis import Analysis, analyse
from core.agreement.compare import AgreementChoices
from core.agreement.study import build_study
from core.statistics.correlation import Coefficient
from pages.agreement.agreement_files import Loaded

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
