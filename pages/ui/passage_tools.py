"""Tools for a passage: copy it with its citation, and mark it as useful or not."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from core.types import Passage, Span
from core.verification.report.sources import source_of
from core.verification.review import Mark, Review, passage_key
from pages.ui.markup import Html, tag
from pages.ui.page_script import copy_button, mark_button

COPY = "Copy with citation"
IN_USE = "vd-in-use"
"""The session's key of the passage that was marked last: it stays open."""
WORDS = {Mark.USEFUL: "Useful", Mark.WRONG: "Wrong", Mark.UNRELATED: "Not about it"}


def quotation(passage: Passage, span: Span | None = None) -> str:
    """Return the words of a passage, or of a stretch of its document, with their citation: for an article."""
    start, end = span or (passage.start, passage.end)
    words = passage.document.text[start:end].strip()
    return f"“{words}”\n— {source_of(passage.document, start).citation}"


def passage_tools(passage: Passage, span: Span | None, review: Review | None) -> Html:
    """Return the row of actions on a passage. At most one row on a page is open, that of the passage in use.

    Without a review to write in, the row cannot mark the passage.
    """
    copy = copy_button(quotation(passage, span), COPY)
    return tag(
        "details",
        tag("summary", "Copy, open or mark" if review else "Copy or open"),
        tag("div", copy, open_document(passage), marks(passage, review) if review else "", css="vd-tools"),
        name_="vd-actions",
        open=st.session_state.get(IN_USE) == passage_key(passage),
    )


def open_document(passage: Passage) -> Html:
    """Return a link to the passage in its document, in a new tab, on the page of one case."""
    case = st.query_params.get("case")
    if not case:
        return Html()
    page = passage.document.page(passage.start)
    where = {"case": case, "document": passage.document.digest[:16], "at": f"{passage.start}-{passage.end}"}
    words = f"Open the document at page {page}" if page else "Open the document here"
    return tag("a", words, href=f"?{urlencode(where)}", target="_blank", css="vd-open")


def marks(passage: Passage, review: Review) -> Html:
    key = passage_key(passage)
    buttons = (mark_button(key, str(mark), word, pressed=review.marks.get(key) is mark) for mark, word in WORDS.items())
    lead = tag("span", "I find it", css="vd-quiet", aria_hidden="true")
    return tag("span", lead, *buttons, css="vd-marks", role="group", aria_label="Use of this passage")
