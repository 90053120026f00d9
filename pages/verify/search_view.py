"""The result of a search: the queries by source, the documents with their sources, and those left out."""

from __future__ import annotations

import streamlit as st

from core.errors import VerideskError
from core.search.search_request import own_snapshots
from core.search.snapshots import records_of
from core.search_report import Origin, SearchReport
from core.tabular.table import Column, Table
from core.wording import counted
from pages.ui.evidence import day
from pages.ui.notices import notice, quiet
from pages.ui.tables import pick_row, show_table
from pages.verify.wiki_changes_view import changes_since

SEARCHES = (Column("Asked"), Column("Query"), Column("Answer"), Column("Addresses", 0), Column("Details"))
LEFT_OUT = (Column("Address"), Column("Why"), Column("In words"), Column("Named by"), Column("For the query"))
READ = (
    Column("Page"), Column("Date"), Column("Date from", help="Source of the date"),
    Column("Is", help="Before or after the claim, or unknown"), Column("Named by"), Column("For the query"),
    Column("Rank", 0, help="Rank at that source; 1 is the first"), Column("Remarks"),
    Column("Read", help="When the page was read, UTC"),
    Column("Snapshot", help="SHA-256 of the page as it was read"),
)  # fmt: skip


def search_view(report: SearchReport) -> None:
    """Show the queries, the pages read and those left out."""
    found = counted(len(report.origins) + len(report.left_out), "page")
    title = f"Searched: {found} found, {len(report.origins)} used, {len(report.left_out)} left out"
    with st.expander(title, expanded=not report.origins, icon=":material/travel_explore:"):
        searches = tuple((one.source, one.query, one.status, one.found, one.message) for one in report.searches)
        show_table(Table("searches", "Queries by source", SEARCHES, searches), "searches")
        pages_read(report)
        left = tuple((one.url, str(one.reason), one.message, one.source, one.query) for one in report.left_out)
        note = "" if left else "Every page that was found is used." if report.origins else "No page was found."
        show_table(Table("left-out", "Found and left out", LEFT_OUT, left, note), "left-out", rows=50)


def pages_read(report: SearchReport) -> None:
    """Show the pages that were used; the chosen one can be opened as it was read."""
    if not report.origins:
        return
    table = Table("pages-read", "Pages used", READ, tuple(_row(origin) for origin in report.origins))
    origin = report.origins[pick_row(table, "pages-read", wide="Page")]
    try:
        kept = own_snapshots().path(origin.snapshot).is_file()
        content = records_of(own_snapshots().open(origin.snapshot, origin.url, origin.read)) if kept else b""
    except VerideskError as error:
        notice(str(error))
        return
    if not kept:
        quiet("The snapshot of this page is not kept any more: the room for snapshots is bounded.")
    else:
        st.download_button(
            "The page as it was read",
            content,
            f"{origin.snapshot[:12]}.warc.gz",
            "application/warc",
            icon=":material/download:",
            help="A WARC file; replayweb.page opens it.",
            on_click="ignore",
        )
        changes_since(origin)


def _row(origin: Origin) -> tuple[str | int, ...]:
    remarks = [
        "a fact-checker’s site" if origin.fact_checker else "",
        f"changed on {day(origin.changed)}, after the claim" if origin.changed else "",
    ]
    return (
        origin.url,
        day(origin.published) if origin.published else "",
        origin.date_source,
        str(origin.when),
        origin.source,
        origin.query,
        origin.rank,
        "; ".join(remark for remark in remarks if remark),
        f"{origin.read:%Y-%m-%d %H:%M:%S}" if origin.read else "",
        origin.snapshot[:12],
    )
