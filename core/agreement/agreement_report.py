"""The agreement report as JSON, as one HTML file that needs nothing else, and as a folder of tables."""

from __future__ import annotations

import html
import io
import json
import zipfile
from dataclasses import asdict
from typing import Any

from core.agreement.analysis import Analysis
from core.agreement.charts import JITTERED, correlation_intervals, score_against_rating
from core.agreement.findings import simulated_level
from core.agreement.paper_tables import paper_tables, rank_p, scale_title
from core.agreement.rater_tables import item_tables, rater_tables
from core.agreement.uncertainty_tables import uncertainty_tables
from core.statistics.correlation import SYMBOLS, Correlation
from core.tabular.charts import Chart, picture
from core.tabular.exports import EXPORTS, to_html
from core.tabular.table import Table
from core.types import Label

_STYLE = """
:root { color-scheme: light dark; --ink: #1e2428; --soft: #666d75; --line: #d9d5cb; --page: #fbfaf7; --mark: #1f4b63 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e3dc; --soft: #a5adb5; --line: #363e44; --page: #15191c; --mark: #9cc6dc } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); margin: 2rem auto;
  max-width: 72rem; padding: 0 1rem; overflow-wrap: anywhere }
table { overflow-wrap: break-word }
h1 { font-size: 1.8rem } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem }
.wide { overflow-x: auto } table { border-collapse: collapse; font-size: .9rem }
th, td { text-align: left; padding: .3rem .7rem; border-bottom: 1px solid var(--line); vertical-align: top }
th { font-weight: 600 } td { max-width: 32rem; overflow-wrap: break-word }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.note, .facts { color: var(--soft); font-size: .9rem; max-width: 48rem }
svg { max-width: 100%; height: auto } svg text { fill: var(--ink); font: 12px system-ui, sans-serif }
"""


def report_tables(analysis: Analysis) -> tuple[Table, ...]:
    """Return all tables in the order of the report: paper, uncertainty, raters, items."""
    return (
        *paper_tables(analysis),
        *uncertainty_tables(analysis),
        *rater_tables(analysis.raters),
        *item_tables(analysis),
    )


def to_report(analysis: Analysis, *, command: str = "") -> str:
    """Return the analysis as one HTML page without scripts or outside files, with recipe, seed and counts.

    `command` is the line that repeats it, shown where it is known.
    """
    recipe, report = analysis.study.recipe, analysis.imported
    facts = [
        f"Recipe “{recipe.name}”. {recipe.description}",
        analysis.study.cluster_reason,
        simulated_level(recipe),
        f"Seed {recipe.seed}, {recipe.resamples} resamples. Ratings: {report.file}, {report.read} rows read, "
        f"{report.kept} kept, {len(report.skipped)} skipped.",
        *report.notes,
        *analysis.notes,
    ]
    if command:
        facts.append(f"Repeat with: {command}")
    lines = "".join(f"<li>{html.escape(fact)}</li>" for fact in facts)
    scatter = score_against_rating(analysis) or "No response has both the score and the rating."
    charts = f"<h2>Metrics with 95 % intervals</h2>{_drawn(correlation_intervals(analysis))}"
    charts += f"<h2>{html.escape(scale_title(analysis.scale))} against {html.escape(analysis.metric)}</h2>"
    charts += f"{_drawn(scatter)}<p class=note>{JITTERED}</p>"
    papers = "".join(map(to_html, paper_tables(analysis)))
    others = "".join(map(to_html, report_tables(analysis)[len(paper_tables(analysis)) :]))
    return (
        "<!doctype html><html lang=en><head><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width, initial-scale=1'>"
        f"<title>Agreement of scores and people</title><style>{_STYLE}</style></head><body>"
        f"<h1>Agreement of scores and people</h1><ul class=facts>{lines}</ul>{papers}{charts}{others}</body></html>\n"
    )


def _drawn(chart: Chart | str) -> str:
    return (
        f"<p class=note>{html.escape(chart)}</p>" if isinstance(chart, str) else picture(chart, "svg").decode("utf-8")
    )


def to_archive(analysis: Analysis) -> bytes:
    """Return a zip of every table in every format, all figures as JSON and the HTML report."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for table in report_tables(analysis):
            for write, suffix, _ in EXPORTS.values():
                archive.writestr(f"{table.name}.{suffix}", write(table))
        archive.writestr("agreement.json", json.dumps(to_json(analysis), indent=1, ensure_ascii=False))
        archive.writestr("report.html", to_report(analysis))
    return out.getvalue()


def to_json(analysis: Analysis) -> dict[str, Any]:
    """Return the analysis as JSON: recipe, account, Tables 5 to 8, 10 and 11, comparisons, raters.

    Figures are unrounded; an undefined one is null and has a "reason".
    """
    recipe = analysis.study.recipe
    return {
        "recipe": {**asdict(recipe), "excluded": sorted(recipe.excluded)},
        "cluster": {
            "unit": recipe.cluster,
            "reason": analysis.study.cluster_reason,
            "level": simulated_level(recipe),
        },
        "import": {**asdict(analysis.imported), "pasted": {k.value: n for k, n in analysis.imported.pasted.items()}},
        "account": dict(analysis.study.account),
        "unanswered": analysis.study.unanswered,
        "notes": list(analysis.notes),
        "correlations": [
            {
                "metric": row.metric,
                "scale": row.scale,
                "level": row.level,
                **_correlation(row.correlation),
                "p_holm": row.adjusted,
                "p_bh": row.adjusted_bh,
                "family": "metrics of this scale, level and coefficient",
                "tests": row.family,
            }
            for row in analysis.correlations
        ],
        "verdicts": [
            {
                "against": table.against,
                "labels": [label.value for label in Label],
                "counts_human_rows": table.counts,
                "accuracy": table.accuracy,
                "n": table.n,
            }
            for table in analysis.verdicts
        ],
        "distributions": [asdict(one) for one in analysis.distributions],
        "systems": {
            "scale": analysis.scale,
            "rows": [asdict(row) for row in analysis.systems],
            "mean_with_negative_rank": [
                {**_correlation(one), "p_holm": rank_p(analysis).get(name), "family": "coefficients of mean and rank"}
                for name, one in analysis.system_correlations.items()
            ],
        },
        "comparisons": [{**asdict(one), "family": "pairs of metrics on this scale"} for one in analysis.comparisons],
        "measures": [asdict(one) for one in analysis.measures],
        "disagreements": [
            {
                "item": one.judged.item.item,
                "system": one.judged.system,
                "metric": analysis.metric,
                "scale": analysis.scale,
                "score": one.score,
                "rating": one.rating,
                "gap": one.gap,
            }
            for one in analysis.disagreements
        ],
        "raters": asdict(analysis.raters),
    }


def _correlation(one: Correlation) -> dict[str, Any]:
    return {**asdict(one), "coefficient": one.coefficient.value, "symbol": SYMBOLS[one.coefficient]}
