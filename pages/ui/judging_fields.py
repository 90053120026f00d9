"""The settings of the scores that need a judging model."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.models.choice import BUNDLED_CHOICE
from core.models.installed import available_models, default_choice
from core.scoring.judging import Judging
from core.scoring.metrics.ev2r import RULES, written_rule
from pages.ui.notices import quiet

WAYS = {
    "stepwise": "Step by step: facts first, then yes or no for each (small models can do it)",
    "official": "As the published scorer: one prompt per claim, which counts facts (large models)",
}

NO_CACHE = (
    "Otherwise a model's earlier answers on the same evidence are used again, and it is not asked. A server counts "
    "as the same as long as its address and its model's description are."
)

OUR_PROMPTS = (
    "The prompts are our own wording of the published way, so scores need not equal published ones. The organisers' "
    "can be given on the command line: `core score --prompts DIR`."
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


def judging_fields(*, recall: bool = False, verdicts: bool = False) -> Judging:
    """Show the choice of the judge; with `recall` its method for Ev²R recall, with `verdicts` the consequences."""
    names = {choice.id: choice.name for choice in available_models()}
    preferred = default_choice().id
    start = list(names).index(preferred) if preferred in names else 0
    with st.container(border=True):
        model = st.selectbox(
            "Judge",
            list(names),
            index=start,
            format_func=names.__getitem__,
            key="score-judge",
            help="The language model that judges the facts. Add models on the page Models. A small one judges badly.",
        )
        if model == BUNDLED_CHOICE.id:
            quiet(SMALL_JUDGE if recall else SMALL_ANSWERS_JUDGE)
        no_cache = st.checkbox("Ask everything again", key="score-anew", help=NO_CACHE)
        if not recall:
            return Judging(model, no_cache=no_cache)
        way = st.radio("Way", list(WAYS), format_func=WAYS.__getitem__, key="score-way")
        quiet(OUR_PROMPTS)
        return replace(
            _verdict_fields(model, way) if verdicts else Judging(model, way, precision=False), no_cache=no_cache
        )


def _verdict_fields(model: str, way: str) -> Judging:
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    rule = left.selectbox(
        "Evidence counts if recall is",
        list(RULES),
        format_func=written_rule,
        key="score-rule",
        help="Published scorers differ: > 0.5 in the paper, ≥ 0.5 and > 0.46 in code. All three are computed.",
    )
    repeat = middle.number_input("Repetitions", 1, 5, 1, key="score-repeat", help="Each has another seed, for the ±.")
    if way == "official":
        return Judging(model, way, rule, int(repeat))
    recall_only = right.checkbox(
        "Recall only", value=True, key="score-recall", help="Without precision and F1: a third of the time."
    )
    return Judging(model, way, rule, int(repeat), not recall_only)
