"""A server with a shared task and two teams, for the tests of its life."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from core.averitec.averitec import parse_gold
from core.campaigns.access import command_line
from core.campaigns.redeeming import redeem
from core.jobs.jobs import Jobs
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.jobs.types import Status
from core.storage.store import Store
from core.tabular.table import Table
from core.tasks.rescore_job import Rescorings, rescore_kind
from core.tasks.shared_task import DAY, CheckedSubmission, TaskPhase, TaskPlan, TeamSubmission
from core.tasks.submitting import check_submission, left, submissions_of, submit
from core.tasks.task_board import BoardRows, board_rows, task_board
from core.tasks.task_job import TaskRuns, task_kind
from core.tasks.task_store import create_task, load_task, set_phase
from core.tasks.teams import invite_team
from tests.fakes import Clock
from tests.waiting import until

SCORING = Path(__file__).resolve().parents[2] / "assets" / "scoring"
GOLD = parse_gold("gold.json", (SCORING / "gold.json").read_bytes())
CAREFUL = (SCORING / "careful.json").read_bytes()
NOON = 1_800_014_400.0
"""A noon of UTC at which the trial phase is open."""
ANNA, BERT, STRANGER = "a" * 64, "b" * 64, "c" * 64
PLAN = TaskPlan(
    "AVeriTeC",
    (
        TaskPhase("Trial", NOON - DAY, NOON + DAY, NOON + 4 * DAY, daily=2),
        TaskPhase("Test", NOON + 2 * DAY, NOON + 3 * DAY, NOON + 4 * DAY, daily=2),
    ),
    metrics=("verdict",),
)


@dataclass
class Organised:
    """A server with one task and two teams, ANNA's and BERT's."""

    store: Store
    clock: Clock
    runs: TaskRuns
    rescorings: Rescorings
    organiser: str
    task: str

    @property
    def jobs(self) -> JobStore:
        return self.runs.store

    def checked(self, who: str = ANNA, content: bytes = CAREFUL, name: str = "careful.json") -> CheckedSubmission:
        return check_submission(self.store, self.task, who, name, content)

    def submit(self, who: str = ANNA, content: bytes = CAREFUL) -> TeamSubmission:
        made = submit(self.store, self.task, who, "careful.json", self.checked(who, content))
        self.runs.queue.news.set()
        until(lambda: not live(self.found(who, made).status))
        return self.found(who, made)

    def found(self, who: str, submission: str) -> TeamSubmission:
        return next(one for one in self.of(who) if one.id == submission)

    def of(self, who: str) -> tuple[TeamSubmission, ...]:
        return submissions_of(self.store, self.jobs, self.task, who)

    @property
    def plan(self) -> TaskPlan:
        return load_task(self.store, self.task, self.organiser).plan

    def change(self, phase: str = "Trial", **parts: Any) -> str:
        made = replace(self.plan.phase(phase), **parts)
        return set_phase(self.store, self.task, self.organiser, made)

    def left(self, who: str = ANNA, phase: str = "Trial") -> int:
        return left(self.store, self.task, who, phase).count

    def rows(self, who: str = "", phase: str = "Trial", gold: str = "") -> BoardRows:
        return board_rows(self.store, self.jobs, self.task, who or self.organiser, phase, gold)

    def board(self, who: str = "", phase: str = "Trial", gold: str = "") -> Table:
        return task_board(self.store, self.plan, self.rows(who, phase, gold))


def live(status: Status | None) -> bool:
    return status is None or status.state.live


def organised(url: str) -> Organised:
    clock = Clock()
    clock.now = NOON
    store = Store(url, clock=clock)
    organiser = command_line(store)
    task = create_task(store, organiser, PLAN, GOLD)
    for name, who in (("Anna's", ANNA), ("Bert's", BERT)):
        redeem(store, invite_team(store, task, organiser, name, days=300), who)
    queue = JobQueue(JobStore(store))
    runs, rescorings = Jobs(queue, task_kind(store)), Jobs(queue, rescore_kind(store))
    return Organised(store, clock, runs, rescorings, organiser, task)


@pytest.fixture
def desk(made_database_url: str) -> Iterator[Organised]:
    made = organised(made_database_url)
    yield made
    made.runs.queue.close()
    made.store.engine.dispose()


@pytest.fixture
def here(tmp_path: Path, empty_database: Path) -> Iterator[Organised]:
    """The same in SQLite alone, for rules that are no matter of the database."""
    path = tmp_path / "veridesk.db"
    path.write_bytes(empty_database.read_bytes())
    made = organised(f"sqlite:///{path}")
    yield made
    made.runs.queue.close()


def wrong(content: bytes = CAREFUL) -> bytes:
    """Return the submission with one verdict for all."""
    rows = json.loads(content)
    return json.dumps([row | {"pred_label": "Supported"} for row in rows]).encode()
