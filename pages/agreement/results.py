"""Compute the results of Agreement once per choice, because resampling takes seconds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from core.agreement.agreement_tables import CorrelationRow, correlation_table, pooled_values
from core.agreement.analysis import Analysis, analyse
from core.agreement.study import BY_DESIGN, RECIPES, AgreementRecipe, build_study
from core.statistics.correlation import Coefficient
from pages.agreement.agreement_files import Loaded

# Number of analyses to keep; one of 20,000 ratings takes some megabytes.
MAX_KEPT = 12


@dataclass(frozen=True)
class Choice:
    """A reader's choices; an empty `metric` means the one that agrees best."""

    recipe: str
    scale: str
    metric: str
    coefficient: Coefficient
    cluster: str = BY_DESIGN

    @property
    def chosen_recipe(self) -> AgreementRecipe:
        """Return the recipe with its independent units; the published recipe stays unchanged."""
        recipe = RECIPES[self.recipe]
        return recipe if recipe.cluster == "response" else replace(recipe, cluster=self.cluster)


def analysis_of(files: Loaded, choice: Choice, levels: tuple[str, ...] | None) -> Analysis:
    """Return the analysis of the chosen scale, metric and coefficient at `levels`; at all levels if None."""
    key = (choice, levels)
    if key not in files.analyses:
        rows = _correlations(files, choice, levels)
        with st.spinner("Comparing metrics and raters …"):
            found = analyse(
                files.ratings,
                files.scored,
                choice.chosen_recipe,
                control_key=files.controls,
                metric=choice.metric,
                scale=choice.scale,
                coefficient=choice.coefficient,
                correlations=rows,
                controls_answered=files.controls_answered,
            )
        files.analyses[key] = found
        while len(files.analyses) > MAX_KEPT:
            del files.analyses[next(iter(files.analyses))]
    return files.analyses[key]


def _correlations(files: Loaded, choice: Choice, levels: tuple[str, ...] | None) -> tuple[CorrelationRow, ...]:
    """Return Table 7, with intervals and p for the chosen scale and coefficient; for all if `levels` is None."""
    recipe = choice.chosen_recipe
    study = build_study(files.ratings, files.scored, recipe, controls=files.controls)
    if levels is None:
        with st.spinner("Correlating at every level …"):
            return correlation_table(study)
    chosen: list[CorrelationRow] = []
    for level in levels:
        key = (recipe, choice.scale, choice.coefficient, level)
        if key not in files.correlations:
            with st.spinner(f"Correlating, {level} …"):
                files.correlations[key] = correlation_table(
                    study, coefficients=[choice.coefficient], levels=[level], scales=[choice.scale]
                )
        chosen += files.correlations[key]
    known = {(row.metric, row.scale, row.correlation.coefficient) for row in chosen}
    others = (row for row in pooled_values(study) if (row.metric, row.scale, row.correlation.coefficient) not in known)
    return (*chosen, *others)
