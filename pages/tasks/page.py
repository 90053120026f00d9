"""Shared tasks: organisers run them, teams submit and see the leaderboard once it opens."""

from __future__ import annotations

import streamlit as st

from core.campaigns.access import Role
from core.errors import VerideskError
from core.storage.store import Store
from core.tasks.task_store import load_task
from pages.tasks.sign_up_page import show_sign_up_page
from pages.tasks.task_form import show_new_form
from pages.tasks.task_list import show_list
from pages.tasks.task_view import show_task
from pages.ui.app_state import app_state
from pages.ui.entry import through_app
from pages.ui.markup import show, tag
from pages.ui.notices import notice, troubles
from pages.ui.owner import visitor
from pages.ui.roles import accept_invitation, roles


def show_page(store: Store, who: str) -> None:
    organises = Role.ORGANISER in roles()
    task, new = st.query_params.get("task"), "new" in st.query_params and organises
    if task or new:
        st.button(
            "All tasks",
            type="tertiary",
            icon=":material/arrow_back:",
            on_click=st.query_params.clear,
            key="task-all",
        )
    if token := st.query_params.get("signup"):
        show_sign_up_page(store, who, token)
        return
    if task:
        show_task(store, who, load_task(store, task, who))
        return
    show(tag("div", tag("h1", "New task" if new else "Shared tasks", css="vd-claim"), css="vd"))
    if new:
        show_new_form(store, who)
    else:
        show_list(store, who, organises=organises)


through_app()
troubles()
try:
    accept_invitation(app_state().store, visitor(), Role.TEAM)
    show_page(app_state().store, visitor())
except VerideskError as error:
    notice(str(error))
