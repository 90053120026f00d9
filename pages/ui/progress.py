"""The progress of a run: its stages, the findings of each, and the seconds against the minute it may take."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.interfaces import ModelIdentity
from core.jobs.types import Status
from core.verification.reading import INDEXING, READING, SEARCHING
from core.verification.recipes.catalogue import RECIPES
from core.verification.request import Request
from pages.ui.markup import Html, join, tag
from pages.ui.verdicts import bar, icon

BUDGET_SECONDS = 60
"""The shared task's limit for one claim."""


def planned(facts: dict[str, Any]) -> list[str]:
    """Return the titles of a case's stages by its facts, none for a recipe that is not built in."""
    if facts["recipe"] not in RECIPES:
        return []
    first = [SEARCHING] if facts["searches"] else []
    return [*first, READING, INDEXING, *(step.title for step in RECIPES[facts["recipe"]].steps)]


def unplanned(progress: dict[str, Any] | None) -> list[str]:
    """Return the current stage of a recipe that is not built in, with later stages unknown here."""
    done = [item["stage"] for item in progress["done"]] if progress else []
    return [progress["stage"]] if progress and done[-1:] != [progress["stage"]] else []


def stage_list(facts: dict[str, Any], progress: dict[str, Any] | None, seconds: float, *, waits: str = "") -> Html:
    """Return the stages of a case with these facts; `progress` is its last report, None before the first stage.

    `waits` says why a case has not begun.
    """
    done = progress["done"] if progress else []
    titles = planned(facts) or [*(item["stage"] for item in done), *unplanned(progress)]
    rows = [done_stage(item, done[place - 1]["seconds"] if place else 0.0) for place, item in enumerate(done)]
    for place, title in enumerate(titles[len(done) :]):
        detail = progress["detail"] if progress and progress["stage"] == title else ""
        rows.append(open_stage(title, detail, now=place == 0 and not waits))
    foot = clock(seconds, waits or spent(seconds))
    return tag("div", tag("ol", join(rows), css="vd-stages"), foot, css="vd vd-card")


def ended_stages(progress: dict[str, Any], seconds: float) -> Html:
    """Return the progress of a case that has ended: its finished stages, its last one, and its seconds."""
    done = progress["done"]
    rows = [done_stage(item, done[place - 1]["seconds"] if place else 0.0) for place, item in enumerate(done)]
    stopped = tag(
        "li", tag("span", "×", css="vd-stopped"), tag("span", f"Ended at: {progress['stage']}"), css="vd-stage"
    )
    foot = tag("p", f"It ended after {seconds:.0f} s.", css="vd-quiet", style="margin-top: 0.6rem")
    return tag("div", tag("ol", *rows, stopped, css="vd-stages"), foot, css="vd vd-card")


def done_stage(item: dict[str, Any], before: float) -> Html:
    return tag(
        "li",
        tag("span", icon("done"), css="vd-done"),
        tag("span", item["stage"], " ", tag("span", item["found"], css="vd-found")),
        tag("span", f"{item['seconds'] - before:.1f} s", css="vd-number vd-quiet"),
        css="vd-stage",
    )


def open_stage(title: str, detail: str, *, now: bool) -> Html:
    return tag(
        "li",
        tag("span", tag("span", css="vd-dot")),
        tag("span", title, " ", *(tag("span", line, css="vd-found") for line in detail.splitlines())),
        tag("span"),
        css="vd-stage vd-stage-now" if now else "vd-stage vd-stage-next",
    )


def spent(seconds: float) -> str:
    if seconds > BUDGET_SECONDS:
        return f"{seconds:.0f} s: longer than the {BUDGET_SECONDS} s that the shared task allows"
    return f"{seconds:.0f} s of the {BUDGET_SECONDS} s that a claim may take"


def clock(seconds: float, said: str) -> Html:
    return tag(
        "div",
        bar(seconds / BUDGET_SECONDS),
        tag("p", said, css="vd-quiet", style="margin-top: 0.3rem"),
        style="margin-top: 1rem",
    )


def times_table(times: Sequence[Any]) -> Html:
    """Return each stage's time as a bar, relative to the longest stage."""
    longest = max((time.seconds for time in times), default=0.0) or 1.0
    rows = (
        join(
            (
                tag("span", time.step),
                bar(time.seconds / longest),
                tag("span", f"{time.seconds:.1f} s", css="vd-number"),
            )
        )
        for time in times
    )
    return tag("div", tag("div", join(rows), css="vd-bars"), css="vd")


def made_with(request: Request, llm: ModelIdentity) -> Html:
    """Return which recipe and which model it was, as the receipt says in full."""
    recipe = RECIPES[request.recipe].title if request.recipe in RECIPES else request.recipe
    weights = f"weights {llm.digest[:12]}…" if llm.digest else "weights not told by the server"
    examples = f"Examples from {Path(request.training).name}" if request.training else ""
    facts = (f"Recipe: {recipe}", f"Model: {llm.name}", weights, f"Seed: {request.seed}", examples)
    return tag("p", *(tag("span", fact) for fact in facts if fact), css="vd vd-facts")


def waiting(ahead: int) -> str:
    return f"Waiting, {ahead} ahead of you." if ahead else "Waiting: it begins in a moment."


def elapsed(status: Status) -> float:
    return max(0.0, time.time() - status.started) if status.started else 0.0
