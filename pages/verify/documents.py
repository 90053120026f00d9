"""The documents behind a case, as a table that sorts, and as a file."""

from __future__ import annotations

import csv
import io

import pandas as pd
import streamlit as st

from core.types import Case, CorpusSummary, Hit
from core.wording import counted
from pages.ui.evidence import in_context, source
from pages.ui.markup import JOINER, Html, safe_url, tag
from pages.ui.notices import remark

FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


def documents_table(case: Case) -> Hit | None:
    """Show the passages found with their ranks, best first; return the one whose row is chosen."""
    if not case.hits:
        remark("The search found no passage in these documents.")
        return None
    rows = [
        {
            "Rank": hit.rank,
            "Title": harmless(hit.passage.document.title or hit.passage.text[:80]),
            "Site": harmless(hit.passage.document.site),
            "Date": hit.passage.document.published,
            "Words": hit.bm25_rank,
            "Meaning": hit.dense_rank,
            "Link": safe_url(hit.passage.document.url) or None,
        }
        for hit in case.hits
    ]
    chosen = st.dataframe(
        pd.DataFrame(rows).astype({"Words": "Int64", "Meaning": "Int64"}),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row-required",
        selection_default={"selection": {"rows": [0]}},
        key="documents",
        placeholder="–",
        height=min(38 + 35 * len(rows), 400),
        column_config={
            "Rank": st.column_config.NumberColumn(width=55, help="The order in which the passages were used."),
            "Title": st.column_config.TextColumn(width=340),
            "Site": st.column_config.TextColumn(width=150),
            "Date": st.column_config.DateColumn(format="D MMM YYYY", width=105),
            "Words": st.column_config.NumberColumn(
                width=70, help="Rank by shared words (BM25); empty where that search did not find the passage."
            ),
            "Meaning": st.column_config.NumberColumn(
                width=80, help="Rank by closeness in meaning (cosine of MiniLM vectors), 1 is closest."
            ),
            "Link": st.column_config.LinkColumn(display_text="Open", width=60),
        },
    )
    chosen_rows = chosen.selection.rows if chosen else []
    return case.hits[chosen_rows[0]] if chosen_rows and chosen_rows[0] < len(case.hits) else None


def harmless(cell: str) -> str:
    """Return a cell that a spreadsheet runs as no formula: the table has a download of its own."""
    return f"{JOINER}{cell}" if cell.lstrip().startswith(FORMULA_SIGNS) else cell


def passage_view(hit: Hit, query: str) -> Html:
    """Return a passage in its context with the words marked that it shares with the query."""
    note = "Words shared with the query are underlined; the text around the passage is grey."
    return tag(
        "div",
        source(hit.passage.document),
        in_context(hit.passage, query=query),
        tag("p", note, css="vd-quiet"),
        css="vd",
    )


def searched(corpus: CorpusSummary) -> Html:
    """Return in one line what was searched and what was left out."""
    facts = [f"{counted(corpus.documents, 'document')} with {counted(corpus.passages, 'passage')} searched"]
    if corpus.undated:
        facts.append(f"{counted(corpus.undated, 'document')} without a date")
    if corpus.late:
        facts.append(f"{corpus.late:,} left out: published after the claim")
    return tag("p", *(tag("span", fact) for fact in facts), css="vd-facts")


def evidence_csv(case: Case) -> bytes:
    """Return the question–answer pairs as CSV for a spreadsheet (UTF-8 with a byte-order mark).

    A cell that a spreadsheet would run as a formula begins with an apostrophe.
    """
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["number", "question", "answer", "title", "site", "date", "address", "passage"])
    for number, pair in enumerate(case.evidence, start=1):
        document = pair.passage.document if pair.passage else None
        cells = [
            pair.question,
            pair.answer,
            document.title if document else "",
            document.site if document else "",
            document.published.isoformat() if document and document.published else "",
            document.url if document else "",
            pair.passage.text if pair.passage else "",
        ]
        writer.writerow([number, *(guarded(cell) for cell in cells)])
    return file.getvalue().encode("utf-8-sig", "replace")


def guarded(cell: str) -> str:
    return f"'{cell}" if cell.lstrip(" ").startswith(FORMULA_SIGNS) else cell
