"""The form of a new task with its first phase and its judge, and the form of its texts later."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import streamlit as st

from core.errors import VerideskError
from core.scoring.registry import JUDGED, METRICS, TITLES, title
from core.storage.store import Store
from core.tasks.moments import written_moment
from core.tasks.shared_task import TASK_METRICS, SharedTask
from core.tasks.task_actions import plan_of_request
from core.tasks.task_requests import TASK_SCORES, ChangeTask, NewTask
from core.tasks.task_store import change_task, create_task
from core.wording import counted
from pages.tasks.judge_view import judge_words, show_estimate
from pages.tasks.phase_form import date_fields
from pages.tasks.task_times import readers_zone
from pages.ui.action_form import ActionForm
from pages.ui.judging_fields import form_of, judging_fields
from pages.ui.make_once import make_once
from pages.ui.metric_choice import offer_parameters
from pages.ui.notices import notice, quiet, remark


def show_new_form(store: Store, who: str) -> None:
    """Show the form; when it is sent, create the task and go to it."""
    key = f"task-new-{st.session_state.get('task-made', 0)}"
    form = form_of(NewTask, key, **first_dates(store.clock()))
    form.restore(store, who)
    form.draw("name")
    gold = form.draw("gold")
    if gold:
        quiet(f"{counted(len(gold.claims), 'claim')} read. No browser is sent any of them.")
    st.subheader("Texts for the teams")
    form.draw("description", area=True)
    form.draw("terms", area=True)
    st.subheader("The first phase")
    form.draw("phase")
    date_fields(form)
    st.subheader("Scores")
    named = "; ".join(f"{TITLES[name]}: {METRICS[name].summary}" for name in TASK_METRICS)
    metrics: tuple[str, ...] = form.draw("metric", help=f"{named}. They stay as they are for the whole task.")
    offer_parameters(TASK_SCORES, form.draft.field("metric"))
    if judged := JUDGED & set(metrics):
        judging = judging_fields(form, recall=True, verdicts=True)
        form.draw("price")
        if gold:
            show_estimate(gold.claims, tuple(judged), judging, form.values["price"])
    form.keep(store, who)
    pressed = st.button("Create the task", type="primary", icon=":material/flag:", disabled=not gold, key="task-create")
    if not gold:
        quiet("The button waits for the gold annotations.")
    # Made at each run: a wrong date is shown beside its field as it is typed.
    request = form.request()
    if not (pressed and request):
        return
    plan = form.attempt(lambda: plan_of_request(request))
    if not plan:
        return
    made = form.attempt(
        lambda: make_once(
            "task",
            (who, plan, request.gold),
            lambda: create_task(store, who, plan, request.gold.claims, file=request.gold.file),
        )
    )
    if made:
        st.session_state["task-made"] = st.session_state.get("task-made", 0) + 1  # the next form is empty
        st.query_params.from_dict({"task": made})
        st.rerun()


def first_dates(now: float) -> dict[str, Any]:
    """Return the dates of a phase of a week from today's midnight on, in the reader's zone."""
    zone = readers_zone()
    midnight = datetime.fromtimestamp(now, zone).replace(hour=0, minute=0, second=0)
    later = midnight + timedelta(days=7)  # by the calendar, also where the clocks change
    dates = {"start": midnight, "end": later, "opens": later}
    return {name: written_moment(at.timestamp(), zone) for name, at in dates.items()}


def show_texts(store: Store, who: str, task: SharedTask) -> None:
    """Show the task's texts and the price of its judge, to be changed; its scores and its judge stay."""
    plan, key = task.plan, f"task-texts-{task.id}"
    given: dict[str, Any] = {"name": plan.name, "description": plan.description, "terms": plan.terms}
    form = ActionForm(ChangeTask, key, **given, price=plan.price)
    form.draw("name")
    form.draw("description", area=True)
    form.draw("terms", area=True)
    judged = JUDGED & set(plan.metrics)
    if judged:
        form.draw("price")
    names = ", ".join(map(title, plan.metrics))
    judge = f" {judge_words(plan)}" if judged else ""
    quiet(f"Scores: {names}.{judge} They stay, so that all submissions can be compared.")
    if st.session_state.pop(f"{key}-saved", False):
        remark("Saved.")
    if st.button("Save", type="primary", icon=":material/save:", key="task-save"):
        texts = {name: form.values[name] or "" for name in given}
        try:
            form.attempt(lambda: change_task(store, task.id, who, **texts, price=form.values.get("price")))
        except VerideskError as error:
            notice(str(error))
        else:
            if not form.wrong:
                st.session_state[f"{key}-saved"] = True
                st.rerun()
