"""Times of a task in the reader's time zone; the server's clock decides."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo

from core.tasks.shared_task import TaskPhase, TaskPlan
from core.wording import counted
from pages.ui.cases import zone
from pages.ui.markup import Html, join, tag


def readers_zone() -> tzinfo:
    """Return the reader's time zone; UTC where the browser does not name it."""
    return zone() or UTC


def in_words(seconds: float) -> str:
    """Return a time with its zone: "24 November 2026, 02:44:00 CET"."""
    at = datetime.fromtimestamp(seconds, readers_zone())
    return f"{at.day} {at:%B %Y, %H:%M:%S %Z}"


def phase_words(plan: TaskPlan, now: float) -> str:
    """Return which phases take submissions until when, or the one that comes next."""
    if taking := plan.taking(now):
        return ", ".join(
            f"{phase.name} {'is open' if now < phase.end else 'takes late submissions'} until {in_words(phase.closes)}"
            for phase in taking
        )
    to_come = next((phase for phase in plan.phases if phase.start > now), None)
    return f"{to_come.name} begins {in_words(to_come.start)}" if to_come else "All phases have ended"


def timetable(plan: TaskPlan, now: float, claims: Mapping[str, int]) -> Html:
    """Return the phases with their dates, limits and boards, and the server's time. `claims` are counted by phase."""
    lines = join(_phase_lines(phase, now, claims[phase.id]) for phase in plan.phases)
    clock = f"The server’s clock counts. Now it is {in_words(now)}. A phase is closed from its end on."
    return tag(
        "div",
        tag("dl", lines, css="vd-terms"),
        tag("p", clock, css="vd-quiet", style="margin-top: 0.75rem"),
        css="vd vd-card",
    )


def phase_state(phase: TaskPhase, now: float) -> str:
    if now < phase.start:
        return "To come"
    if now < phase.end:
        return "Open"
    return "Late only" if phase.takes(now) else "Ended"


def limits(phase: TaskPhase, claims: int) -> str:
    """Return a phase's claims and limits in words."""
    in_all = f", {phase.total} in all" if phase.total else ""
    return f"{counted(claims, 'claim')}; {counted(phase.daily, 'submission')} a day for each team{in_all}"


def _phase_lines(phase: TaskPhase, now: float, claims: int) -> Html:
    board = "Board open" if now >= phase.opens else "Board hidden"
    lines = (
        tag("div", "Submissions ", _at(phase.start), " – ", _at(phase.end)),
        tag("div", "Late submissions until ", _at(phase.late)) if phase.late else "",
        tag(
            "div",
            "Leaderboard from ",
            _at(phase.opens),
            " ",
            tag("span", board, css="vd-tag", style="white-space: nowrap"),
        ),
        tag("div", limits(phase, claims), css="vd-quiet"),
    )
    name = tag("dt", phase.name, " ", tag("span", phase_state(phase, now), css="vd-tag"))
    return join((name, tag("dd", *lines, style="padding-bottom: 0.5rem")))


def _at(seconds: float) -> Html:
    return tag("span", in_words(seconds), style="white-space: nowrap")
