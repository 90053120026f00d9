"""The documents behind a case, as a table that sorts, and each as a whole."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from math import inf

import streamlit as st

from core.types import Case, CorpusSummary, Document, Hit, NotSearched, Span
from core.verification.reading import each_once
from core.verification.receipt import passages
from core.wording import counted
from pages.ui.evidence import day, in_context, marked
from pages.ui.markup import Html, link, show, tag
from pages.ui.notices import quiet, remark
from pages.verify.opened import OpenedCase

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


SHEET = 8_000
"""Characters, or somewhat more, that are shown at once of a document without pages."""
PLACE = re.compile(r"(\d{1,9})-(\d{1,9})")


def show_document(found: OpenedCase, digest: str) -> None:
    """Show the document of this digest's beginning, at the place that the address names."""
    document = document_of(found, digest)
    if document is None:
        remark("This case has no such document: the address was not copied whole.")
        return
    span = place_in(document, str(st.query_params.get("at", "")))
    sheets = sheets_of(document)
    shown = f"sheet-{document.digest}"
    st.session_state.setdefault(shown, bisect_right([start for start, _ in sheets], span[0]) or 1)
    show(heading(document))
    if len(sheets) > 1:
        st.pagination(len(sheets), key=shown)
    number = min(int(st.session_state[shown]), len(sheets))
    start, end = sheets[number - 1]
    if len(sheets) > 1:
        quiet(f"{'Page' if document.pages else 'Part'} {number} of {len(sheets)}")
    show(tag("div", marked(document.text, start, end, [span]), css="vd vd-card vd-text vd-sheet", dir="auto"))


def close_document() -> None:
    for name in ("document", "at"):
        st.query_params.pop(name, None)


def document_of(found: OpenedCase, digest: str) -> Document | None:
    """Return a document of a case, found or only searched, by the beginning of its digest."""
    documents = each_once((*(passage.document for passage in passages(found.case)), *found.request.documents))
    return next((one for one in documents if digest and one.digest.startswith(digest)), None)


def place_in(document: Document, written: str) -> Span:
    """Return the characters that an address names as "12-40"; none where it names no place in the text."""
    numbers = PLACE.fullmatch(written)
    start, end = (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)
    return (start, end) if start < end <= len(document.text) else (0, 0)


def sheets_of(document: Document) -> list[Span]:
    """Return the characters of each page, or of parts that end with a line where there are no pages."""
    text = document.text
    starts = list(document.pages) or [0]
    while not document.pages and (line := text.find("\n", starts[-1] + SHEET)) >= 0:
        starts.append(line + 1)
    return list(zip(starts, [*starts[1:], len(text)], strict=True))


def heading(document: Document) -> Html:
    pages = counted(len(document.pages), "page") if document.pages else ""
    read = f"read as {document.encoding}" if document.encoding else ""
    facts = (link(document.url, document.site), day(document.published), pages, read)
    return tag(
        "header",
        tag("h1", document.title or document.site, css="vd-claim vd-long"),
        tag("p", *(tag("span", fact) for fact in facts if fact), css="vd-facts"),
        tag("p", "The text as it was read and searched.", css="vd-quiet"),
        css="vd",
    )
