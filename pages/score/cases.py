"""Offer the owner's past cases for scoring, beside uploaded submissions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st

from core.annotations import GoldClaim, Submission
from core.jobs.types import State
from core.scoring.cases import case_answers, case_submissions, one_line
from core.wording import counted
from pages.score.score_files import Answers
from pages.ui.app_state import app_state
from pages.ui.notices import quiet

KEY = "score-cases"
MAX_CASES = 200
"""The most cases to offer, newest first; without gold data all of them are judged."""


HELP = (
    "Each recipe and language model counts as a system. With a gold file, cases of its claims are scored as a "
    "submission. Without one, each justification is checked against the case's own evidence."
)


@dataclass(frozen=True)
class Cases:
    """Past cases as systems to score: submissions if their claims have gold annotations, else answers."""

    signature: tuple[object, ...] = ()
    submissions: tuple[Submission, ...] = ()
    answers: Answers = field(default_factory=dict)


def offer_cases(who: str, gold: Sequence[GoldClaim], *, without_gold: bool) -> Cases:
    """Offer the past cases of the gold file's claims, or all without a file; return the chosen ones."""
    at = app_state()
    done = [entry for entry in at.cases.search(who, limit=MAX_CASES).entries if entry.state is State.DONE]
    ids = {one_line(claim.claim.text): claim.id for claim in gold}
    fitting = [entry for entry in done if without_gold or one_line(entry.title) in ids]
    if not fitting or not st.checkbox(_question(len(fitting), without_gold=without_gold), key=KEY, help=HELP):
        return Cases()
    if without_gold:
        quiet("Without a gold file, only faithfulness can be judged: does the justification agree with the evidence?")
    signature = (without_gold, *((entry.id, ids.get(one_line(entry.title))) for entry in fitting))
    kept = st.session_state.get(f"{KEY}-read")
    if not isinstance(kept, Cases) or kept.signature != signature:
        stored = [case for entry in fitting if (case := at.jobs.load(entry.id, who))]
        if without_gold:
            kept = Cases(signature, answers=case_answers(stored))
        else:
            kept = Cases(signature, tuple(case_submissions(stored, gold)))
        st.session_state[f"{KEY}-read"] = kept
    return kept


def _question(number: int, *, without_gold: bool) -> str:
    cases = counted(number, "past case")
    return f"Judge the justifications of {cases} of yours" if without_gold else f"Also score {cases} of these claims"
