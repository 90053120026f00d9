"""List the documents to be searched: title, date and its source, which the person can correct."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

import streamlit as st

from core.dates import dated
from core.documents.dateline import TEXT
from core.documents.examples import examples
from core.types import Document
from core.verification.reading import YOU
from core.verification.request import Request
from core.wording import counted
from pages.ui.claim_form.claim_draft import DATES, WITHOUT, field
from pages.ui.evidence import day
from pages.ui.markup import plain
from pages.ui.notices import quiet

AT_ONCE = 10
"""Documents on one page of the list."""
FROM = {
    "page": "as the page says",
    "address": "as its address says",
    "record": "as its store says",
    TEXT: "as its text says",
    YOU: "set by you",
}


def source_list(documents: Sequence[Document]) -> None:
    """List the documents to search; the dates can be changed, and documents left out."""
    if not documents:
        return
    kept = [document for document in documents if document.digest not in left_out()]
    later = [document for document in kept if is_late(document)]
    words = f"To be searched: {counted(len(kept) - len(later), 'document')} of {len(documents)}"
    with st.expander(words, icon=":material/list:", key="verify-sources"):
        quiet("Untick the documents to leave out. A date that you type replaces the date that was found.")
        pages = -(-len(documents) // AT_ONCE)
        page = min(int(st.session_state.get("verify-sources-page", 1)), pages)
        for document in documents[(page - 1) * AT_ONCE : page * AT_ONCE]:
            source_row(document)
        if pages > 1:
            st.pagination(pages, key="verify-sources-page")


def source_row(document: Document) -> None:
    title = document.title or document.site
    left, right = st.columns([3, 1], vertical_alignment="center")
    tick, when = f"source-{document.digest}", f"source-date-{document.digest}"
    left.checkbox(
        plain(title), value=document.digest not in left_out(), key=tick, on_change=tick_source, args=(document, tick)
    )
    right.date_input(
        f"Date of {plain(title)}",
        value=dates().get(document.digest, document.published),
        key=when,
        min_value="1800-01-01",
        format="YYYY-MM-DD",
        label_visibility="collapsed",
        on_change=date_source,
        args=(document, when),
    )
    with left:
        quiet(", ".join(part for part in (document.url if document.title else "", said_of_date(document)) if part))


def said_of_date(document: Document) -> str:
    """Return when a document was published and who says so, and whether that leaves it out."""
    document = with_own_date(document)
    if document.published is None:
        return "no date: searched all the same"
    late = "; after the claim, so it is not searched" if is_late(document) else ""
    return f"{day(document.published)}, {FROM.get(document.date_source, 'of unknown origin')}{late}"


def is_late(document: Document) -> bool:
    """Whether a document is from after the claim, as the form dates both, and therefore not searched."""
    said, published = st.session_state.get(field("date")), with_own_date(document).published
    return bool(said and published and published > said and not st.session_state.get(field("late")))


def with_own_date(document: Document) -> Document:
    return dated(document, dates()[document.digest], YOU) if document.digest in dates() else document


def tick_source(document: Document, key: str) -> None:
    (left_out().discard if st.session_state[key] else left_out().add)(document.digest)


def date_source(document: Document, key: str) -> None:
    dates()[document.digest] = st.session_state[key]


def left_out() -> set[str]:
    """Return the digests of the documents that the person leaves out."""
    found: set[str] = st.session_state.setdefault(WITHOUT, set())
    return found


def dates() -> dict[str, date | None]:
    """Return the days that the person gives to documents, by digest; None where they say that it is unknown."""
    found: dict[str, date | None] = st.session_state.setdefault(DATES, {})
    return found


def documents_of_example(example_id: str) -> Sequence[Document]:
    return next((example.documents for example in examples() if example.id == example_id), ())


def as_changed(asked: Request, documents: Iterable[Document]) -> Request:
    """Return the request, with the person's changes to the listed documents."""
    listed = {document.digest for document in documents}
    without = tuple(sorted(listed & left_out()))
    return replace(asked, without=without, dates={one: day for one, day in dates().items() if one in listed})
