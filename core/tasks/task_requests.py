"""The requests of a task's organiser, each declared once for its command and its form."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from core.actions.action import Action, Later, ResultFile, values_of
from core.actions.fields import Between, Choices, FromFile, Help, Place, Reads
from core.annotations import GoldClaim
from core.averitec.averitec import parse_gold
from core.scoring.judge_settings import JudgeSettings
from core.scoring.registry import TITLES, metric_name
from core.tabular.exports import to_csv
from core.tasks.moments import A_TIME
from core.tasks.shared_task import MAX_DAILY, MAX_TOTAL, TASK_METRICS, TaskPhase, checked_phase

GOLD_HELP = (
    "AVeriTeC JSON or JSON lines, or the leaderboard's CSV. The annotations stay on the server, and no page shows them"
)
TASK_SCORES = Choices({name: TITLES[name] for name in TASK_METRICS}, metric_name)
TIME = "such as 2026-11-20 23:59:59 +01:00; UTC, AoE and Europe/Berlin are zones too"


@dataclass(frozen=True)
class TaskGold:
    """A gold file: its name and its annotated claims."""

    file: str
    claims: tuple[GoldClaim, ...]


def task_gold(name: str, content: bytes) -> TaskGold:
    """Return a gold file. Raises BadRecord as `parse_gold`, also for a claim that occurs twice."""
    return TaskGold(name, tuple(parse_gold(name, content)))


@dataclass(frozen=True, kw_only=True)
class PhaseDates:
    """The dates and limits of a phase. Raises BadField as `checked_phase`."""

    start: Annotated[float, A_TIME, Help(f"when teams may submit, {TIME}", "Begins")]
    end: Annotated[float, A_TIME, Help("from when on they may not; write it as the beginning", "Ends")]
    opens: Annotated[float, A_TIME, Help("when teams see the leaderboard; organisers always do", "Leaderboard opens")]
    late: Annotated[
        float | None, A_TIME, Help("until when late submissions are taken; they have no rank", "Late until")
    ] = None
    daily: Annotated[
        int,
        Between(1, MAX_DAILY),
        Help("submissions a day of UTC for each team; files with errors do not count", "Submissions a day"),
    ] = 3
    total: Annotated[
        int | None, Between(1, MAX_TOTAL), Help("submissions in all for each team", "Submissions in all")
    ] = None
    show_scores: Annotated[
        bool,
        Help(
            "teams see the scores of their own submissions before the leaderboard opens", "Teams see their own scores"
        ),
    ] = False

    def __post_init__(self) -> None:
        self.as_phase("Phase")

    def as_phase(self, name: str, phase_id: str = "") -> TaskPhase:
        """Return the phase of this name. Raises BadField as `checked_phase`."""
        limits = self.late, self.daily, self.total, self.show_scores
        return checked_phase(TaskPhase(name, self.start, self.end, self.opens, *limits, phase_id))


@dataclass(frozen=True, kw_only=True)
class NewTask(PhaseDates, JudgeSettings):
    """Create a task with its first phase."""

    name: Annotated[str, Place("NAME"), Help("the name of the task", "Name")]
    gold: Annotated[TaskGold, FromFile(task_gold), Help(GOLD_HELP, "Gold annotations")]
    phase: Annotated[str, Help("the name of the first phase", "Name of the phase")] = "Test"
    description: Annotated[str, Help("a text for the teams", "Description for teams")] = ""
    terms: Annotated[str, Help("each team accepts them before it submits; none if empty", "Terms")] = ""
    metric: Annotated[
        tuple[str, ...],
        TASK_SCORES,
        Help("the scores to compute; the first one ranks", "Scores, the first one ranks"),
    ] = ("hungarian-meteor", "verdict")


@dataclass(frozen=True, kw_only=True)
class ChangeTask:
    """Change the texts and the price of a task; its scores and its judge stay."""

    task: Annotated[str, Place("TASK"), Help("its id, the beginning of it, or its name")]
    name: Annotated[str | None, Help("the name of the task", "Name")] = None
    description: Annotated[str | None, Help("a text for the teams", "Description for teams")] = None
    terms: Annotated[
        str | None, Help("each team accepts them before it submits, and again after a change", "Terms")
    ] = None
    price: Annotated[
        float | None, Between(0, 1e9), Help("of a million of the judge's tokens", "Price of a million tokens")
    ] = None


@dataclass(frozen=True, kw_only=True)
class SetPhase(PhaseDates):
    """Add a phase to a task, or change the dates and limits of one."""

    task: Annotated[str, Place("TASK"), Help("its id, the beginning of it, or its name")]
    phase: Annotated[str, Place("PHASE"), Help("the name of the phase", "Phase")]
    rename: Annotated[str, Help("another name for the phase", "Name of the phase")] = ""
    gold: Annotated[
        TaskGold | None,
        FromFile(task_gold),
        Help(f"{GOLD_HELP}. Without a file, a new phase has that of the first phase", "Its own gold annotations"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class RemovePhase:
    """Remove a phase without submissions from a task."""

    task: Annotated[str, Place("TASK"), Help("its id, the beginning of it, or its name")]
    phase: Annotated[str, Place("PHASE"), Help("the name of the phase")]


@dataclass(frozen=True, kw_only=True)
class ReplaceGold:
    """Replace the gold file of a phase, and score its submissions again."""

    task: Annotated[str, Place("TASK"), Help("its id, the beginning of it, or its name")]
    phase: Annotated[str, Place("PHASE"), Help("the name of the phase")]
    gold: Annotated[TaskGold, FromFile(task_gold), Help(GOLD_HELP, "New gold annotations")]
    reason: Annotated[str, Help("the change, in a sentence for the notice on the board", "Reason, for the board")]
    other_claims: Annotated[
        bool, Help("allow that claims are added, left out or worded otherwise", "The file may have other claims")
    ] = False


@dataclass(frozen=True, kw_only=True)
class InviteTeams:
    """Make the links of teams, a new one for a team that is there."""

    task: Annotated[str, Place("TASK"), Help("its id, the beginning of it, or its name")]
    names: Annotated[
        tuple[str, ...],
        Place("TEAM"),
        Help("a team's name, and its address after a comma if you like; without names each team gets a new link"),
    ] = ()
    baseline: Annotated[bool, Help("baselines: they are on the board outside the ranking", "Baselines")] = False
    days: Annotated[float, Between(0, 366), Help("how long the links are good")] = 90.0
    url: Annotated[str, Help("where the app is reached")] = "http://localhost:8501"


@dataclass(frozen=True, kw_only=True)
class SignUpLink:
    """Open the sign-up page of a task by a new link, or close it."""

    task: Annotated[str, Place("TASK"), Help("its id, the beginning of it, or its name")]
    close: Annotated[bool, Help("close the page; teams that wait stay")] = False
    url: Annotated[str, Help("where the app is reached")] = "http://localhost:8501"


@dataclass(frozen=True, kw_only=True)
class ListTeams:
    """List the teams of a task, approve those that signed up, or withdraw some."""

    task: Annotated[str, Place("TASK"), Help("its id, the beginning of it, or its name")]
    approve: Annotated[tuple[str, ...], Help("approve this team")] = ()
    withdraw: Annotated[tuple[str, ...], Help("refuse or withdraw this team")] = ()

    @property
    def named(self) -> tuple[str, ...]:
        return (*self.approve, *self.withdraw)


@dataclass(frozen=True, kw_only=True)
class ListTasks:
    """List the tasks with their phases."""


@dataclass(frozen=True, kw_only=True)
class SubmitFile:
    """Check, score and keep a submission of a team, within its limits."""

    task: Annotated[str, Place("TASK"), Help("its id, the beginning of it, or its name")]
    file: Annotated[Path, Place("FILE"), Reads(), Help("JSON, JSON lines or CSV")]
    team: Annotated[str, Help("the team's name")]
    phase: Annotated[str, Help("the phase; without it the newest one that is open")] = ""


@dataclass(frozen=True, kw_only=True)
class ShowBoard:
    """Print a phase's leaderboard and the changes of its gold file."""

    task: Annotated[str, Place("TASK"), Help("its id, the beginning of it, or its name")]
    phase: Annotated[str, Help("the phase; without it the one that began last")] = ""
    gold: Annotated[int | None, Between(1, 1000), Help("the board under an earlier gold file: 1 is the first one")] = (
        None
    )


