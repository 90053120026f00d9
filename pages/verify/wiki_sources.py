"""From a wiki to its sources: the footnotes of the deciding passages, to be read as documents."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.search.cited_sources import cited_in
from core.search.footnotes import Footnote
from core.verification.reading import each_once
from core.verification.receipt import passages
from pages.ui.claim_form.claim_draft import use_request
from pages.ui.markup import label, plain, show, tag
from pages.ui.notices import attempt, quiet
from pages.verify.opened import OpenedCase

FOUND = "footnotes"
HINT = (
    "The deciding passages cite these sources. The button fills the form; nothing is sent before you press its button."
)


def wiki_sources(found: OpenedCase) -> None:
    """Offer the sources that a wiki cites for the deciding passages; nothing where it cites none."""
    if not (notes := footnotes(found)):
        return
    show(tag("div", tag("h2", "Sources of the deciding passages", css="vd-heading"), css="vd"))
    quiet(HINT)
    chosen = [
        note.url
        for number, note in enumerate(notes)
        if st.checkbox(label(note.words), key=f"footnote-{found.id}-{number}", help=plain(note.url))
    ]
    st.button(
        "Check again with these sources",
        key="footnotes-use",
        icon=":material/edit:",
        disabled=not chosen,
        on_click=attempt,
        args=(use, found, tuple(chosen)),
    )


def footnotes(found: OpenedCase) -> tuple[Footnote, ...]:
    """Return the footnotes of a case, read once a session."""
    kept = st.session_state.get(FOUND)
    if not kept or kept[0] != found.id:
        st.session_state[FOUND] = kept = (found.id, cited_in(found.case))
    return kept[1]


def use(found: OpenedCase, urls: tuple[str, ...]) -> None:
    """Fill the form with the claim, the sources to read, and the documents of the case as files beside them."""
    documents = tuple(each_once(passage.document for passage in passages(found.case)))
    use_request(replace(found.request, urls=urls, documents=documents, search=None, example="", stores=()))
    st.query_params.clear()
