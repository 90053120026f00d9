"""One table as files, below where it is shown."""

from __future__ import annotations

import streamlit as st

from core.tabular.table_export import Table, to_csv, to_json, to_latex
from pages.ui.markup import plain


def table_files(table: Table, key: str = "") -> None:
    """Offer a table as CSV, JSON and LaTeX. `key` tells tables of one name on one page apart."""
    formats = (("CSV", to_csv, "csv", "text/csv"), ("JSON", to_json, "json", "application/json"))
    with st.container(horizontal=True, gap="small"):
        for name, write, suffix, mime in (*formats, ("LaTeX", to_latex, "tex", "text/x-tex")):
            st.download_button(
                name,
                write(table),
                f"{table.name}.{suffix}",
                mime,
                type="tertiary",
                icon=":material/download:",
                key=f"{table.name}-{key}-{suffix}",
                help=plain(f"{table.title}, as {name}"),
                on_click="ignore",
            )
