"""Folders of cases: the cases of one story, put together by the person who checked them."""

from __future__ import annotations

import streamlit as st

from core.jobs.jobs import MAX_NAME
from core.jobs.types import Status
from core.wording import readable_name
from pages.ui.app_state import AppState
from pages.ui.cases import entry_line
from pages.ui.markup import plain, show
from pages.ui.notices import attempt

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
            st.button("Rename", key="history-folder-rename", on_click=attempt, args=(rename, at, who, chosen))
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
