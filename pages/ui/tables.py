"""The one way in which a table is drawn, chosen from, and taken away."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from core.tabular.exports import EXPORTS
from core.tabular.table import Column, Table, shown
from pages.ui.file_button import file_button
from pages.ui.markup import Html, join, plain, readable, show, tag
from pages.ui.notices import quiet

LONG_CELL = 60
"""Characters from which a cell is widened, so that it is no column of words on a narrow screen."""
RANKED = "vd-ranked"
"""The cells that a table is ordered by: on a narrow screen they stay in sight while the others scroll."""


def show_table(table: Table, key: str = "", *, rows: int | None = None) -> None:
    """Show a table with its title and note, and offer it as files. Numbers are to the right, the best cells bold.

    `key` distinguishes tables of one name on one page. Of a table with more than `rows` the first are shown; the files
    have all.
    """
    show(tag("div", tag("h2", table.heading, css="vd-heading"), css="vd"))
    if not table.rows:
        quiet(f"Nothing to show. {table.note}")
        return
    head = tag("tr", *(_head(table, j) for j in table.read_columns))
    body = join(tag("tr", *_cells(table, i)) for i in range(len(table.rows[:rows])))
    element = tag("table", tag("thead", head), tag("tbody", body), css="vd-scores")
    show(tag("div", element, css="vd vd-scroll", role="region", aria_label=table.heading, tabindex=0))
    if rows is not None and len(table.rows) > rows:
        quiet(f"The first {rows} of {len(table.rows)}; the files hold all.")
    if table.note:
        quiet(table.note)
    if table.signature:
        st.code(table.signature, language=None, wrap_lines=True)
    table_files(table, key)


def table_files(table: Table, key: str = "") -> None:
    """Offer a table in every format; a file is written when it is asked for."""
    with st.popover("Download", icon=":material/download:", type="tertiary", key=f"files-{table.name}-{key}"):
        for name, (write, suffix, mime) in EXPORTS.items():
            file_button(
                name,
                partial(write, table),
                f"{table.name}.{suffix}",
                mime=mime,
                type="tertiary",
                key=f"{table.name}-{key}-{suffix}",
                help=plain(f"{table.title}, as {name}"),
            )


def pick_row(table: Table, key: str, *, wide: str = "") -> int:
    """Show a table to sort and choose from; return the place of the chosen row, at first 0. It must have rows.

    Columns need titles of their own. `wide` is the one that takes the room.
    """
    titles = [column.title for column in table.columns]
    cells = [[readable(cell) if isinstance(cell, str) else cell for cell in row] for row in table.rows]
    picked = st.dataframe(
        pd.DataFrame(cells, columns=titles),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key=key,
        height=min(38 + 35 * len(cells), 360),
        column_config={column.title: _config(column, wide=column.title == wide) for column in table.columns},
    )
    rows = picked.selection.rows if picked else []
    return int(rows[0]) if rows and rows[0] < len(cells) else 0


def _config(column: Column, *, wide: bool) -> ColumnConfig:
    title, hint = readable(column.heading), column.help or None
    if column.digits is None:
        return st.column_config.TextColumn(title, help=hint, width="large" if wide else None)
    return st.column_config.NumberColumn(title, help=hint, format=f"%.{column.digits}f")


def _head(table: Table, j: int) -> Html:
    column, ranked = table.columns[j], j == table.ranked
    mark = tag("span", " ▾", aria_label=" (ranked by this)") if ranked else ""
    css = RANKED if ranked else _side(column)
    sort = "descending" if ranked else None
    return tag("th", wrapped(column.heading), mark, scope="col", title=column.help or None, aria_sort=sort, css=css)


def _cells(table: Table, i: int) -> list[Html]:
    cells = []
    for j in table.read_columns:
        column = table.columns[j]
        words: object = wrapped(shown(table.rows[i][j], column))
        if (i, j) in table.best:
            words = tag("strong", words, css="vd-best", title="Best of this block")
        small = table.below.get((i, j))
        parts = [words, tag("span", small, css="vd-interval")] if small else [words]
        side = _side(column) + (" vd-words" if len(str(table.rows[i][j])) > LONG_CELL else "")
        cells.append(tag("td", *parts, css=RANKED if j == table.ranked else side))
    return cells


def _side(column: Column) -> str:
    return "vd-left" if column.digits is None else ""


def wrapped(words: str) -> Html:
    """Return words that may break after a slash, and not inside a word."""
    return join(words.split("/"), Html("/<wbr>"))
