"""Everything of an analysis as files."""

from __future__ import annotations

import json
from collections.abc import Callable

import streamlit as st

from core.agreement.agreement_report import to_archive, to_json, to_report
from core.agreement.analysis import Analysis
from pages.ui.notices import quiet


def downloads(analysis: Callable[[], Analysis]) -> None:
    """Offer the report and every table as files; `analysis` computes it with all levels when one is asked for."""
    quiet("The report is one HTML file that needs nothing else. It names the recipe, the seed and every row left out.")
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
        row.download_button(label, write, name, mime, type="secondary" if place else "primary", on_click="ignore")
