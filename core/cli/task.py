"""`python -m core task ACTION`: shared tasks for an organiser without a browser."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime

from core.averitec.averitec import read_gold
from core.averitec.checking import grouped
from core.cli.common.action_command import add_fields, request_of
from core.cli.common.campaigns import open_as_organiser
from core.cli.common.numbers import amount, whole
from core.cli.common.paths import input_path, not_empty, output_file
from core.cli.common.terminal import ProgressLine
from core.cli.invite import ADDRESS, link_to
from core.dataclass_json import to_json
from core.errors import BadInput
from core.files import write_whole
from core.jobs.store import JobStore
from core.records import read_bytes, read_text
from core.scoring.judge_settings import JudgeSettings
from core.scoring.progress import ProgressMonitor
from core.scoring.score import DEFAULT_METRICS
from core.storage.store import Store
from core.tabular.exports import to_csv, to_text
from core.tabular.exports import to_json as table_json
from core.tabular.table import Column, Table
from core.tasks.shared_task import MAX_DAILY, TASK_METRICS, TaskPhase, TaskPlan
from core.tasks.submitting import check_size, check_submission, submissions_of, submit
from core.tasks.task_board import board_submissions, reports_of, submissions_table, task_board
from core.tasks.task_job import TASK, SubmissionRequest, listed, score_submission
from core.tasks.task_store import all_tasks, create_task, load_task
from core.tasks.teams import invite_team, renew_team_link, task_teams_of
from core.wording import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    new = actions.add_parser("new", help="create a task; its gold file stays on the server")
    new.add_argument("name", type=not_empty, metavar="NAME")
    new.add_argument("--gold", type=input_path, required=True, metavar="FILE", help="JSON, JSON lines or CSV")
    new.add_argument(
        "--phase",
        action="append",
        type=phase,
        required=True,
        metavar="NAME=START/END",
        help="ISO times with a zone, such as Test=2026-11-01T00:00Z/2026-11-20T23:59+01:00; may be repeated",
    )
    new.add_argument("--opens", type=moment, required=True, metavar="TIME", help="when teams see the leaderboard")
    new.add_argument("--description", type=input_path, metavar="FILE", help="a text for the teams")
    new.add_argument("--daily", type=whole(1, MAX_DAILY), default=3, metavar="N", help="submissions a day of UTC (3)")
    new.add_argument("--metric", action="append", choices=TASK_METRICS, help="may be repeated; the first one ranks")
    new.add_argument("--show-scores", action="store_true", help="teams see the scores of their own submissions at once")
    add_fields(new, JudgeSettings)
    new.set_defaults(act=new_task)
    listing = actions.add_parser("list", help="list the tasks with their phases")
    listing.set_defaults(act=list_tasks)
    invited = _on_task(actions, "invite", "make a team's link; an older one of this team ends", invite)
    invited.add_argument("team", type=not_empty, metavar="TEAM")
    invited.add_argument("--days", type=amount(0, 366), default=90.0, help="how long the link is good (90)")
    invited.add_argument("--url", default=ADDRESS, help=f"where the app is reached ({ADDRESS})")
    submitted = _on_task(
        actions, "submit", "check, score and keep a submission of a team, within its limits", submit_file
    )
    submitted.add_argument("file", type=input_path, metavar="FILE", help="JSON, JSON lines or CSV")
    submitted.add_argument("--team", type=not_empty, required=True, metavar="TEAM", help="the team's name")
    board = _on_task(actions, "leaderboard", "print a phase's leaderboard", show_board)
    board.add_argument("--phase", default="", metavar="NAME", help="the one that began last if left out")
    export = _on_task(actions, "export", "write every submission with its scores", export_task)
    export.add_argument("--out", type=output_file, metavar="FILE", help="standard output if left out")
    for one in (new, listing, invited, submitted, board, export):
        one.add_argument("--json", action="store_true", help="print JSON")


def moment(text: str) -> float:
    """Read a time with a zone for argparse; return seconds since 1970."""
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no time such as 2026-11-20T23:59+01:00") from None
    if at.tzinfo is None:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} has no time zone: write Z or +01:00 behind it")
    return at.timestamp()


def phase(text: str) -> TaskPhase:
    """Read a phase for argparse: a name and its two times."""
    name, _, times = text.rpartition("=")
    start, slash, end = times.partition("/")
    if not name or not slash:
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is no phase: write NAME=START/END")
    return TaskPhase(name, moment(start), moment(end))


def _on_task(
    actions: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    summary: str,
    act: Callable[[Store, str, argparse.Namespace], int],
) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=summary)
    parser.add_argument("task", metavar="TASK", help="its id, the beginning of it, or its name")
    parser.set_defaults(act=act)
    return parser


def run(args: argparse.Namespace) -> int:
    store, owner = open_as_organiser()
    if "task" in args:
        args.task = task_named(store, owner, args.task)
    act: Callable[[Store, str, argparse.Namespace], int] = args.act
    return act(store, owner, args)


def task_named(store: Store, owner: str, name: str) -> str:
    """Return the id of the task of this id, beginning of an id, or name. Raises BadInput if not exactly one."""
    lines = all_tasks(store, owner)
    exact = [line.id for line in lines if name in (line.id, line.plan.name)]
    found = exact or [line.id for line in lines if name and line.id.startswith(name)]
    if len(found) != 1:
        several = "Several tasks are" if found else "No task is"
        raise BadInput(f"{several} named {name!r}: `python -m core task list` shows their ids.")
    return found[0]


def new_task(store: Store, owner: str, args: argparse.Namespace) -> int:
    gold = read_gold(args.gold)
    plan = TaskPlan(
        name=args.name,
        phases=tuple(args.phase),
        opens=args.opens,
        description=read_text(args.description) if args.description else "",
        daily_limit=args.daily,
        metrics=tuple(dict.fromkeys(args.metric or DEFAULT_METRICS)),
        shows_scores=args.show_scores,
        judging=request_of(args, JudgeSettings).judging,
    )
    task = create_task(store, owner, plan, gold)
    if args.json:
        print(json.dumps({"task": task, "claims": len(gold)}))
    else:
        print(
            f"{task}: {args.name}, {counted(len(gold), 'claim')}. Next: `python -m core task invite {task[:8]} TEAM`."
        )
    return 0


def list_tasks(store: Store, owner: str, args: argparse.Namespace) -> int:
    lines = all_tasks(store, owner)
    if args.json:
        print(json.dumps(to_json(lines), ensure_ascii=False, indent=1))
    elif lines:
        rows = tuple((line.id, line.plan.name, _phases(line.plan), line.teams, line.claims) for line in lines)
        columns = (*(Column(title) for title in ("Id", "Name", "Phases")), Column("Teams", 0), Column("Claims", 0))
        print(to_text(Table("tasks", "Tasks", columns, rows)))
    else:
        print("There are no tasks yet: `python -m core task new` makes one.")
    return 0


def _phases(plan: TaskPlan) -> str:
    return ", ".join(
        f"{one.name} until {datetime.fromtimestamp(one.end, UTC):%Y-%m-%d %H:%M} UTC" for one in plan.phases
    )


def invite(store: Store, owner: str, args: argparse.Namespace) -> int:
    known = [team.id for team in task_teams_of(store, args.task, owner) if team.name == args.team]
    if known:
        token = renew_team_link(store, args.task, owner, known[0], days=args.days)
    else:
        token = invite_team(store, args.task, owner, args.team, days=args.days)
    link = link_to(args.url, "tasks", token)
    if args.json:
        print(json.dumps({"team": args.team, "link": link, "days": args.days}, ensure_ascii=False))
    else:
        print(link)
        print(f"Good for {args.days:g} days, for all members of {args.team}. It is not shown again.")
    return 0


def submit_file(store: Store, owner: str, args: argparse.Namespace) -> int:
    team = next((one.id for one in task_teams_of(store, args.task, owner) if one.name == args.team), "")
    if not team:
        raise BadInput(f"The task has no team {args.team!r}: `python -m core task invite` makes one.")
    if args.file.is_file():
        check_size(args.file.name, args.file.stat().st_size)
    checked = check_submission(store, args.task, owner, args.file.name, read_bytes(args.file))
    if not checked.accepted:
        raise BadInput("\n".join(checked.errors))
    jobs, monitor = JobStore(store), ProgressMonitor(ProgressLine(args.team, "claims").show)

    def score_now(whose: str, request: SubmissionRequest) -> str:
        begun = store.clock()
        result = score_submission(store, request, monitor)
        written = to_json(request)
        return jobs.add_done(TASK, whose, listed(request, None), written, result, seconds=store.clock() - begun)

    made = submit(store, args.task, owner, args.file.name, checked, score_now, team=team)
    mine = [one for one in submissions_of(store, jobs, args.task, owner) if one.id == made]
    table = submissions_table(mine, reports_of(jobs, mine), teams=True)
    remarks = [f"{p.where}: {p.field}: {p.message}" for p in grouped(checked.problems)]
    if args.json:
        print(json.dumps({"submission": made, "remarks": remarks}, ensure_ascii=False))
        return 0
    for one in remarks:
        print(one, file=sys.stderr)
    print(to_text(table))
    return 0


def show_board(store: Store, owner: str, args: argparse.Namespace) -> int:
    plan, jobs = load_task(store, args.task, owner).plan, JobStore(store)
    phase = plan.phase_named(args.phase) if args.phase else plan.latest_phase(store.clock())
    table = task_board(plan, phase.name, *board_submissions(store, jobs, args.task, owner, phase.name), jobs)
    print(table_json(table) if args.json else to_text(table), end="" if args.json else "\n")
    return 0


def export_task(store: Store, owner: str, args: argparse.Namespace) -> int:
    jobs = JobStore(store)
    everything = submissions_of(store, jobs, args.task, owner)
    table = submissions_table(everything, reports_of(jobs, everything), teams=True)
    text = table_json(table) if args.json else to_csv(table)
    if args.out:
        write_whole(args.out, text)
    else:
        print(text, end="")
    return 0
