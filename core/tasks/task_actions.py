"""The actions of a shared task's organiser: `veridesk task ACTION`. The pages make the same requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from core.actions.action import ActionContext
from core.actions.fields import BadField
from core.averitec.checking import grouped
from core.campaigns.access import command_line
from core.errors import BadInput
from core.jobs.jobs import do_here
from core.jobs.kinds import JobKind
from core.jobs.store import JobStore
from core.jobs.types import Job, Json
from core.records import read_bytes
from core.scoring.leaderboard import metric_faults
from core.settings import settings
from core.storage.store import Store
from core.tabular.table import Column, Table
from core.tasks.moments import written_moment
from core.tasks.rescore_job import moved_of, replace_gold, rescore_kind
from core.tasks.rescoring import Moved, NewGold, Replacement
from core.tasks.scores import reports_of
from core.tasks.shared_task import SharedTask, TaskLine, TaskPhase, TaskPlan, Team
from core.tasks.submitting import check_size, check_submission, submissions_of, submit
from core.tasks.task_board import BoardRows, board_rows, submissions_table, task_board
from core.tasks.task_job import task_kind
from core.tasks.task_requests import (
    ChangeTask,
    ExportTask,
    InviteTeams,
    ListTasks,
    ListTeams,
    NewTask,
    RemovePhase,
    ReplaceGold,
    SetPhase,
    ShowBoard,
    SignUpLink,
    SubmitFile,
)
from core.tasks.task_store import all_tasks, change_task, create_task, load_task, remove_phase, set_phase
from core.tasks.teams import (
    TeamLink,
    approve_team,
    close_sign_up,
    invite_teams,
    new_links,
    open_sign_up,
    read_teams,
    renew_team_link,
    task_teams_of,
    team_named,
    withdraw_team,
)
from core.wording import counted


@dataclass(frozen=True)
class Desk:
    """The database as its organiser on the command line, and a task."""

    store: Store
    owner: str
    task: str = ""

    @property
    def found(self) -> SharedTask:
        return load_task(self.store, self.task, self.owner)

    @property
    def jobs(self) -> JobStore:
        return JobStore(self.store)

    def do(self, kind: JobKind[Any, Job], job: str, owner: str, context: ActionContext) -> Job:
        """Do a stored job of claims now, and return it at its end. Raises as `do_here`."""

        def report(progress: Json) -> None:
            if total := progress.get("total"):
                context.advance(progress["done"], total)

        return do_here(self.jobs, kind, job, owner, report, context.stop)


@dataclass(frozen=True)
class MadeTask:
    """A new or changed task, or phase: the task's id, its name and the number of gold claims."""

    task: str
    name: str
    claims: int


@dataclass(frozen=True)
class Rescored:
    """The end of a replacement: the largest change of rank, None without one."""

    phase: str
    moved: Moved | None


@dataclass(frozen=True)
class Submitted:
    """A submission's id, the remarks on its file, and its row."""

    submission: str
    remarks: tuple[str, ...]
    table: Table


@dataclass(frozen=True)
class Boarded:
    """A leaderboard, and the gold files of its phase."""

    table: Table
    rows: BoardRows


def open_desk(name: str = "") -> Desk:
    """Open the database as an organiser, and find the task of an id, the beginning of one, or a name.

    Raises BadField if it is not exactly one.
    """
    store = Store(settings().database_url)
    owner = command_line(store)
    if not name:
        return Desk(store, owner)
    lines = all_tasks(store, owner)
    exact = [line.id for line in lines if name in (line.id, line.plan.name)]
    found = exact or [line.id for line in lines if line.id.startswith(name)]
    if len(found) != 1:
        several = "Several tasks are" if found else "No task is"
        raise BadField("task", f"{several} named {name!r}: `python -m core task list` shows their ids.")
    return Desk(store, owner, found[0])


def plan_of_request(request: NewTask) -> TaskPlan:
    """Return the plan of a new task with its one phase."""
    return TaskPlan(
        request.name,
        (request.as_phase(request.phase),),
        request.description,
        request.terms,
        tuple(dict.fromkeys(request.metric)),
        request.judging,
        request.price,
    )


def new_task(request: NewTask, context: ActionContext) -> MadeTask:
    desk = open_desk()
    gold = request.gold
    task = create_task(desk.store, desk.owner, plan_of_request(request), gold.claims, file=gold.file)
    return MadeTask(task, request.name, len(gold.claims))


