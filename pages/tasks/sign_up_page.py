"""The sign-up page of a task: a visitor names a team, accepts the terms and waits for approval."""

from __future__ import annotations

import streamlit as st

from core.actions.fields import BadField
from core.errors import VerideskError
from core.storage.store import Store
from core.tasks.shared_task import MAX_NAME, TaskPlan, Team
from core.tasks.teams import SignUp, accept_terms, sign_up, sign_up_page
from pages.tasks.task_times import timetable
from pages.ui.markup import show, tag
from pages.ui.notices import attempt, notice, notices, quiet, remark


def show_sign_up_page(store: Store, who: str, token: str) -> None:
    """Show the task of a sign-up link and the form, or the state of the visitor's team. Raises Denied."""
    found = sign_up_page(store, token, who)
    plan = found.plan
    about = tag("p", plan.description, css="vd-text", style="margin-top: 0.75rem") if plan.description else ""
    eyebrow = tag("p", "Sign a team up", css="vd-eyebrow")
    show(tag("header", eyebrow, tag("h1", plan.name, css="vd-claim"), about, css="vd"))
    show(timetable(plan, store.clock(), found.claims))
    if found.team:
        show_state(found, found.team)
    else:
        show_form(store, who, token, plan)


def show_state(found: SignUp, team: Team) -> None:
    if team.revoked:
        remark(f"The organiser has not accepted {team.name}. Write to them if you have questions.")
    elif team.waits:
        remark(f"{team.name} is signed up and waits for the organiser's approval. Come back here in this browser.")
    else:
        remark(f"{team.name} takes part. The organiser also sends a link for its other members.")
        if st.button("Go to the task", type="primary", icon=":material/flag:", key="task-signed-up"):
            st.query_params.from_dict({"task": found.task})
            st.rerun()


def show_form(store: Store, who: str, token: str, plan: TaskPlan) -> None:
    """Show the fields of a team; errors are shown beside them, and everything typed stays."""
    wrong: dict[str, str] = st.session_state.pop("task-sign-up-wrong", {})
    name = st.text_input("Name of the team", max_chars=MAX_NAME, key="task-sign-up-name")
    beside(wrong, "name")
    label, why = "E-mail address", "The organiser answers there. Other teams do not see it."
    address = st.text_input(label, max_chars=MAX_NAME, key="task-sign-up-address", help=why)
    beside(wrong, "address")
    agreed = not plan.terms
    if plan.terms:
        show_terms(plan)
        agreed = st.checkbox("Our team accepts these terms", key="task-sign-up-agreed")
        beside(wrong, "terms")
    given = {"the team’s name": bool(name.strip()), "an e-mail address": bool(address.strip()), "your consent": agreed}
    missing = [words for words, there in given.items() if not there]
    icon, key = ":material/how_to_reg:", "task-sign-up-send"
    if st.button("Sign up", type="primary", icon=icon, disabled=bool(missing), key=key):
        try:
            sign_up(store, token, who, name, address, terms=plan.terms)
        except BadField as error:
            st.session_state["task-sign-up-wrong"] = {error.field: str(error)}
            st.rerun()
        except VerideskError as error:
            notice(str(error))
        else:
            st.rerun()
    if missing:
        quiet(f"Still missing: {', '.join(missing)}.")


def beside(wrong: dict[str, str], field: str) -> None:
    if field in wrong:
        notices([wrong[field]])


def show_terms(plan: TaskPlan) -> None:
    heading = tag("h2", "Terms", css="vd-heading", style="margin-top: 0")
    show(tag("div", heading, tag("p", plan.terms, css="vd-text"), css="vd vd-card"))


def ask_for_consent(store: Store, who: str, task: str, plan: TaskPlan) -> None:
    """Ask a team to accept the terms, after an invitation or a change of them."""
    remark("Your team accepts the terms of the task before it submits.")
    show_terms(plan)
    agreed = (accept_terms, store, task, who, plan.terms)
    st.button("Our team accepts these terms", type="primary", key="task-agree", on_click=attempt, args=agreed)
