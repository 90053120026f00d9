"""Add documents to an archive: files, folders, feeds; and the additions so far."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from core.archive.actions import filled
from core.archive.addition_job import AdditionOrder, AdditionRun, files_of
from core.archive.catalogue import own_archives
from core.archive.types import ArchiveEntry
from core.errors import BadInput
from core.jobs.types import State
from core.types import is_web_address
from core.wording import counted, readable_name
from pages.ui.app_state import app_state
from pages.ui.cases import STATES, when
from pages.ui.make_once import start_once
from pages.ui.markup import show, tag
from pages.ui.notices import attempt, in_words, notices, quiet, troubles
from pages.ui.server_paths import checked_path

FILES, PLACES, KIND, REPLACE, AGAIN = (f"archive-{name}" for name in ("files", "places", "kind", "replace", "again"))
FORM = "archive-form"
"""The number of an archive's form, in the keys of its files and places. Each addition gives a new form."""
MAX_LISTED = 5
ENDS = {State.DONE: "", State.FAILED: "Failed"}
"""Ends of an addition that have other words than those of a case."""


def show_additions(entry: ArchiveEntry, who: str) -> None:
    """Show the form, the running addition, and the last ones."""
    runs = [run for run in app_state().additions.of(who) if run.request.archive == entry.id]
    if live := [run for run in runs if run.state.live]:
        show_live(live[0].status.id, who)
    else:
        show_form(entry, who, runs[0].request.places if runs and runs[0].state is State.FAILED else ())
    for run in runs[:MAX_LISTED]:
        if not run.state.live:
            show_ended(run)


def show_form(entry: ArchiveEntry, who: str, failed: Sequence[str]) -> None:
    """Show the form. A new one holds the places of the last addition if that failed."""
    form = f"{entry.id}-{st.session_state.get(f'{FORM}-{entry.id}', 0)}"
    st.session_state.setdefault(f"{PLACES}-{form}", "\n".join(failed))
    st.file_uploader(
        "Files", accept_multiple_files=True, key=f"{FILES}-{form}",
        help="PDF, Word, OpenDocument, EPUB, HTML, text, CSV and JSON lines (text, title, date, url), WARC, ZIP.",
    )  # fmt: skip
    written = st.text_area(
        "Folders on this machine, and feeds or sitemaps on the web, one per line",
        key=f"{PLACES}-{form}", persist_state="session",
        placeholder="/data/articles\nhttps://www.example.org/sitemap.xml", height=75,
        help="Of a feed or sitemap up to 500 new pages are read, one at a time. Its robots.txt is obeyed.",
    )  # fmt: skip
    left, right = st.columns(2, vertical_alignment="bottom")
    left.text_input("Kind of these documents (optional)", key=KIND, max_chars=40, placeholder="article",
                    help="A word to filter by, such as article, minutes or transcript.")  # fmt: skip
    right.checkbox("Read these places again later", key=AGAIN, help="Each addition with this box reads all of them.")
    st.checkbox(
        "Correct documents: delete their former versions", key=REPLACE,
        help="Without it, a changed document keeps its former versions with their days.",
    )  # fmt: skip
    sites = sorted({place.split("/")[2] for place in lines_of(written) if is_web_address(place)})
    quiet(f"Requests go to {', '.join(sites)} and to pages named there." if sites else "Nothing leaves this machine.")
    st.button("Add documents", type="primary", on_click=attempt, args=(start, entry, who, form),
              key="archive-add")  # fmt: skip
    troubles()
    for place, kind in own_archives().places(entry):
        with st.container(horizontal=True, vertical_alignment="center"):
            show(tag("p", f"Read again: {place}", tag("span", f" ({kind})" if kind else ""), css="vd vd-quiet"))
            st.button("Forget", key=f"archive-forget-{place}", type="tertiary", on_click=attempt,
                      args=(own_archives().forget, entry, place))  # fmt: skip


def lines_of(written: str | None) -> list[str]:
    return [line.strip() for line in (written or "").splitlines() if line.strip()]


def start(entry: ArchiveEntry, who: str, form: str) -> None:
    """Start the addition of this form. Raises BadInput for a place that may not be read, and for an empty form."""
    state = st.session_state
    uploads = [(file.name, file.getvalue()) for file in state.get(f"{FILES}-{form}") or []]
    lines = lines_of(state.get(f"{PLACES}-{form}"))
    places = tuple(line if is_web_address(line) else str(checked_path(line)) for line in lines)
    remembered = own_archives().places(entry) if state[AGAIN] else []
    if not uploads and not places and not remembered:
        raise BadInput("Add at least one file, or name a folder or a feed.")
    named = [readable_name(name) for name, _ in uploads] + [Path(place).name or place for place in places]
    title = ", ".join(named[:3]) + (f" and {len(named) - 3} more" if len(named) > 3 else "") or "places read again"
    order = AdditionOrder(entry.id, places, state[KIND].strip(), bool(state[REPLACE]), bool(state[AGAIN]), title)
    start_once(app_state().additions, who, order, files_of(uploads))
    state[f"{FORM}-{entry.id}"] = state.get(f"{FORM}-{entry.id}", 0) + 1


@st.fragment(run_every=1.0)
@in_words
def show_live(run_id: str, who: str) -> None:
    """Show how far an addition is; the page is drawn again once it has ended."""
    run = app_state().additions.status(run_id, who)
    if run is None or not run.state.live:
        st.rerun()
    troubles()
    told = run.progress or {}
    doing = readable_name(Path(str(told.get("doing") or "")).name)
    before = "Preparing" if told else "Waiting to begin"
    words = f"{doing}: {counted(told.get('done', 0), 'document')} added or known" if doing else before
    with st.container(horizontal=True, vertical_alignment="center"):
        show(tag("p", words, css="vd vd-text", role="status"))
        st.button("Cancel", icon=":material/stop_circle:", on_click=attempt, args=(app_state().additions.cancel, run),
                  key="archive-cancel")  # fmt: skip
    for remark in told.get("remarks", [])[-1:]:
        quiet(readable_name(remark))
    quiet("You may leave this page: documents that were added stay, also after a cancel.")


def show_ended(run: AdditionRun) -> None:
    """Show the result of an addition, its problems, and the way to go on."""
    facts = [run.status.title, when(run.status), ENDS.get(run.state, STATES.get(run.state, ""))]
    with st.container(border=True):
        show(tag("p", *(tag("span", fact) for fact in facts if fact), css="vd vd-facts"))
        if run.result:
            quiet(filled(run.result))
            if run.result.added.problems:
                with st.expander(f"{counted(run.result.problems, 'problem')}"):
                    notices(run.result.added.problems)
        elif run.status.error:
            notices([run.status.error])
        if run.state is not State.DONE:
            st.button("Go on", key=f"archive-resume-{run.status.id}", icon=":material/play_arrow:", on_click=attempt,
                      args=(app_state().additions.resume, run.status))  # fmt: skip