def change(request: ChangeTask, context: ActionContext) -> MadeTask:
    desk = open_desk(request.task)
    plan = desk.found.plan
    given = {name: getattr(request, name) for name in ("name", "description", "terms", "price")}
    values = {name: getattr(plan, name) if value is None else value for name, value in given.items()}
    change_task(desk.store, desk.task, desk.owner, **values)
    return _made(desk)


def phase(request: SetPhase, context: ActionContext) -> MadeTask:
    desk = open_desk(request.task)
    known = {one.name: one.id for one in desk.found.plan.phases}
    made = request.as_phase(request.rename or request.phase, known.get(request.phase, ""))
    save_phase(desk.store, desk.task, desk.owner, made, request)
    return _made(desk)


def save_phase(store: Store, task: str, owner: str, made: TaskPhase, request: SetPhase) -> str:
    """Add or change a phase with the gold file of a request, and return its id. Raises as `set_phase`."""
    gold = request.gold
    return (
        set_phase(store, task, owner, made, gold.claims, file=gold.file)
        if gold
        else set_phase(store, task, owner, made)
    )


def remove(request: RemovePhase, context: ActionContext) -> MadeTask:
    desk = open_desk(request.task)
    remove_phase(desk.store, desk.task, desk.owner, request.phase)
    return _made(desk)


def gold(request: ReplaceGold, context: ActionContext) -> Rescored:
    desk = open_desk(request.task)
    new = NewGold(request.gold.file, request.gold.claims, request.reason)
    job = replace_gold(desk.store, desk.task, desk.owner, request.phase, new, other_claims=request.other_claims)
    context.begin(request.phase)
    done = desk.do(rescore_kind(desk.store), job, desk.task, context)
    return Rescored(request.phase, moved_of(done))


def invite(request: InviteTeams, context: ActionContext) -> list[dict[str, str]]:
    desk = open_desk(request.task)
    days = request.days
    if not request.names:
        return _links(request.url, new_links(desk.store, desk.task, desk.owner, days=days))
    known = {one.name: one for one in task_teams_of(desk.store, desk.task, desk.owner)}
    asked = read_teams("\n".join(request.names))
    fresh = [one for one in asked if one[0] not in known]
    made = invite_teams(desk.store, desk.task, desk.owner, fresh, days=days, baseline=request.baseline)
    again = [known[name] for name, _ in asked if name in known]
    renewed = [
        TeamLink(one.name, one.address, renew_team_link(desk.store, desk.task, desk.owner, one.id, days=days))
        for one in again
    ]
    return _links(request.url, [*made, *renewed])


def sign_up(request: SignUpLink, context: ActionContext) -> dict[str, str]:
    desk = open_desk(request.task)
    if request.close:
        close_sign_up(desk.store, desk.task, desk.owner)
        return {"link": ""}
    token = open_sign_up(desk.store, desk.task, desk.owner)
    return {"link": f"{request.url.rstrip('/')}/tasks?{urlencode({'signup': token})}"}


def teams(request: ListTeams, context: ActionContext) -> tuple[Team, ...]:
    desk = open_desk(request.task)
    at = desk.store, desk.task, desk.owner
    for name in request.named:
        found = team_named(*at, name)
        (approve_team if name in request.approve else withdraw_team)(*at, found.id)
    return task_teams_of(*at)


def list_tasks(request: ListTasks, context: ActionContext) -> tuple[TaskLine, ...]:
    desk = open_desk()
    return all_tasks(desk.store, desk.owner)


def submit_file(request: SubmitFile, context: ActionContext) -> Submitted:
    desk, file = open_desk(request.task), request.file
    at = desk.store, desk.task, desk.owner
    team = team_named(*at, request.team)
    if file.is_file():
        check_size(file.name, file.stat().st_size)
    checked = check_submission(*at, file.name, read_bytes(file), phase=request.phase)
    if not checked.accepted:
        raise BadInput("\n".join(checked.errors))
    context.begin(request.team)
    made = submit(*at, file.name, checked, team=team.id)
    desk.do(task_kind(desk.store), made, team.id, context)
    mine = [one for one in submissions_of(desk.store, desk.jobs, desk.task, desk.owner) if one.id == made]
    reports = reports_of(desk.store, [made])
    problems = (f"{p.where}: {p.field}: {p.message}" for p in grouped(checked.problems))
    remarks = (*problems, *metric_faults(reports.values()))
    for one in remarks:
        context.tell(one)
    return Submitted(made, remarks, submissions_table(desk.found.plan, mine, reports, organiser=True))


