"""The settings of the scores that need a judging model, and that model while a run lasts."""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st

from core.models.choice import BUNDLED_CHOICE
from core.models.installed import available_models, default_choice
from core.ports import Writer
from core.scoring.ev2r import RULES
from pages.shared.notices import quiet

WAYS = {
    "stepwise": "Step by step: facts first, then yes or no for each (small models can do it)",
    "official": "As the published scorer: one prompt a claim that counts facts (large models)",
}

SMALL_JUDGE = (
    "The bundled model is too small to judge evidence: with it, Ev²R did not follow human coverage ratings "
    "(Spearman −.13, 95 % interval −.37 to .10, 60 items of the 2024 evaluation, step by step). Choose a larger "
    "model or a server for scores that you publish; soft coverage (Spearman .39) needs no language model."
)


@dataclass(frozen=True)
class Judging:
    """How a language model judges evidence: which one, in which way, how often."""

    model: str
    way: str = "stepwise"
    rule: str = ">0.5"
    repeat: int = 1
    precision: bool = True


def judging_fields(ev2r: bool) -> Judging:
    """Show the choice of the judge, and the settings of Ev²R if it is wanted."""
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
        if not ev2r:
            return Judging(model)
        if model == BUNDLED_CHOICE.id:
            quiet(SMALL_JUDGE)
        way = st.radio("Way", list(WAYS), format_func=WAYS.__getitem__, key="score-way")
        left, middle, right = st.columns(3)
        rule = left.selectbox(
            "Evidence counts if recall is",
            list(RULES),
            format_func=written_rule,
            key="score-rule",
            help="Published scorers differ: > 0.5 in the paper, ≥ 0.5 and > 0.46 in code. All three are computed.",
        )
        repeat = middle.number_input("Repetitions", 1, 5, 1, key="score-repeat", help="With other seeds, for the ±.")
        recall_only = right.checkbox("Recall only", value=True, key="score-recall", help="A third of the time.")
    return Judging(model, way, rule, int(repeat), not recall_only)


def written_rule(rule: str) -> str:
    return rule.replace(">=", "≥ ").replace(">", "> ")


@dataclass
class Model:
    """The judging model of one run: opened in the run's thread, let go when it ends."""

    choice: str
    writer: Writer | None = field(default=None)

    def open(self) -> Writer:
        """Load the model. Raises ModelError if it cannot be loaded."""
        from core.models.choice import parse_choice
        from core.workbench import open_writer

        if self.writer is None:
            self.writer = open_writer(parse_choice(self.choice))
        return self.writer

    def close(self) -> None:
        """Let the model go, and with it its process and its memory."""
        close = getattr(self.writer, "close", None)
        if close:
            close()
        self.writer = None
