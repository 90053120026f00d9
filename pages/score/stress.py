"""Show the stress test of metrics: its form and its result."""

from __future__ import annotations

import streamlit as st

from core.scoring.charts import movement_chart
from core.scoring.leaderboard_tables import movement_table
from core.scoring.registry import registered, title
from core.scoring.score import STRESSED, StressRequest
from core.scoring.work import Job, Stressed, StressJob, stress_job
from core.wording import counted
from pages.score.score_files import example_gold
from pages.ui.app_state import app_state
from pages.ui.charts import show_chart
from pages.ui.judging_fields import form_of, judging_fields
from pages.ui.markup import Html, show, tag
from pages.ui.metric_choice import offer_parameters
from pages.ui.notices import quiet
from pages.ui.tables import show_table

ABOUT = (
    "A sound metric falls if numbers, names or answers are destroyed. It stays if only form, order or repetition "
    "changes. The test changes the evidence in eleven such ways, and each metric scores it before and after."
)


def stress_form(who: str) -> Job | None:
    """Show the form; return the test after the press of the button."""
    quiet(ABOUT)
    store = app_state().store
    form = form_of(StressRequest, "stress", metric=("hungarian-meteor", "soft-coverage"), first=100)
    form.restore(store, who)
    for name, column in zip(("gold", "submission"), st.columns(2), strict=True):
        form.draw(name, column)
    chosen = form.draw("metric")
    offer_parameters(STRESSED, form.draft.field("metric"))
    if "ev2r" in chosen:
        judging_fields(form, recall=True)
    for name, column in zip(("first", "seed"), st.columns(2), strict=True):
        form.draw(name, column)
    form.keep(store, who)
    request = form.request()
    row = st.container(horizontal=True)
    pressed = row.button(
        "Run the test", type="primary", icon=":material/experiment:", disabled=not request, key="stress-start"
    )
    if row.button("Test with the example", disabled=not form.values["metric"], key="stress-example"):
        request, pressed = form.request(gold=example_gold(), submission=None), True
    if not request and not form.wrong:
        quiet("Add a gold file.")
    return form.attempt(lambda: stress_job(request)) if request and pressed else None


def show_stress(job: StressJob, result: Stressed) -> None:
    """Show each metric's result in a sentence, a chart and a table."""
    show(tag("div", *(_sentence(result, name) for name in job.opening.names), css="vd vd-cards"))
    if (chart := movement_chart(result.movements)) is not None:
        show_chart(chart, "stress", "Change of each metric under each change of the evidence, with 95 % intervals")
    show_table(movement_table(result.movements))


def _sentence(result: Stressed, name: str) -> Html:
    found = [one for one in result.movements if one.metric == registered(name).evidence]
    named = {"blind": "Did not fall for", "fragile": "Did not hold for", "too few items": "Too few items for"}
    sound = sum(one.finding == "sound" for one in found)
    words = f"Sound under {sound} of {counted(len(found), 'change')}."
    for finding, begin in named.items():
        listed = [one.perturbation for one in found if one.finding == finding]
        words += f" {begin}: {', '.join(listed)}." if listed else ""
    return tag("p", tag("strong", title(name), ": "), words)
