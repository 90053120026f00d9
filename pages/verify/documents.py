"""The documents behind a case, as a table that sorts, and as a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from math import inf

import streamlit as st

from core.types import Case, CorpusSummary, Hit, NotSearched
from core.wording import counted
from pages.ui.evidence import day, in_context
from pages.ui.markup import Html, link, show, tag
from pages.ui.notices import remark

FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")

ORDERS: dict[str, Callable[[Hit], float]] = {
    "As used": lambda hit: hit.rank,
    "By words": lambda hit: hit.bm25_rank or inf,
    "By meaning": lambda hit: hit.dense_rank or inf,
    "Newest first": lambda hit: -published.toordinal() if (published := hit.passage.document.published) else inf,
}
RANKS = (
    "“By words” and “by meaning” are a passage’s ranks in the two searches. The first uses the words "
    "shared with the claim (BM25), the second closeness in meaning (cosine of MiniLM vectors). 1 is best; “–” means "
    "that this search did not find it."
)


def documents_table(case: Case) -> None:
    """Show the passages found with their ranks, each a click away, in the order that the reader chooses."""
    if not case.hits:
        remark("The search found no passage in these documents.")
        return
    order = st.segmented_control("Order", list(ORDERS), key="documents-order", default="As used", required=True)
    hits = sorted(case.hits, key=ORDERS[order or "As used"])
    titles = ("Rank", "Document and passage", "Date", "By words", "By meaning")
    head = tag("thead", tag("tr", *(tag("th", title, scope="col") for title in titles)))
    body = tag("tbody", *(document_row(case, hit, titles) for hit in hits))
    show(tag("div", tag("table", head, body, css="vd-listing"), tag("p", RANKS, css="vd-quiet"), css="vd"))


def document_row(case: Case, hit: Hit, titles: Sequence[str]) -> Html:
    document = hit.passage.document
    cells = (
        document_cell(case, hit),
        day(document.published),
        hit.bm25_rank or "–",
        hit.dense_rank or "–",
    )
    data = (tag("td", cell, data_title=title) for cell, title in zip(cells, titles[1:], strict=True))
    return tag("tr", tag("th", hit.rank, scope="row"), *data)


def document_cell(case: Case, hit: Hit) -> Html:
    """Return the document's title, which opens its passage, and its site."""
    document = hit.passage.document
    title = document.title or f"{hit.passage.text[:80]}…"
    return tag(
        "div",
        tag("details", tag("summary", title), in_context(hit.passage, query=searched_for(case, hit))),
        tag("p", link(document.url, document.site), css="vd-source"),
    )


def searched_for(case: Case, hit: Hit) -> str:
    """Return the claim and the queries that found a passage: the words that it may share with them are marked."""
    found_by = (ranking.query for ranking in case.rankings if any(one.passage == hit.passage for one in ranking.hits))
    return " ".join((case.claim.text, *found_by))


def searched(corpus: CorpusSummary) -> Html:
    """Return in one line the documents searched and those left out."""
    facts = [f"{counted(corpus.documents, 'document')} with {counted(corpus.passages, 'passage')} searched"]
    if corpus.undated:
        facts.append(f"{counted(corpus.undated, 'document')} without a date")
    if corpus.late:
        facts.append(f"{corpus.late:,} left out: published after the claim")
    line = tag("p", *(tag("span", fact) for fact in facts), css="vd-facts")
    return tag("div", line, left_out(corpus.not_searched))


def left_out(documents: Sequence[NotSearched]) -> Html:
    """Return the documents that were not searched, by name, and why; nothing where all were."""
    if not documents:
        return Html()
    lines = (
        tag("li", tag("span", one.title, css="vd-strong"), f", {day(one.published)}: {one.why}") for one in documents
    )
    return tag(
        "details",
        tag("summary", f"Not searched: {counted(len(documents), 'document')}"),
        tag("ul", *lines, css="vd-text", style="padding-left: 1.4rem"),
    )


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
