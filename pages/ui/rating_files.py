"""List the rows of an import that were kept and skipped, and offer ratings as files."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.agreement.paper_tables import scale_title
from core.agreement.ratings import ImportReport, RatingImport
from core.campaigns.exchange.dictionary import dictionary_csv
from core.campaigns.exchange.rating_exports import (
    argilla,
    label_studio,
    label_studio_interface,
    ratings_csv,
    ratings_jsonl,
)
from core.tabular.table import Column, Table
from pages.ui.file_button import file_button
from pages.ui.notices import quiet, remark
from pages.ui.tables import show_table


def show_import(report: ImportReport, notes: Sequence[str]) -> None:
    """Show rows read, kept and skipped with the reason, answers not usable, missing ratings and forms of evidence."""
    for note in (*report.notes, *notes):
        remark(note)
    what, rows = Column("What"), Column("Rows", 0)
    counts = (
        ("read", report.read),
        ("kept", report.kept),
        ("skipped", len(report.skipped)),
        ("addresses replaced by pseudonyms", report.renamed),
        *((f"no answer to {scale_title(scale).lower()}", count) for scale, count in report.missing.items()),
        *((f"evidence pasted as {form.value}", count) for form, count in report.pasted.items()),
    )
    ignored = f"Columns not read: {', '.join(report.ignored_columns)}." if report.ignored_columns else ""
    show_table(Table("import", f"Rows read from {report.file}", (what, rows), counts, ignored))
    unused = tuple((one.row, one.reason) for one in (*report.skipped, *report.unused_answers))
    if unused:
        columns = (Column("Row", 0), Column("Why"))
        show_table(Table("unused", "Rows skipped and answers not used", columns, unused, "Row 1 has the titles."))


def show_exports(ratings: RatingImport) -> None:
    """Offer the ratings as they were read, with pseudonyms in place of addresses."""
    quiet("The ratings, under pseudonyms:")
    row = st.container(horizontal=True)
    for label, name, kind, export in (
        ("CSV", "ratings.csv", "text/csv", lambda: ratings_csv(ratings)),
        ("JSON lines", "ratings.jsonl", "application/jsonl", lambda: ratings_jsonl(ratings)),
        ("Label Studio tasks", "label-studio.json", "application/json", lambda: label_studio(ratings)),
        ("… and interface", "label-studio.xml", "text/xml", lambda: label_studio_interface(ratings)),
        ("Argilla records", "argilla.json", "application/json", lambda: argilla(ratings)),
        ("Data dictionary", "data_dictionary.csv", "text/csv", lambda: dictionary_csv(ratings.scales, ratings.own)),
    ):
        file_button(label, export, name, mime=kind, place=row, key=name)
