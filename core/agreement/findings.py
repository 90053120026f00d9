"""The answer of an analysis in two sentences: which metric agrees best with people, and is that more than chance."""

from __future__ import annotations

from core.agreement.analysis import Analysis
from core.agreement.paper_tables import scale_title
from core.agreement.recipes import AgreementRecipe
from core.scoring.registry import name_in_words
from core.statistics.correlation import SYMBOLS
from core.tabular.table import number
from core.wording import counted

ALPHA = 0.05

SIMULATED = {
    "item": ("91–100 %, the least with one rater and many equal scores", "4–6 %", "3–6 %"),
    "claim-system": ("93–96 %", "4–8 %, the most where many cells are missing", "3–6 %"),
    "rater": ("95–96 %", "5 %", "4–5 %"),
    "system": ("95–97 %", "3 %", "6 %"),
    "claim": (
        "90–96 %, and 87 % if systems differ",
        "4–10 %, the most if systems differ",
        "4–13 %, the most if systems differ",
    ),
    "response": ("87–94 %, the least with many equal scores", "5 %", "4–6 %"),
}
"""The share of 95 % intervals that hold the real correlation or 0, by the independent unit. Then the share of p < .05:
without any correlation, and between two metrics that are equally good.

1,000 studies for each design: `docs/data/calibration.csv`.
"""


def simulated_level(recipe: AgreementRecipe) -> str:
    """Return a sentence on the level that 95 % intervals and p values really have."""
    held, found, _ = SIMULATED[recipe.cluster]
    return (
        f"In simulated studies, such 95 % intervals held the real correlation in {held}. "
        f"Without any correlation, p was under .05 in {found}."
    )


def simulated_comparison(recipe: AgreementRecipe) -> str:
    """Return a sentence on the level that p of two metrics really has."""
    return f"In simulated studies of two equally good metrics, p was under .05 in {SIMULATED[recipe.cluster][2]}."


def best_metric(analysis: Analysis) -> str:
    """Return which metric correlates best with the scale of the analysis, with its interval."""
    rows = [
        row
        for row in analysis.correlations
        if (row.scale, row.level, row.correlation.coefficient) == (analysis.scale, "pooled", analysis.coefficient)
    ]
    defined = [(row.correlation.value, row) for row in rows if row.correlation.value is not None]
    scale = scale_title(analysis.scale).lower()
    if not defined:
        reasons = ", ".join(sorted({row.correlation.reason for row in rows}))
        return f"No correlation with {scale} is defined: {reasons}."
    value, row = max(defined, key=lambda pair: pair[0])
    one = row.correlation
    low, high = (number(end, 3) for end in (one.interval.low, one.interval.high)) if one.interval else ("", "")
    interval = f"95 % interval {low} to {high}, " if one.interval else ""
    cluster = analysis.study.recipe.cluster
    unit = "claim" if cluster == "claim-system" else cluster
    of = "" if cluster == "response" else f" of {counted(one.clusters, unit)}"
    figures = f"{SYMBOLS[one.coefficient]} = {number(value, 3)} ({interval}n = {counted(one.n, 'rating')}{of})"
    words = f"{name_in_words(row.metric)} agrees best with {scale}: {figures}."
    if one.interval and one.interval.low <= 0 <= one.interval.high:
        words += " The interval includes 0: that may be chance."
    return words


def against_the_others(analysis: Analysis) -> str:
    """Return which metrics the best one is significantly better than, and which it is not; "" for one metric."""
    if not analysis.comparisons:
        return ""
    values = {one.better: one.better_value for one in analysis.comparisons if one.better_value is not None}
    if not values:
        return ""
    best = max(values, key=lambda name: values[name] or 0.0)
    own = [one for one in analysis.comparisons if one.better == best and one.adjusted is not None]
    clear = sorted(one.worse for one in own if (one.adjusted or 0.0) < ALPHA)
    open_ = sorted(one.worse for one in own if (one.adjusted or 0.0) >= ALPHA)
    both = (("better than", clear), ("not better than", open_))
    parts = [f"{words} {_listed(names)}" for words, names in both if names]
    if not parts:
        return ""
    return f"Beyond chance, {name_in_words(best)} is {' but '.join(parts)} (permutation test, p < {ALPHA} after Holm)."


def _listed(metrics: list[str]) -> str:
    names = [name_in_words(metric) for metric in metrics]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
