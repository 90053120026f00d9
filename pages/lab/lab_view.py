"""Show cases side by side, while they run and afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core.errors import VerideskError
from core.interfaces import ModelIdentity
from core.jobs.types import Job, State, Status
from core.models.choice import parse_choice
from core.types import Case
from core.verification.receipt import receipt_from_json, request_from_json
from core.verification.request import Request
from pages.lab.results import Shown, compare_two, costs_picture, evidence_table, steps_table, verdict_cards
from pages.ui.app_state import AppState
from pages.ui.cases import claim_heading, entry_end, recipe_title
from pages.ui.markup import Html, show, tag
from pages.ui.notices import attempt_button, in_words, notice, quiet, remark, troubles
from pages.ui.progress import elapsed, stage_list, waiting
from pages.ui.verdicts import badge, look_named

ACROSS = 2
"""Running cases per row."""


@dataclass(frozen=True)
class OpenedCases:
    """Number of finished cases kept in memory, so that a rerun does not read their receipts again."""

    ids: tuple[str, ...]
    shown: tuple[Shown, ...]


def show_cases(at: AppState, who: str, ids: Sequence[str]) -> None:
    """Show the owner's cases of these ids, in any state."""
    statuses = [status for case_id in ids if (status := at.jobs.status(case_id, who))]
    st.button(
        "Compare on another claim", type="tertiary", icon=":material/arrow_back:", on_click=leave, key="lab-leave"
    )
    if not statuses:
        remark("These cases are not in this browser. They were deleted, or they belong to someone else.")
        return
    if first := at.jobs.load(statuses[0].id, who):
        show(claim_heading(request_from_json(first.request).claim))
    if any(status.state.live for status in statuses):
        show_live(at, who, tuple(status.id for status in statuses))
        return
    show_results(at, who, statuses)
    if len(statuses) < len(ids):
        quiet(f"{len(ids) - len(statuses)} of the cases are not there any more.")


def leave() -> None:
    st.query_params.clear()


@st.fragment(run_every=1.0)
@in_words
def show_live(at: AppState, who: str, ids: tuple[str, ...]) -> None:
    """Show running cases side by side every second; draw the whole page again when all have ended."""
    statuses = [status for case_id in ids if (status := at.jobs.status(case_id, who))]
    if not any(status.state.live for status in statuses):
        st.rerun()
    troubles()
    for start in range(0, len(statuses), ACROSS):
        for column, status in zip(st.columns(ACROSS), statuses[start : start + ACROSS], strict=False):
            with column:
                show(tag("div", title(status), css="vd"))
                show_progress(at, status)
    ended = sum(not status.state.live for status in statuses)
    st.progress(ended / len(statuses), text=f"{ended} of {len(statuses)} have ended")
    attempt_button("Cancel all", cancel, at, who, ids, icon="stop_circle", key="lab-cancel")


def title(status: Status) -> Html:
    words = (
        tag("h2", recipe_title(status.facts["recipe"]), css="vd-heading"),
        tag("p", model_name(status.uses), css="vd-quiet"),
    )
    return tag("div", *words)


def model_name(model: str) -> str:
    try:
        return parse_choice(model).name
    except VerideskError:
        return model


def show_progress(at: AppState, status: Status) -> None:
    """Show one case's progress, or in a few words its result."""
    if status.state.live:
        waits = waiting(at.jobs.ahead(status)) if status.state is State.WAITING else ""
        show(stage_list(status.facts, status.progress, elapsed(status), waits=waits))
    elif status.state is State.DONE:
        look = look_named(status.label)
        taken = tag("p", badge(look), tag("span", f" {status.seconds or 0.0:.1f} s", css="vd-quiet"))
        show(tag("div", taken, css=f"vd vd-card vd-{look.css}"))
    else:
        show(tag("div", tag("p", entry_end(status)), css="vd vd-card"))


def cancel(at: AppState, who: str, ids: Sequence[str]) -> None:
    for case_id in reversed(ids):  # waiting cases first, so that none starts meanwhile
        at.queue.cancel(case_id, who)


def show_results(at: AppState, who: str, statuses: Sequence[Status]) -> None:
    """Show the cases' results side by side, then the details."""
    found = opened(at, who, [status.id for status in statuses if status.state is State.DONE])
    if found:
        verdict_cards(found)
    else:
        remark("No case has a verdict.")
    for status in statuses:
        if status.state is not State.DONE:
            notice(f"{recipe_title(status.facts['recipe'])}, {model_name(status.uses)}: {entry_end(status)}")
    if len(found) > 1:
        evidence_table(found)
        costs_picture(found)
        steps_table(found)
        compare_two(found)


def opened(at: AppState, who: str, ids: Sequence[str]) -> tuple[Shown, ...]:
    kept = st.session_state.get("lab-opened")
    if isinstance(kept, OpenedCases) and kept.ids == tuple(ids):
        return kept.shown
    loaded = [stored for case_id in ids if (stored := at.jobs.load(case_id, who))]
    read = [(stored, *finished(stored)) for stored in loaded]
    several = len({request.model for _, request, *_ in read}) > 1
    shown = tuple(
        Shown(stored.id, name_of(request, several), request, case, llm) for stored, request, case, llm in read
    )
    st.session_state["lab-opened"] = OpenedCases(tuple(ids), shown)
    return shown


def finished(stored: Job) -> tuple[Request, Case, ModelIdentity]:
    assert stored.result is not None  # called for finished cases only
    return receipt_from_json(stored.result)[:3]


def name_of(request: Request, several_models: bool) -> str:
    """Return a case's name in the comparison."""
    recipe = recipe_title(request.recipe)
    return f"{recipe}, {model_name(request.model)}" if several_models else recipe
