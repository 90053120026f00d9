"""A shared task's life: teams by link, clocks around a deadline, limits, a leaderboard that opens, and its gold."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from core.averitec.averitec import parse_gold
from core.campaigns.access import Role, command_line, roles_of
from core.campaigns.inviting import open_links, withdraw_link
from core.campaigns.redeeming import redeem
from core.errors import BadInput, Denied, TooLarge
from core.jobs.jobs import Jobs
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.jobs.types import State, Status
from core.scoring.progress import UNMONITORED
from core.storage.store import Store
from core.tasks import submitting
from core.tasks.shared_task import DAY, CheckedSubmission, TaskPhase, TaskPlan, TeamSubmission
from core.tasks.submitting import check_submission, choose_final, left_today, submissions_of, submit
from core.tasks.task_board import board_submissions, reports_of, submissions_table, task_board
from core.tasks.task_job import SubmissionRequest, TaskRuns, score_submission, task_kind
from core.tasks.task_store import all_tasks, change_task, create_task, load_task
from core.tasks.teams import invite_team, renew_team_link, task_teams_of, withdraw_team
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
    (TaskPhase("Trial", NOON - DAY, NOON + DAY), TaskPhase("Test", NOON + 2 * DAY, NOON + 3 * DAY)),
    opens=NOON + 4 * DAY,
    daily_limit=2,
    metrics=("verdict",),
)


@dataclass
class Organised:
    """A server with one task and two teams, ANNA's and BERT's."""

    store: Store
    clock: Clock
    runs: TaskRuns
    organiser: str
    task: str

    @property
    def jobs(self) -> JobStore:
        return self.runs.store

    def checked(self, who: str = ANNA, content: bytes = CAREFUL, name: str = "careful.json") -> CheckedSubmission:
        return check_submission(self.store, self.task, who, name, content)

    def submit(self, who: str = ANNA, content: bytes = CAREFUL) -> TeamSubmission:
        made = submit(self.store, self.task, who, "careful.json", self.checked(who, content), self.runs.start)
        until(lambda: not live(self.found(who, made).status))
        return self.found(who, made)

    def found(self, who: str, submission: str) -> TeamSubmission:
        return next(one for one in self.of(who) if one.id == submission)

    def of(self, who: str) -> tuple[TeamSubmission, ...]:
        return submissions_of(self.store, self.jobs, self.task, who)

    def change(self, **parts: object) -> None:
        change_task(self.store, self.task, self.organiser, replace(PLAN, **parts))


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
    return Organised(store, clock, Jobs(JobQueue(JobStore(store)), task_kind(store)), organiser, task)


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


def unqueued(team: str, request: SubmissionRequest) -> str:
    """Begin nothing: for rules about submissions that are no matter of their scores."""
    return "lost"


def wrong(content: bytes = CAREFUL) -> bytes:
    """Return the submission with one verdict for all."""
    rows = json.loads(content)
    return json.dumps([row | {"pred_label": "Supported"} for row in rows]).encode()


def test_from_a_link_to_a_score_and_an_open_leaderboard(desk: Organised) -> None:
    assert roles_of(desk.store, ANNA) == {Role.TEAM, Role.JOURNALIST}
    first, second = desk.submit(), desk.submit(BERT, wrong())
    assert first.status is not None
    assert (first.status.state, first.phase, first.final) == (State.DONE, "Trial", True)
    assert first.status.owner == first.team.id
    with pytest.raises(Denied, match="opens on"):
        board_submissions(desk.store, desk.jobs, desk.task, ANNA, "Trial")
    assert len(board_submissions(desk.store, desk.jobs, desk.task, desk.organiser, "Trial")[0]) == 2
    desk.clock.now = PLAN.opens
    finals, unscored = board_submissions(desk.store, desk.jobs, desk.task, ANNA, "Trial")
    table = task_board(PLAN, "Trial", finals, unscored, desk.jobs)
    assert [(row[0], row[2], row[-1]) for row in table.rows] == [(1, "Anna's", 0), (2, "Bert's", 0)]
    assert all(column.help for column in table.columns if column.title in ("Accuracy", "Macro f1", "Missing"))
    assert {one.id for one in finals} == {first.id, second.id}
    assert task_board(PLAN, "Test", (), (), desk.jobs).rows == ()


@pytest.mark.parametrize(
    ("at", "opened"),
    [(-DAY - 1, False), (-DAY, True), (DAY - 1, True), (DAY, False), (DAY + 1, False), (2 * DAY - 1, False)],
)
def test_the_servers_clock_decides_a_second_before_and_after(here: Organised, at: float, opened: bool) -> None:
    here.clock.now = NOON + at
    checked = here.checked()
    if opened:
        assert submit(here.store, here.task, ANNA, "f", checked, unqueued)
        return
    with pytest.raises(BadInput, match="UTC"):
        submit(here.store, here.task, ANNA, "f", checked, unqueued)
    assert here.of(ANNA) == ()


def test_the_limit_ends_with_the_day_of_utc(here: Organised) -> None:
    here.submit()
    here.submit()
    assert left_today(here.store, here.task, ANNA) == 0
    assert left_today(here.store, here.task, BERT) == 2
    here.clock.now = NOON + DAY / 2 - 1
    with pytest.raises(BadInput, match=r"16 January 2027, 00:00:00"):
        here.submit()
    here.clock.now += 1
    assert left_today(here.store, here.task, ANNA) == 2
    here.submit()


def test_of_many_at_once_the_limit_lets_two_through(desk: Organised) -> None:
    checked, start = desk.checked(), threading.Barrier(6)
    came: list[str] = []

    def one() -> None:
        start.wait()
        try:
            came.append(submit(desk.store, desk.task, ANNA, "f", checked, unqueued))
        except BadInput:
            came.append("")

    threads = [threading.Thread(target=one) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(map(bool, came)) == len(desk.of(ANNA)) == 2


def test_a_file_with_faults_counts_nothing(here: Organised, monkeypatch: pytest.MonkeyPatch) -> None:
    other = json.dumps([row | {"claim_id": 900 + i, "claim": ""} for i, row in enumerate(json.loads(CAREFUL))]).encode()
    checked = here.checked(content=other)
    assert not checked.accepted
    assert "shares no id" in checked.errors[0]
    with pytest.raises(BadInput, match="shares no id"):
        submit(here.store, here.task, ANNA, "f", checked, here.runs.start)
    twice = json.dumps(json.loads(CAREFUL) * 2).encode()
    assert "ids 0–5" in here.checked(content=twice).errors[0]
    extra = json.dumps([*json.loads(CAREFUL), json.loads(CAREFUL)[0] | {"claim_id": 77}]).encode()
    assert any("6 fit, 1" in problem.message for problem in here.checked(content=extra).problems)
    monkeypatch.setattr(submitting, "parse_submission", lambda name, content: pytest.fail("it was read"))
    with pytest.raises(TooLarge, match=r"limit is 50 MB"):
        here.checked(content=bytes(200 * 2**20), name="big.json")
    assert left_today(here.store, here.task, ANNA) == 2


def test_a_scoring_that_cannot_begin_counts_nothing(here: Organised) -> None:
    def full(team: str, request: SubmissionRequest) -> str:
        raise BadInput("200 submissions are waiting already")

    with pytest.raises(BadInput, match="waiting already"):
        submit(here.store, here.task, ANNA, "f", here.checked(), full)
    assert left_today(here.store, here.task, ANNA) == 2


def test_a_guess_is_answered_as_nothing(here: Organised) -> None:
    made = here.submit()
    said = set()
    for who, task in ((STRANGER, here.task), (STRANGER, "no-such-task"), (ANNA, "no-such-task"), (ANNA, "")):
        with pytest.raises(Denied) as refused:
            load_task(here.store, task, who)
        said.add(str(refused.value))
    assert len(said) == 1
    assert all_tasks(here.store, STRANGER) == ()
    assert [line.id for line in all_tasks(here.store, ANNA)] == [here.task]
    with pytest.raises(Denied, match="not known"):
        redeem(here.store, made.team.id, STRANGER)
    assert here.of(BERT) == ()
    with pytest.raises(Denied, match="no such submission"):
        choose_final(here.store, here.jobs, here.task, BERT, made.id)
    assert made.status is not None
    assert here.runs.find(made.status.id, BERT) is None
    for action in (
        lambda: submit(here.store, here.task, STRANGER, "f", here.checked(), here.runs.start, team=made.team.id),
        lambda: invite_team(here.store, here.task, ANNA, "Another", days=1),
        lambda: task_teams_of(here.store, here.task, ANNA),
        lambda: change_task(here.store, here.task, ANNA, PLAN),
        lambda: create_task(here.store, ANNA, PLAN, GOLD),
    ):
        with pytest.raises(Denied):
            action()


def test_a_member_cannot_submit_as_another_team(here: Organised) -> None:
    berts = next(team.id for team in task_teams_of(here.store, here.task, here.organiser) if team.name == "Bert's")
    made = submit(here.store, here.task, ANNA, "f", here.checked(), here.runs.start, team=berts)
    assert here.found(ANNA, made).team.name == "Anna's"


def test_the_last_scored_submission_is_final_until_another_is_chosen(here: Organised) -> None:
    first = here.submit()
    here.clock.now += 1
    last = here.submit(content=wrong())
    assert [one.final for one in here.of(ANNA)] == [True, False]
    choose_final(here.store, here.jobs, here.task, ANNA, first.id)
    assert {one.id: (one.final, one.chosen) for one in here.of(ANNA)} == {
        first.id: (True, True),
        last.id: (False, False),
    }
    here.clock.now = PLAN.opens
    with pytest.raises(BadInput, match="the final submission stays"):
        choose_final(here.store, here.jobs, here.task, ANNA, last.id)


def test_a_withdrawn_team_is_out_and_comes_back_by_a_new_link(here: Organised) -> None:
    made = here.submit()
    withdraw_team(here.store, here.task, here.organiser, made.team.id)
    with pytest.raises(Denied):
        load_task(here.store, here.task, ANNA)
    assert board_submissions(here.store, here.jobs, here.task, here.organiser, "Trial") == ((), ())
    redeem(here.store, renew_team_link(here.store, here.task, here.organiser, made.team.id, days=1), ANNA)
    assert [one.id for one in here.of(ANNA)] == [made.id]


def test_the_list_of_links_names_teams_and_ends_them(here: Organised) -> None:
    links = sorted(open_links(here.store, here.organiser), key=lambda link: link.whom)
    assert [("Anna's" in link.whom, "Bert's" in link.whom) for link in links] == [(True, False), (False, True)]
    withdraw_link(here.store, here.organiser, links[0].name)
    with pytest.raises(Denied):
        load_task(here.store, here.task, ANNA)
    assert load_task(here.store, here.task, BERT).team is not None


def test_equal_teams_share_a_rank_and_teams_without_a_score_are_named(here: Organised) -> None:
    here.submit()
    here.submit(BERT)
    redeem(here.store, invite_team(here.store, here.task, here.organiser, "Cara's", days=1), STRANGER)
    submit(here.store, here.task, STRANGER, "f", here.checked(STRANGER), unqueued)
    finals, unscored = board_submissions(here.store, here.jobs, here.task, here.organiser, "Trial")
    table = task_board(PLAN, "Trial", finals, unscored, here.jobs)
    assert [row[0] for row in table.rows] == [1, 1]
    assert "Cara's." in table.note
    lost = submissions_table(here.of(STRANGER), {}, teams=False)
    assert [row[-1] for row in lost.rows] == ["lost"]


def test_claims_without_a_prediction_are_counted(here: Organised) -> None:
    made = here.submit(content=json.dumps(json.loads(CAREFUL)[:4]).encode())
    table = task_board(PLAN, "Trial", (made,), (), here.jobs)
    assert (table.columns[-1].title, table.rows[0][-1]) == ("Missing", 2)


def test_no_job_holds_words_of_the_gold(here: Organised) -> None:
    here.change(metrics=("hungarian-meteor", "verdict"))
    made = here.submit()
    assert made.status is not None
    job = here.jobs.load(made.status.id, made.team.id)
    assert job is not None
    kept = json.dumps([job.request, job.result, job.facts, job.title], ensure_ascii=False)
    words = [claim.justification for claim in GOLD] + [text for claim in GOLD for pair in claim.pairs for text in pair]
    assert not [text for text in words if text in kept]
    assert reports_of(here.jobs, [made])[made.id].items


def test_dates_change_and_gold_and_scores_stay(here: Organised) -> None:
    here.change(phases=PLAN.phases[:1], opens=NOON, metrics=("hungarian-meteor",))
    plan = load_task(here.store, here.task, ANNA).plan
    assert (plan.opens, plan.metrics, len(plan.phases)) == (NOON, ("verdict",), 1)


def test_a_phase_with_submissions_keeps_its_name(here: Organised) -> None:
    here.submit()
    with pytest.raises(BadInput, match="The phase Trial has"):
        here.change(phases=(replace(PLAN.phases[0], name="Dev"), PLAN.phases[1]))
    here.change(phases=(PLAN.phases[0], replace(PLAN.phases[1], name="Final")))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda: {"name": " "}, "name has 1 to"),
        (lambda: {"phases": ()}, "1 to 20 phases"),
        (lambda: {"phases": (TaskPhase("A", 2, 2),)}, "ends before it begins"),
        (lambda: {"phases": (TaskPhase("A", 1, 3), TaskPhase("B", 2, 4))}, "B begins before A ends"),
        (lambda: {"phases": (TaskPhase("A", 1, 3), TaskPhase("A", 3, 4))}, "one name"),
        (lambda: {"daily_limit": 0}, "times a day"),
        (lambda: {"metrics": ()}, "at least one score"),
        (lambda: {"metrics": ("answers",)}, "A task has no score called"),
        (lambda: {"opens": float("nan")}, "when the leaderboard opens"),
        (lambda: {"name": "a\0b"}, "no script"),
    ],
)
def test_a_plan_with_faults_is_refused(here: Organised, change: Callable[[], dict[str, object]], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        create_task(here.store, here.organiser, replace(PLAN, **change()), GOLD)
    with pytest.raises(BadInput, match="at least one claim"):
        create_task(here.store, here.organiser, PLAN, [])


def test_a_submission_that_is_gone_is_not_scored(here: Organised) -> None:
    with pytest.raises(BadInput, match="not there any more"):
        score_submission(here.store, SubmissionRequest("gone"), UNMONITORED)