def leaderboard(request: ShowBoard, context: ActionContext) -> Boarded:
    desk = open_desk(request.task)
    plan = desk.found.plan
    wanted = plan.phase(request.phase) if request.phase else plan.latest_phase(desk.store.clock())
    at = desk.store, desk.jobs, desk.task, desk.owner, wanted.id
    rows = board_rows(*at)
    if request.gold is not None:
        if request.gold > len(rows.files):
            raise BadField("gold", f"{wanted.name} had {counted(len(rows.files), 'gold file')} so far.")
        rows = board_rows(*at, rows.files[request.gold - 1].id)
    return Boarded(task_board(desk.store, plan, rows), rows)


def export(request: ExportTask, context: ActionContext) -> Table:
    desk = open_desk(request.task)
    everything = submissions_of(desk.store, desk.jobs, desk.task, desk.owner)
    reports = reports_of(desk.store, [one.id for one in everything])
    return submissions_table(desk.found.plan, everything, reports, organiser=True)


def replacement_words(one: Replacement) -> str:
    """Return the notice on a gold file that replaced another one, without its time."""
    if one.moved is None:
        moved = "No rank changed."
    else:
        moved = f"Largest change of rank: {one.moved.team}, from {one.moved.before} to {one.moved.after}."
    return f"{one.reason} {moved}"


def links_table(rows: Sequence[dict[str, str]]) -> Table:
    """Return the teams with their addresses and links, to be sent by mail."""
    columns = tuple(map(Column, ("Team", "Address", "Link")))
    return Table("links", "Links", columns, tuple((row["team"], row["address"], row["link"]) for row in rows))


def _links(url: str, links: Sequence[TeamLink]) -> list[dict[str, str]]:
    address = f"{url.rstrip('/')}/tasks"
    return [
        {"team": one.team, "address": one.address, "link": f"{address}?{urlencode({'invite': one.token})}"}
        for one in links
    ]


def _made(desk: Desk) -> MadeTask:
    return MadeTask(desk.task, desk.found.plan.name, max(desk.found.claims.values()))


def made_words(made: MadeTask) -> str:
    return f"{made.task}: {made.name}, {counted(made.claims, 'claim')}."


def tasks_table(lines: Sequence[TaskLine]) -> Table:
    rows = tuple((one.id, one.plan.name, _phases(one.plan), one.teams, one.claims) for one in lines)
    columns = (*(Column(title) for title in ("Id", "Name", "Phases")), Column("Teams", 0), Column("Claims", 0))
    return Table("tasks", "Tasks", columns, rows)


def _phases(plan: TaskPlan) -> str:
    return ", ".join(f"{one.name} until {written_moment(one.end)}" for one in plan.phases)


def teams_table(found: Sequence[Team]) -> Table:
    columns = (*map(Column, ("Id", "Team", "Address", "State")), Column("Opened by", 0))
    rows = tuple((one.id, one.name, one.address, team_state(one), one.joined) for one in found)
    return Table("teams", "Teams", columns, rows)


def team_state(team: Team) -> str:
    """Return the state of a team in a word."""
    if team.revoked:
        return "withdrawn" if team.approved else "refused"
    return "waits" if team.waits else "baseline" if team.baseline else "takes part"


def board_words(board: Boarded) -> str:
    files = [one for one in board.rows.files if one.number > 1 and one.since is not None]
    return "\n".join(f"{written_moment(one.since or 0)}: {one.file}: {replacement_words(one)}" for one in files)


def rescored_words(done: Rescored) -> str:
    moved = done.moved
    told = (
        f"Largest change of rank: {moved.team}, from {moved.before} to {moved.after}." if moved else "No rank changed."
    )
    return f"The submissions to {done.phase} are scored by the new file. {told}"


def table_json(table: Table) -> dict[str, Any]:
    return {"rows": [dict(zip((one.title for one in table.columns), row, strict=True)) for row in table.rows]}