@dataclass(frozen=True, kw_only=True)
class ExportTask:
    """Write every submission with its scores and the judge's cost."""

    task: Annotated[str, Place("TASK"), Help("its id, the beginning of it, or its name")]


work = Later("core.tasks.task_actions")
TASK = (
    Action(
        "new",
        NewTask,
        work.new_task,
        lambda made: f"{work.made_words(made)} Next: `python -m core task invite {made.task[:8]} TEAM`.",
    ),
    Action("change", ChangeTask, work.change, work.made_words),
    Action("phase", SetPhase, work.phase, work.made_words),
    Action("drop-phase", RemovePhase, work.remove, work.made_words),
    Action("gold", ReplaceGold, work.gold, work.rescored_words, unit="claims"),
    Action(
        "list",
        ListTasks,
        work.list_tasks,
        lambda lines: "" if lines else "There are no tasks yet: `python -m core task new` makes one.",
        tables=lambda lines: [work.tasks_table(lines)] if lines else [],
    ),
    Action(
        "invite",
        InviteTeams,
        work.invite,
        lambda rows: "No link is shown again.",
        tables=lambda rows: [work.links_table(rows)],
    ),
    Action("sign-up", SignUpLink, work.sign_up, lambda made: made["link"] or "The sign-up page is closed."),
    Action("teams", ListTeams, work.teams, tables=lambda found: [work.teams_table(found)]),
    Action(
        "submit",
        SubmitFile,
        work.submit_file,
        tables=lambda made: [made.table],
        json=lambda made: {"submission": made.submission, "remarks": made.remarks},
        unit="claims",
    ),
    Action(
        "leaderboard",
        ShowBoard,
        work.leaderboard,
        work.board_words,
        tables=lambda board: [board.table],
        json=lambda board: work.table_json(board.table) | {"replacements": values_of(board.rows.files)},
    ),
    Action(
        "export",
        ExportTask,
        work.export,
        tables=lambda table: [table],
        json=work.table_json,
        files=(ResultFile("out", "write them as CSV", lambda table, _: to_csv(table)),),
    ),
)
