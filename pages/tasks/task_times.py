"""Times of a task in the reader's time zone; the server's clock decides."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from core.tasks.shared_task import TaskPhase, TaskPlan
from pages.ui.cases import zone
from pages.ui.markup import Html, join, tag


def readers_zone() -> tzinfo:
    """Return the reader's time zone; UTC where the browser does not name it."""
    return zone() or UTC


def in_words(seconds: float) -> str:
    """Return a time with its zone: "24 November 2026, 02:44 CET"."""
    at = datetime.fromtimestamp(seconds, readers_zone())
    return f"{at.day} {at:%B %Y, %H:%M %Z}"


def phase_words(plan: TaskPlan, now: float) -> str:
    """Return which phase is open until when, or the one that comes next."""
    if phase := plan.phase_at(now):
        return f"{phase.name} is open until {in_words(phase.end)}"
    to_come = next((phase for phase in plan.phases if phase.start > now), None)
    return f"{to_come.name} begins {in_words(to_come.start)}" if to_come else "All phases have ended"


def timetable(plan: TaskPlan, now: float) -> Html:
    """Return the phases with their dates and states, the leaderboard's date, and the server's time."""
    rows = [
        (phase.name, f"{in_words(phase.start)} – {in_words(phase.end)}", phase_state(phase, now))
        for phase in plan.phases
    ]
    rows.append(("Leaderboard", f"from {in_words(plan.opens)}", "Open" if now >= plan.opens else "Hidden"))
    lines = ((tag("dt", name), tag("dd", dates, " ", tag("span", state, css="vd-tag"))) for name, dates, state in rows)
    clock = f"The server’s clock counts. Now it is {in_words(now)}. At its end a phase is closed."
    return tag(
        "div",
        tag("dl", join(part for line in lines for part in line), css="vd-terms"),
        tag("p", clock, css="vd-quiet"),
        css="vd vd-card",
    )


def phase_state(phase: TaskPhase, now: float) -> str:
    if now < phase.start:
        return "To come"
    return "Open" if now < phase.end else "Ended"
