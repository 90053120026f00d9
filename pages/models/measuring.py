"""Measure how well the chosen model reads passages, and show the figures beside the built-in reader's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import altair as alt
import pandas as pd
import streamlit as st

from core.documents.language import NAMES
from core.errors import VerideskError
from core.jobs.types import State
from core.models.choice import parse_choice
from core.tabular.charts import COLOURS, FAINT
from core.verification.measure_command import ToMeasure
from core.verification.measure_job import EVERYBODY, Measuring, latest, measured_by, order
from core.verification.stance.measured_words import WORDS, chart_words, decision_words, figures_table
from core.verification.stance.measurement import Measurement, Way, use_anyway
from core.verification.stance.second_reading import MOST_PASSAGES, MOST_SECONDS
from core.verification.written_claims import CALIBRATING, FEW_CLAIMS, FOREIGN_CLAIMS, MOST_CLAIMS
from core.wording import time_words
from pages.ui.app_state import app_state
from pages.ui.charts import show_chart
from pages.ui.markup import plain
from pages.ui.notices import attempt_button, in_words, notice, quiet, remark, troubles
from pages.ui.tables import show_table


def show_measuring(model: str) -> None:
    """Show whether the model in use reads passages in a language, its figures, and the buttons to measure it."""
    st.subheader("Who reads the passages?")
    quiet(
        "The built-in reader reads all passages. A model that you choose may read some again, if it is measured as "
        f"better. It reads at most {MOST_PASSAGES} passages of a case, for at most {MOST_SECONDS:.0f} s. A measurement "
        f"has {FEW_CLAIMS} claims with known answers. In another language than English it has {FOREIGN_CLAIMS}, and "
        "only a model that you choose reads them."
    )
    try:
        language = st.segmented_control(
            "Language of the claims", CALIBRATING, format_func=NAMES.__getitem__, default="en", key="measure-language"
        )
        asked = order(model, language or "en")
        name = Path(asked.folder).name.replace("--", "/") if asked.folder else parse_choice(model).name
        st.markdown(f"**{plain(name)}**")
        _state(asked)
    except VerideskError as error:
        notice(str(error))


def _state(asked: ToMeasure) -> None:
    newest = latest(app_state().measurings, asked.subject)
    if newest and newest.state.live:
        _live(newest)
        return
    troubles()
    found = measured_by(asked)
    if found:
        _result(found)
    if newest and newest.state is not State.DONE:
        _ended(newest)
    elif found is None:
        name = NAMES[asked.language]
        quiet(f"Nobody has measured this model in {name} yet, so it does not read {name}.")
    _buttons(asked, found, newest)


@st.fragment(run_every=1.0)
@in_words
def _live(running: Measuring) -> None:
    """Show a running measurement and look again every second; draw the whole page again once it has ended."""
    at = app_state().measurings
    now = at.find(running.job.id, EVERYBODY)
    if now is None or not now.state.live:
        st.rerun()
    troubles()
    words = f"{now.read} of {now.asked.claims} claims read"
    if now.seconds_left:
        words += f", {time_words(now.seconds_left)} left"
    st.progress(now.read / now.asked.claims, text="Being cancelled …" if now.job.stop else words)
    attempt_button("Cancel", at.cancel, now.job, key="cancel-measuring")


def _ended(ended: Measuring) -> None:
    """Say how far a measurement went that did not finish, and why."""
    done = f"{ended.read} of {ended.asked.claims} claims were read, and are kept."
    if ended.state is State.FAILED:
        notice(ended.job.error)
        quiet(done)
    else:
        remark(f"The measurement was stopped: {done}")


def _result(found: Measurement) -> None:
    remark(decision_words(found))
    show_table(figures_table(found))
    show_chart(figures_chart(found), "reader", chart_words(found))


def _buttons(asked: ToMeasure, found: Measurement | None, newest: Measuring | None) -> None:
    at = app_state().measurings
    broken_off = newest if newest and newest.state is not State.DONE and newest.read else None
    with st.container(horizontal=True):
        if broken_off:
            again = (at.resume, broken_off.job)
            attempt_button("Resume", *again, key="resume-measuring", type="primary")
        else:
            attempt_button(
                "Measure again" if found else "Measure",
                at.start,
                EVERYBODY,
                asked,
                key="measure",
                type="secondary" if found else "primary",
                icon="speed",
            )
        if found and found.language == "en" and found.claims < MOST_CLAIMS and not broken_off:
            more = (at.start, EVERYBODY, replace(asked, claims=MOST_CLAIMS))
            said = f"Read {MOST_CLAIMS - found.claims} more claims"
            attempt_button(said, *more, key="measure-more")
        if found and not found.better:
            word, use = ("Do not use it", False) if found.anyway else ("Use it all the same", True)
            help_ = "Each case, its report and its receipt then say so."
            attempt_button(word, use_anyway, found.reader, use, found.language, key="use-anyway", help=help_)


OUTCOMES = {"right": COLOURS[0], "wrong": COLOURS[1], "open": FAINT}


def figures_chart(found: Measurement) -> alt.Chart:
    """Return the shares of claims with a right answer, a wrong side and no side, for each way to read."""
    data = [
        {"Read by": WORDS[way], "Outcome": outcome, "Share": getattr(found.figures[way], outcome), "order": place}
        for way in Way
        for place, outcome in enumerate(OUTCOMES)
    ]
    colours = alt.Scale(domain=[*OUTCOMES], range=[*OUTCOMES.values()])
    chart: alt.Chart = (
        alt.Chart(pd.DataFrame(data))
        .mark_bar()
        .encode(
            x=alt.X("Share:Q", title="Share of claims", scale=alt.Scale(domain=[0, 1])),
            y=alt.Y("Read by:N", sort=[WORDS[way] for way in Way], title=None, axis=alt.Axis(labelLimit=0)),
            color=alt.Color("Outcome:N", scale=colours, legend=alt.Legend(orient="bottom", title=None)),
            order="order:Q",
            tooltip=["Read by", "Outcome", alt.Tooltip("Share:Q", format=".2f")],
        )
        .properties(height=alt.Step(34))
    )
    return chart
