"""Archive: growing sets of documents with their versions, to search and to check claims against."""

from __future__ import annotations

import streamlit as st

from core.archive.catalogue import COMMAND_LINE, own_archives
from core.archive.types import MAX_NAME, ArchiveEntry, Readers
from core.errors import VerideskError
from core.wording import counted, readable_name
from pages.archive.additions import show_additions
from pages.archive.archive_search import show_search
from pages.archive.archive_settings import READERS, show_figures, show_settings
from pages.ui.entry import through_app
from pages.ui.evidence import day
from pages.ui.make_once import make_once
from pages.ui.markup import Html, show, tag
from pages.ui.notices import attempt, notice, quiet, remark, troubles
from pages.ui.owner import visitor

NAME, WHO = "archive-name", "archive-who"
SEARCH, ADD = "Search", "Add documents"


def show_list(who: str) -> None:
    quiet(
        "Keep articles, minutes and reports, and check claims against them. A changed document keeps its former "
        "versions: a claim of 2021 is checked against the version of 2021. A search sends nothing anywhere."
    )
    entries = own_archives().of(who)
    for entry in entries:
        with st.container(border=True):
            left, right = st.columns([5, 1], vertical_alignment="center")
        left.html(heading(entry, who))
        right.button("Open", key=f"archive-open-{entry.id}", type="tertiary", on_click=go_to, args=(entry.id,))
    with st.expander("New archive", icon=":material/add:", expanded=not entries):
        st.text_input("Name of the archive", key=NAME, max_chars=MAX_NAME, placeholder="Our articles")
        st.radio("Who may read it", list(READERS), format_func=lambda one: READERS[one], key=WHO)
        st.button("Make this archive", type="primary", on_click=attempt, args=(make, who), key="archive-make")


def make(who: str) -> None:
    """Make an archive as typed, once, and open it. Raises BadInput."""
    name, readers = st.session_state[NAME], Readers(st.session_state[WHO])
    go_to(make_once("archive", (who, name), lambda: own_archives().create(who, name, readers).id))


def go_to(archive_id: str) -> None:
    st.query_params["archive"] = archive_id


def heading(entry: ArchiveEntry, who: str) -> Html:
    """Return the name of an archive, its size, its days and its readers."""
    stats = own_archives().open(entry.id).stats()
    days = f"{day(stats.first)} to {day(stats.last)}" if stats.first else ""
    made = "made by a command" if entry.owner == COMMAND_LINE else "belongs to somebody else"
    facts = [counted(stats.documents, "document"), days, READERS[entry.readers], "" if entry.owner == who else made]
    line = tag("p", *(tag("span", fact) for fact in facts if fact), css="vd-facts")
    return tag("div", tag("p", readable_name(entry.name), css="vd-strong vd-text vd-clamp"), line, css="vd")


def show_archive(entry: ArchiveEntry, who: str) -> None:
    st.button(
        "All archives", type="tertiary", icon=":material/arrow_back:", on_click=st.query_params.clear, key="archive-all"
    )
    show(heading(entry, who))
    writes = own_archives().may_add(entry.id, who)
    tab = f"archive-tab-{entry.id}"
    if tab not in st.session_state:
        st.session_state[tab] = SEARCH if own_archives().open(entry.id).stats().documents or not writes else ADD
    if st.session_state[tab] != ADD:
        troubles()  # those of an addition are beside its button
    search, add, figures, readers = st.tabs([SEARCH, ADD, "Figures", "Readers"], on_change="rerun", key=tab)
    with search:
        show_search(entry, writes=writes)
    with add:
        if writes:
            show_additions(entry, who)
        else:
            remark("Only the owner of this archive adds documents to it.")
    with figures:
        show_figures(entry)
    with readers:
        show_settings(entry, who)


def join(token: str, who: str) -> None:
    """Let the visitor read a team's archive, and open it."""
    if found := own_archives().join(token, who):
        st.query_params.from_dict({"archive": found.id})
        st.rerun()
    remark("This link leads to no archive. Its owner has withdrawn it, or it was not copied whole.")


through_app()
st.title("Archive")
try:
    here = visitor()
    if token := st.query_params.get("join"):
        join(token, here)
    elif archive := st.query_params.get("archive"):
        if found := own_archives().find(archive, here):
            show_archive(found, here)
        else:
            remark("There is no such archive, or it belongs to somebody else.")
            st.button("All archives", on_click=st.query_params.clear, key="archive-all")
    else:
        troubles()
        show_list(here)
except VerideskError as error:
    notice(str(error))
