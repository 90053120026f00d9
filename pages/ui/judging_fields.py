"""The settings of the scores that need a judging model."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import streamlit as st

from core.actions.action import RequestT
from core.models.choice import BUNDLED_CHOICE
from core.models.installed import default_choice
from core.scoring.judge_settings import JudgeSettings
from core.scoring.judging import Judging
from pages.ui.action_form import ActionForm
from pages.ui.model_field import draw_model
from pages.ui.notices import quiet

MOST_REPETITIONS = 5
JUDGE = "The language model that judges the facts. Add models on the page Models. A small one judges badly."

NO_CACHE = (
    "Otherwise a model's earlier answers on the same evidence are used again, and it is not asked. A server counts "
    "as the same as long as its address and its model's description are."
)

OUR_PROMPTS = (
    "The prompts are our own wording of the published way, so scores need not equal published ones. The organisers' "
    "can be loaded below, a file NAME.txt for each prompt, with our slots."
)

SMALL_JUDGE = (
    "The bundled model is too small to judge evidence. Its Ev²R did not follow human coverage ratings (Spearman "
    "−.13, 95 % interval −.37 to .10, 60 items of the 2024 evaluation, step by step). For scores that you "
    "publish, choose a larger model or a server. Soft coverage (Spearman .39) needs no language model."
)

SMALL_ANSWERS_JUDGE = (
    "The bundled model is small, and nobody has compared its judgements of answers with people's. Choose a larger "
    "model or a server for scores that you publish."
)


def form_of(request: type[RequestT], key: str, **defaults: Any) -> ActionForm[RequestT]:
    """Return the form of a request with JudgeSettings, with this machine's model as the judge, and recall alone."""
    return ActionForm(request, key, judge=default_choice().id, recall_only=True, **defaults)


def judge_form() -> ActionForm[JudgeSettings]:
    """Return the form of a judge alone."""
    return form_of(JudgeSettings, "score")


def judging_fields(form: ActionForm[Any], *, recall: bool = False, verdicts: bool = False) -> Judging:
    """Show the choice of the judge; with `recall` its method for Ev²R recall, with `verdicts` the consequences.

    `form` is that of a request with JudgeSettings.
    """
    with st.container(border=True):
        model = draw_model(form, name="judge", help=JUDGE)
        if model == BUNDLED_CHOICE.id:
            quiet(SMALL_JUDGE if recall else SMALL_ANSWERS_JUDGE)
        form.draw("no_cache", help=NO_CACHE)
        if recall:
            way = form.draw("way", radio=True)
            quiet(OUR_PROMPTS)
            _recall_fields(form, whole=way == "official", verdicts=verdicts)
            with st.expander("Prompts and seed"):
                form.draw("prompts")
                form.draw("seed")
    settings = {field.name for field in fields(JudgeSettings)}
    return JudgeSettings(**{name: value for name, value in form.values.items() if name in settings}).judging


def _recall_fields(form: ActionForm[Any], *, whole: bool, verdicts: bool) -> None:
    """Show how recall decides a verdict; without verdicts only recall is judged."""
    if not verdicts:
        form.values["recall_only"] = True
        return
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    form.draw("rule", left)
    form.draw("repeat", middle, most=MOST_REPETITIONS)
    if not whole:
        form.draw("recall_only", right)
