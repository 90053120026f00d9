"""A document of a case as it was read, opened at a passage: page by page where it has pages."""

from __future__ import annotations

import re
from bisect import bisect_right

import streamlit as st

from core.types import Document, Span
from core.verification.reading import each_once
from core.verification.receipt import passages
from core.wording import counted
from pages.ui.evidence import day, marked
from pages.ui.markup import Html, link, show, tag
from pages.ui.notices import quiet, remark
from pages.verify.opened import OpenedCase

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
