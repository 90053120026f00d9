"""What the claims of a batch came to, a line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from core.batch.batch_folder import Batch, Outcome
from core.types import Label
from pages.ui.markup import Html, join, show, tag
from pages.ui.notices import quiet
from pages.ui.verdicts import LOOKS, badge, look_named

LATEST = 8
SHOWN = 200


def latest(batch: Batch) -> Sequence[Outcome]:
    return list(batch.outcomes.values())[-LATEST:][::-1]


def outcome_list(outcomes: Sequence[Outcome]) -> Html:
    return tag("div", tag("ol", join(outcome_line(one) for one in outcomes), css="vd-stages"), css="vd")


def outcome_line(one: Outcome) -> Html:
    what = tag("span", one.error, css="vd-quiet") if one.error else badge(look_named(one.label, cannot_tell=False))
    less = tag("span", f" Less was done: {'; '.join(one.left_out)}", css="vd-quiet") if one.left_out else ""
    seconds = tag("span", f"{one.seconds:.1f} s", css="vd-number vd-quiet")
    return tag("li", tag("span", one.claim_id, css="vd-quiet"), tag("span", what, less), seconds, css="vd-outcome")


def show_outcomes(outcomes: Mapping[str, Outcome]) -> None:
    """List the claims: those that failed first, then those that were done less, then the rest."""
    if not outcomes:
        return
    ordered = sorted(outcomes.values(), key=lambda one: (not one.error, not one.left_out))
    counts = {LOOKS[label].word: sum(one.label == label for one in ordered) for label in Label}
    counts["failed"] = sum(bool(one.error) for one in ordered)
    came_out = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    with st.expander(f"Claims: {came_out}", expanded=any(one.error for one in ordered)):
        show(outcome_list(ordered[:SHOWN]))
        if len(ordered) > SHOWN:
            quiet(f"And {len(ordered) - SHOWN:,} more, in the submission.")
