"""What stands behind a leaderboard: breakdowns, differences, verdicts, rules. Each table can be downloaded."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.scoring.ev2r import RULES
from core.scoring.items import VERDICT_PREFIX
from core.scoring.report import Leaderboard, SystemReport, leaderboard
from core.scoring.tables import (
    breakdown_table,
    confusion_table,
    difference_table,
    on_threshold_table,
    rules_table,
)
from core.tabular.table_export import Cell, Table
from core.types import Label
from pages.score.board import best_of, show_ranking
from pages.score.judging import written_rule
from pages.ui.downloads import table_files
from pages.ui.markup import Html, join, plain, show, tag
from pages.ui.notices import quiet
from pages.ui.tables import show_table


def show_breakdown(board: Leaderboard) -> None:
    """Show the ranking score by claim type and gold verdict, as the shared task's Table 4."""
    table = breakdown_table(board)
    for kind in dict.fromkeys(row[0] for row in table.rows):
        show(breakdown(table, str(kind)))
    if not any(row[0] == "claim type" for row in table.rows):
        quiet("This gold file does not tell claim types (leaderboard CSV never does).")
    table_files(table)


def breakdown(table: Table, kind: str) -> Html:
    """Return the rows of one kind of group as a table."""
    titles = (kind.capitalize(), *(column.title for column in table.columns[2:]))
    head = tag("tr", *(tag("th", title, scope="col", css="" if i else "vd-left") for i, title in enumerate(titles)))
    rows = join(breakdown_row(row[1:]) for row in table.rows if row[0] == kind)
    element = tag("table", tag("thead", head), tag("tbody", rows), css="vd-scores")
    return tag("div", element, css="vd vd-scroll", role="region", aria_label=f"By {kind}", tabindex=0)


def breakdown_row(row: Sequence[Cell]) -> Html:
    group, count, *values = row
    best = best_of([value for value in values if isinstance(value, float)])
    cells = (tag("td", score_words(value, best)) for value in values)
    return tag("tr", tag("th", wrapped(str(group)), scope="row", css="vd-left"), tag("td", count), join(cells))


def score_words(value: Cell, best: float | None) -> Html | str:
    if not isinstance(value, float):
        return "–"
    return tag("strong", f"{value:.4f}", css="vd-best") if value == best else f"{value:.4f}"


def wrapped(words: str) -> Html:
    """Return words that may break after a slash, and not inside a word."""
    return join(words.split("/"), Html("/<wbr>"))


def system_heads(reports: Sequence[SystemReport]) -> list[Html]:
    return [tag("th", report.name, scope="col") for report in reports]


def show_significance(board: Leaderboard) -> None:
    """Show each pair of systems: the difference of their ranking scores and its corrected p value."""
    if board.comparison is None:
        quiet(board.untested)
        return
    found = board.comparison
    reports = [standing.report for standing in board.standings]
    head = tag("tr", tag("th", "Row minus column", scope="col", css="vd-left"), *system_heads(reports))
    rows = []
    for i, report in enumerate(reports):
        cells = [
            tag("td", "·") if i == j else pair_cell(found.difference[i, j], found.adjusted[i, j])
            for j in range(len(reports))
        ]
        rows.append(tag("tr", tag("th", report.name, scope="row", css="vd-left"), join(cells)))
    table = tag("table", tag("thead", head), tag("tbody", join(rows)), css="vd-scores")
    show(tag("div", table, css="vd vd-scroll", role="region", aria_label="Differences", tabindex=0))
    quiet(
        f"Difference of means, below it the p value of a paired permutation test ({found.resamples:,} draws, "
        f"seed {found.seed}) after Holm's correction. A tilde marks differences that are not significant."
    )
    table_files(difference_table(board))


def pair_cell(difference: float, p: float) -> Html:
    near = "~" if p >= 0.05 else ""
    return tag(
        "td", f"{near}{difference:+.4f}", tag("span", f"p {'< .001' if p < 0.001 else f'= {p:.3f}'}", css="vd-interval")
    )


def show_verdicts(board: Leaderboard) -> None:
    """Show the confusion matrix and the F1 of the verdicts of each system."""
    for place, standing in enumerate(board.standings):
        report = standing.report
        accuracy, macro = report.score("verdict:accuracy"), report.score("verdict:macro-f1")
        st.markdown(f"**{plain(report.name)}**")
        if accuracy and macro and accuracy.value is not None and macro.value is not None:
            quiet(f"Accuracy {accuracy.value:.4f}, macro F1 {macro.value:.4f}.")
        show_confusion(report)
        table_files(confusion_table(report), key=str(place))


def show_confusion(report: SystemReport) -> None:
    """Show which verdicts a system gave for each gold verdict."""
    counts = report.confusion
    columns = [label.value for label in Label] + (["none of these"] if counts[:, -1].any() else [])
    f1 = [report.score("verdict:f1", VERDICT_PREFIX + label) for label in Label]
    last = [tag("th", "F1", scope="col", title="Of this verdict. 0 to 1, higher is better.")] if any(f1) else []
    head = tag(
        "tr",
        tag("th", "Gold ↓  System →", css="vd-left"),
        *(tag("th", wrapped(c), scope="col") for c in columns),
        *last,
    )
    rows = [
        tag(
            "tr",
            tag("th", wrapped(label.value), scope="row", css="vd-left"),
            *confusion_cells(counts[i], i, len(columns)),
            tag("td", f"{score.value:.4f}") if (score := f1[i]) and score.value is not None else "",
        )
        for i, label in enumerate(Label)
    ]
    table = tag("table", tag("thead", head), tag("tbody", *rows), css="vd-scores vd-confusion")
    show(tag("div", table, css="vd vd-scroll", role="region", aria_label=f"Verdicts of {report.name}", tabindex=0))


def confusion_cells(row: NDArray[np.int64], gold: int, columns: int) -> list[Html]:
    total = max(1, int(row.sum()))
    return [
        tag(
            "td",
            tag("strong", str(row[j])) if j == gold else str(row[j]),
            tag("span", f"{100 * row[j] / total:.0f} %", css="vd-interval"),
        )
        for j in range(columns)
    ]


def show_rules(reports: Sequence[SystemReport]) -> None:
    """Show the Ev²R leaderboard under the three published rules, and the claims on which they part."""
    st.markdown("**AVeriTeC score under the three published rules**, from the same recalls")
    for column, rule in zip(st.columns(len(RULES)), RULES, strict=True):
        with column:
            st.markdown(plain(f"recall {written_rule(rule)}"))
            show_ranking(leaderboard(reports, f"ev2r:averitec{rule}"))
    table_files(rules_table(reports))
    table = on_threshold_table(reports)
    if not table.rows:
        quiet("No item sits exactly on the threshold of 0.5.")
        return
    show_table(table)
    table_files(table)
