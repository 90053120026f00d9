"""A table of the agreement report on the page, and everything as files."""

from __future__ import annotations

import json
from collections.abc import Callable

import streamlit as st

from core.agreement.agreement_report import to_archive, to_json, to_report
from core.agreement.analysis import Analysis
from core.tabular.table_export import Table, shown, to_csv, to_latex
from pages.ui.markup import Html, join, show, tag
from pages.ui.notices import quiet


def show_table(table: Table) -> None:
    """Show a table with its title and note; numbers to the right, the best cells strong."""
    show(tag("div", tag("h2", table.title, css="vd-heading"), css="vd"))
    if not table.rows:
        quiet("Nothing to show. " + table.note)
        return
    head = tag(
        "tr",
        *(tag("th", c.title, scope="col", css="vd-left" if c.digits is None else "") for c in table.columns),
    )
    body = join(tag("tr", *_cells(table, i)) for i in range(len(table.rows)))
    element = tag("table", tag("thead", head), tag("tbody", body), css="vd-scores")
    show(tag("div", element, css="vd vd-scroll", role="region", aria_label=table.title, tabindex=0))
    if table.note:
        quiet(table.note)


def _cells(table: Table, i: int) -> list[Html]:
    cells = []
    for j, (cell, column) in enumerate(zip(table.rows[i], table.columns, strict=True)):
        words: object = shown(cell, column)
        if (i, j) in table.best:
            words = tag("strong", words, css="vd-best", title="Best of this block")
        cells.append(tag("td", words, css="vd-left" if column.digits is None else ""))
    return cells


def downloads(analysis: Callable[[], Analysis]) -> None:
    """Offer the report and every table as files; `analysis` computes it with all levels when one is asked for."""
    quiet("The report is one HTML file that needs nothing else. It names the recipe, the seed and every row left out.")
    row = st.container(horizontal=True)
    row.download_button(
        "Report (HTML)", lambda: to_report(analysis()), "agreement.html", "text/html", type="primary", on_click="ignore"
    )
    row.download_button(
        "All tables (CSV and LaTeX, zip)",
        lambda: to_archive(analysis()),
        "agreement.zip",
        "application/zip",
        on_click="ignore",
    )
    row.download_button(
        "All figures (JSON)",
        lambda: json.dumps(to_json(analysis()), indent=1, ensure_ascii=False),
        "agreement.json",
        "application/json",
        on_click="ignore",
    )


def table_downloads(tables: tuple[Table, ...]) -> None:
    """Offer one table as CSV or LaTeX."""
    names = {table.name: table for table in tables}
    name = st.selectbox("One table", list(names), format_func=lambda key: names[key].title, key="agreement-table")
    row = st.container(horizontal=True)
    row.download_button("CSV", to_csv(names[name]), f"{name}.csv", "text/csv", on_click="ignore")
    row.download_button("LaTeX", to_latex(names[name]), f"{name}.tex", "text/x-tex", on_click="ignore")
    st.code(to_latex(names[name]), language="latex")
