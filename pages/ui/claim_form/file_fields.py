"""Take files into the form, and list the documents that were read from them."""

from __future__ import annotations

import streamlit as st

from core.documents.documents import read_files
from core.errors import BadInput
from core.verification.reading import each_once
from core.wording import counted
from pages.ui.claim_form.collection_fields import keep_field
from pages.ui.claim_form.source_list import source_list
from pages.ui.claim_form.uploads import add_uploads, drop_upload, uploads
from pages.ui.markup import tag
from pages.ui.notices import attempt, notice, reading_toast

KINDS = "pdf docx doc odt rtf epub html htm xhtml md markdown txt zip jsonl json".split()


def file_fields() -> None:
    st.file_uploader(
        "Files",
        type=KINDS,
        accept_multiple_files=True,
        key=uploader(),
        on_change=attempt,
        args=(take_files,),
        max_upload_size=50,
        help="PDF, DOCX, ODT, RTF, EPUB, HTML, Markdown, text, a ZIP of those, or a knowledge store (JSONL). "
        "50 MB per file at most.",
    )
    for problem in st.session_state.get("verify-problems", ()):
        notice(problem)
    for name, documents in uploads().items():
        row = st.container(horizontal=True, vertical_alignment="center", key=f"vd-upload-{name}")
        facts = (tag("span", name, css="vd-strong"), tag("span", counted(len(documents), "document")))
        row.html(tag("div", tag("p", *facts, css="vd-facts"), css="vd"), width="content")
        row.button("Remove", key=f"remove-{name}", type="tertiary", on_click=drop_upload, args=(name,))
    source_list(each_once(document for found in uploads().values() for document in found))
    keep_field()


def take_pending() -> None:
    """Take in an upload of a moment ago: a click may come before it was read, and cut that short."""
    if st.session_state.get(uploader()):
        take_files()


def uploader() -> str:
    """Return the session's key of the uploader, a new one after each upload."""
    return f"verify-files-{st.session_state.setdefault('verify-turn', 0)}"


def take_files() -> None:
    """Read the files once and release them: the uploader would keep them, and lose them on a page change."""
    given = st.session_state[uploader()]
    if not given:
        return
    with reading_toast(len(given), "file"):
        reading = [(file.name, read_files([(file.name, file.getvalue())])) for file in given]
    problems = [words for _, found in reading for words in found.problems]
    problems += [f"{name}: {found.empty} of its records have no text." for name, found in reading if found.empty]
    try:
        add_uploads([(name, found.documents) for name, found in reading if found.documents])
    except BadInput as error:
        problems.append(str(error))
    st.session_state["verify-problems"] = problems
    st.session_state["verify-turn"] += 1
