"""Folders of cases, the cases of one story; and past cases as a table to take away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from core.jobs.jobs import MAX_NAME
from core.jobs.types import State, Status
from core.tabular.exports import to_csv
from core.tabular.table import Cell, Column, Table
from core.verification.review import Conclusion, Reviews
from core.verification.verdict.verdict_words import WORDS
from core.wording import readable_name
from pages.ui.app_state import AppState
from pages.ui.cases import STATES, entry_line, recipe_title, when
from pages.ui.markup import plain, show
from pages.ui.notices import attempt, attempt_button

FOLDER, NAME = "history-folder", "history-folder-name"
"""The session's keys of the folder that is looked into, and of a name that is typed."""
ALL = "All folders"


def folder_filter(at: AppState, who: str) -> str:
    """Show the choice of a folder, and a way to rename it. Return its name, "" for all cases."""
    offered = at.cases.folders(who)
    if st.session_state.get(FOLDER) not in offered:
        st.session_state[FOLDER] = ALL
    if not offered:
        return ""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox("Folder", [ALL, *offered], format_func=readable_name, key=FOLDER, persist_state="session")
        if chosen == ALL:
            return ""
        with st.popover("Rename", icon=":material/edit:", type="tertiary"):
            st.text_input("Name of the folder", chosen, max_chars=MAX_NAME, key=f"{NAME}-{chosen}")
            attempt_button("Rename", rename, at, who, chosen, key="history-folder-rename")
    return str(chosen)


def rename(at: AppState, who: str, folder: str) -> None:
    st.session_state[FOLDER] = at.cases.rename_folder(who, folder, st.session_state[f"{NAME}-{folder}"])


@st.dialog("Put this case in a folder")
def choose_folder(at: AppState, entry: Status) -> None:
    """Ask for a folder, known or new, and put a case into it."""
    show(entry_line(entry))
    inside, key = entry.facts.get("folder", ""), f"{NAME}-{entry.id}"
    st.text_input("Name of the folder", inside, max_chars=MAX_NAME, key=key, placeholder="The story’s name")
    with st.container(horizontal=True):
        pressed = [
            st.button("Put it there", type="primary", key="history-folder-put", on_click=put_typed, args=(at, entry))
        ]
        if inside:
            pressed.append(st.button("Take it out", key="history-folder-out", on_click=put_in, args=(at, entry, "")))
    for number, name in enumerate(one for one in at.cases.folders(entry.owner) if one != inside):
        key, put = f"history-folder-{number}", (at, entry, name)
        pressed.append(st.button(plain(name), icon=":material/folder:", key=key, on_click=put_in, args=put))
    if any(pressed):
        st.rerun()


def put_typed(at: AppState, entry: Status) -> None:
    """Put a case into the folder that is typed; in a callback."""
    put_in(at, entry, st.session_state[f"{NAME}-{entry.id}"])


def put_in(at: AppState, entry: Status, folder: str) -> None:
    attempt(at.cases.put_in, entry, folder)


MAX_EXPORTED = 10_000


def cases_csv(at: AppState, who: str, text: str, label: str, folder: str = "") -> bytes:
    """Return all cases that a search finds, not only those of one page, as a table for a spreadsheet."""
    entries = at.cases.search(who, text, label=label, folder=folder, limit=MAX_EXPORTED).entries
    table = cases_table(entries, Reviews(at.store).conclusions([entry.id for entry in entries]))
    return to_csv(table).encode("utf-8-sig", "replace")


def cases_table(entries: Sequence[Status], conclusions: Mapping[str, Conclusion]) -> Table:
    """Return past cases as a table to take away."""
    titles = ("Claim", "Verdict", "Probability", "Own verdict", "Why", "Asked", "Recipe", "Case")
    columns = tuple(Column(title, digits=2 if title == "Probability" else None) for title in titles)
    return Table("cases", "Past cases", columns, tuple(cases_row(one, conclusions.get(one.id)) for one in entries))


def cases_row(entry: Status, own: Conclusion | None) -> tuple[Cell, ...]:
    said = own or Conclusion()
    verdict = entry.label if entry.state is State.DONE else STATES.get(entry.state, "No verdict")
    own_verdict = WORDS[said.label].word if said.label else ""
    recipe = recipe_title(entry.facts["recipe"])
    return (entry.title, verdict, entry.share, own_verdict, said.reason, when(entry), recipe, entry.id)
