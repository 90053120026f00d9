"""A shared task's life: teams by link, clocks around a deadline, limits, a leaderboard that opens, and its gold."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text

from core.actions.fields import BadField
from core.campaigns.access import Role, roles_of
from core.campaigns.inviting import open_links, withdraw_link
from core.campaigns.redeeming import redeem
from core.dataclass_json import to_json
from core.errors import BadInput, Denied, StoreError, TooLarge
from core.interfaces import never
from core.jobs import queue as queue_module
from core.jobs.jobs import Jobs, do_here
from core.jobs.kinds import JobContext
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.jobs.types import STALE_SECONDS, JobResult, State
from core.scoring.progress import UNMONITORED
from core.storage.backup import back_up, restore
from core.storage.store import Store
from core.storage.tables import jobs
from core.tasks import submitting, task_job
from core.tasks.moments import moment, written_moment
from core.tasks.scores import reports_of, score_submission
from core.tasks.shared_task import DAY, TaskPhase
from core.tasks.submitting import check_submission, choose_final, submit
from core.tasks.task_board import submissions_table
from core.tasks.task_job import TASK, SubmissionRequest
from core.tasks.task_store import all_tasks, change_task, create_task, load_task, remove_phase, set_phase
from core.tasks.teams import invite_team, renew_team_link, task_teams_of, withdraw_team
from tests.tasks.conftest import ANNA, BERT, CAREFUL, GOLD, NOON, PLAN, STRANGER, Organised, live, wrong
from tests.waiting import until


def test_from_a_link_to_a_score_and_an_open_leaderboard(desk: Organised) -> None:
    assert roles_of(desk.store, ANNA) == {Role.TEAM, Role.JOURNALIST}
    first, second = desk.submit(), desk.submit(BERT, wrong())
    assert (first.status.state, first.phase, first.final) == (State.DONE, desk.plan.phase("Trial").id, True)
    assert first.status.owner == first.team.id
    with pytest.raises(Denied, match="opens on"):
        desk.board(ANNA)
    assert len(desk.board().rows) == 2
    desk.clock.now = PLAN.phases[0].opens
    table = desk.board(ANNA)
    assert [(row[0], row[1], row[-1]) for row in table.rows] == [(1, "Anna's", 0), (2, "Bert's", 0)]
    assert all(column.help for column in table.columns if column.title in ("Accuracy", "Macro f1", "Missing"))
    assert {one.id for one in desk.rows(ANNA).shown} == {first.id, second.id}
    assert desk.board(ANNA, "Test").rows == ()


@pytest.mark.parametrize(
    ("at", "opened"),
    [(-DAY - 1, False), (-DAY, True), (DAY - 1, True), (DAY, False), (DAY + 1, False), (2 * DAY - 1, False)],
)
def test_the_servers_clock_decides_a_second_before_and_after(here: Organised, at: float, opened: bool) -> None:
    here.clock.now = NOON + at
    checked = here.checked()
    if opened:
        assert submit(here.store, here.task, ANNA, "f", checked)
        return
    with pytest.raises(BadInput, match="UTC"):
        submit(here.store, here.task, ANNA, "f", checked)
    assert here.of(ANNA) == ()


def test_the_limit_ends_with_the_day_of_utc(here: Organised) -> None:
    here.submit()
    here.submit()
    assert here.left(ANNA) == 0
    assert here.left(BERT) == 2
    here.clock.now = NOON + DAY / 2 - 1
    with pytest.raises(BadInput, match=r"16 January 2027, 00:00:00"):
        here.submit()
    here.clock.now += 1
    assert here.left(ANNA) == 2
    here.submit()


def test_of_many_at_once_the_limit_lets_two_through(desk: Organised) -> None:
    checked, start = desk.checked(), threading.Barrier(6)
    came: list[str] = []

    def one() -> None:
        start.wait()
        try:
            came.append(submit(desk.store, desk.task, ANNA, "f", checked))
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
        submit(here.store, here.task, ANNA, "f", checked)
    twice = json.dumps(json.loads(CAREFUL) * 2).encode()
    assert "ids 0–5" in here.checked(content=twice).errors[0]
    extra = json.dumps([*json.loads(CAREFUL), json.loads(CAREFUL)[0] | {"claim_id": 77}]).encode()
    assert any("6 fit, 1" in problem.message for problem in here.checked(content=extra).problems)
    monkeypatch.setattr(submitting, "parse_submission", lambda name, content: pytest.fail("it was read"))
    with pytest.raises(TooLarge, match=r"limit is 50 MB"):
        here.checked(content=bytes(200 * 2**20), name="big.json")
    assert here.left(ANNA) == 2


def test_a_submission_is_kept_with_its_scoring_or_not_at_all(here: Organised) -> None:
    here.runs.queue.close()
    with here.store.transaction() as connection:
        connection.execute(text("ALTER TABLE job_requests RENAME TO gone"))
    with pytest.raises(StoreError):
        submit(here.store, here.task, ANNA, "f", here.checked())
    assert (here.of(ANNA), here.left(ANNA)) == ((), 2)


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
    assert here.runs.find(made.status.id, BERT) is None
    for action in (
        lambda: submit(here.store, here.task, STRANGER, "f", here.checked(), team=made.team.id),
        lambda: invite_team(here.store, here.task, ANNA, "Another", days=1),
        lambda: task_teams_of(here.store, here.task, ANNA),
        lambda: change_task(here.store, here.task, ANNA, name="A", description="", terms="", price=None),
        lambda: set_phase(here.store, here.task, ANNA, PLAN.phases[0]),
        lambda: remove_phase(here.store, here.task, ANNA, "Test"),
        lambda: create_task(here.store, ANNA, PLAN, GOLD),
    ):
        with pytest.raises(Denied):
            action()


def test_a_member_cannot_submit_as_another_team(here: Organised) -> None:
    berts = next(team.id for team in task_teams_of(here.store, here.task, here.organiser) if team.name == "Bert's")
    made = submit(here.store, here.task, ANNA, "f", here.checked(), team=berts)
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
    here.clock.now = PLAN.phases[0].opens
    with pytest.raises(BadInput, match="the final submission stays"):
        choose_final(here.store, here.jobs, here.task, ANNA, last.id)


def test_a_withdrawn_team_is_out_and_comes_back_by_a_new_link(here: Organised) -> None:
    made = here.submit()
    withdraw_team(here.store, here.task, here.organiser, made.team.id)
    with pytest.raises(Denied):
        load_task(here.store, here.task, ANNA)
    assert (here.rows().shown, here.rows().unscored) == ((), ())
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
    here.runs.queue.close()
    submit(here.store, here.task, STRANGER, "f", here.checked(STRANGER))
    table = here.board()
    assert [row[0] for row in table.rows] == [1, 1]
    assert "Cara's." in table.note
    waiting = submissions_table(here.plan, here.of(STRANGER), {}, organiser=False)
    assert [row[-1] for row in waiting.rows] == ["waiting"]


def test_claims_without_a_prediction_are_counted(here: Organised) -> None:
    here.submit(content=json.dumps(json.loads(CAREFUL)[:4]).encode())
    table = here.board()
    assert (table.columns[-1].title, table.rows[0][-1]) == ("Missing", 2)


def test_no_job_holds_words_of_the_gold(here: Organised) -> None:
    plan = replace(PLAN, name="Both", metrics=("hungarian-meteor", "verdict"))
    task = replace(here, task=create_task(here.store, here.organiser, plan, GOLD))
    redeem(here.store, invite_team(here.store, task.task, here.organiser, "Anna's", days=1), ANNA)
    made = task.submit()
    job = here.jobs.load(made.status.id, made.team.id)
    report = reports_of(here.store, [made.id])[made.id]
    kept = json.dumps([job.request, job.result, job.facts, job.title, to_json(report)], ensure_ascii=False)
    words = [claim.justification for claim in GOLD] + [text for claim in GOLD for pair in claim.pairs for text in pair]
    assert not [text for text in words if text in kept]
    assert report.items


def test_texts_and_dates_change_and_scores_stay(here: Organised) -> None:
    change_task(here.store, here.task, here.organiser, name="New", description="", terms="", price=2.0)
    here.change(opens=NOON)
    assert (here.plan.name, here.plan.price, here.plan.metrics) == ("New", 2.0, ("verdict",))
    assert here.plan.phase("Trial").opens == NOON


def test_a_phase_with_submissions_stays_under_any_name(here: Organised) -> None:
    made = here.submit()
    with pytest.raises(BadInput, match="Trial has submissions"):
        remove_phase(here.store, here.task, here.organiser, "Trial")
    assert here.change(name="Dev") == made.phase
    assert here.plan.phase(made.phase).name == "Dev"
    remove_phase(here.store, here.task, here.organiser, "Test")
    with pytest.raises(BadInput, match="has submissions, so it stays"):
        remove_phase(here.store, here.task, here.organiser, "Dev")
    with pytest.raises(Denied):
        here.change("Dev", id="another task's")


def test_a_public_board_beside_a_hidden_one(here: Organised) -> None:
    here.change(opens=NOON - DAY)
    dev_gold = [claim for claim in GOLD if claim.id in ("0", "1", "2")]
    phase = TaskPhase("Dev", NOON - DAY, NOON + DAY, NOON - DAY, daily=1000, total=1)
    set_phase(here.store, here.task, here.organiser, phase, dev_gold)
    here.change("Test", start=NOON - 1, opens=NOON + 9 * DAY)
    counts = load_task(here.store, here.task, ANNA).claims
    assert {here.plan.phase(key).name: claims for key, claims in counts.items()} == {
        "Trial": len(GOLD), "Test": len(GOLD), "Dev": 3,
    }  # fmt: skip
    for name in ("Dev", "Test"):
        checked = check_submission(here.store, here.task, ANNA, "f.json", CAREFUL, phase=name)
        submit(here.store, here.task, ANNA, "f.json", checked)
    until(lambda: all(not live(one.status) for one in here.of(ANNA)))
    assert [row[1] for row in here.board(ANNA, "Dev").rows] == ["Anna's"]
    with pytest.raises(Denied, match="Test opens on"):
        here.board(ANNA, "Test")
    assert (here.left(ANNA, "Dev"), here.left(ANNA, "Test"), here.left(BERT, "Dev")) == (0, 1, 1)
    checked = check_submission(here.store, here.task, ANNA, "f.json", CAREFUL, phase="Dev")
    with pytest.raises(BadInput, match="its 1 submission to Dev"):
        submit(here.store, here.task, ANNA, "f.json", checked)
    shown = [here.plan.shows_scores(one.phase, NOON) for one in here.of(ANNA)]
    assert shown == [here.plan.phase(one.phase).name == "Dev" for one in here.of(ANNA)]


def test_late_submissions_and_baselines_have_no_rank(here: Organised) -> None:
    here.change(late=NOON + 1.5 * DAY)
    redeem(here.store, invite_team(here.store, here.task, here.organiser, "Base", days=1, baseline=True), STRANGER)
    here.submit(content=wrong())
    here.submit(STRANGER)
    here.clock.now = NOON + DAY
    late = here.submit(BERT)
    assert (late.late, late.final, late.scored) == (True, False, True)
    with pytest.raises(BadInput, match="outside the ranking"):
        choose_final(here.store, here.jobs, here.task, BERT, late.id)
    here.submit(STRANGER)
    ranked = {row[1]: row[0] for row in here.board().rows}
    assert ranked == {"Anna's": 1, "Base (baseline)": None, "Bert's (late)": None, "Base (baseline, late)": None}
    here.clock.now = NOON + 1.5 * DAY
    with pytest.raises(BadInput, match="Trial ended at"):
        submit(here.store, here.task, BERT, "f", here.checked(BERT))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": " "}, "name"),
        ({"phases": (TaskPhase("A", 2, 2, 2),)}, "end"),
        ({"phases": (TaskPhase("A", 1, 3, 2, late=3),)}, "late"),
        ({"phases": (TaskPhase("A", 1, 3, 2), TaskPhase("a", 3, 4, 2))}, "phase"),
        ({"phases": (TaskPhase("A", 1, 3, 2, daily=0),)}, "daily"),
        ({"phases": (TaskPhase("A", 1, 3, 2, total=0),)}, "total"),
        ({"metrics": ()}, "metric"),
        ({"metrics": ("answers",)}, "metric"),
    ],
)
def test_a_plan_with_faults_names_the_field(here: Organised, change: dict[str, Any], field: str) -> None:
    with pytest.raises(BadField) as refused:
        create_task(here.store, here.organiser, replace(PLAN, **change), GOLD)
    assert refused.value.field == field


def test_a_task_without_phases_claims_or_readable_text_is_refused(here: Organised) -> None:
    for change, gold in (({"phases": ()}, GOLD), ({"name": "a\0b"}, GOLD), ({}, [])):
        with pytest.raises(BadInput):
            create_task(here.store, here.organiser, replace(PLAN, **change), gold)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2026-11-20 23:59:59 +01:00", 1_795_215_599.0),
        ("2026-11-20T23:59:59Z", 1_795_219_199.0),
        ("2026-11-20 23:59 AoE", 1_795_262_340.0),
        ("2026-07-01 12:00:00 Europe/Berlin", 1_782_900_000.0),
    ],
)
def test_times_have_seconds_and_a_zone(text: str, seconds: float) -> None:
    assert moment(text) == seconds
    assert moment(written_moment(seconds)) == seconds


@pytest.mark.parametrize(
    "text", ["", "tomorrow", "2026-11-20 23:59", "2026-13-20 23:59 UTC", "2026-11-20 23:59 X/Y", "9999-12-31 23:59 AoE"]
)
def test_a_time_that_there_is_not_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        moment(text)


def test_a_submission_that_is_gone_is_not_scored(here: Organised) -> None:
    with pytest.raises(BadInput, match="not there any more"):
        score_submission(here.store, "gone", UNMONITORED)


def test_a_long_scoring_by_a_command_is_left_to_it(here: Organised, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_module, "BEAT_SECONDS", 0.01)
    monkeypatch.setattr(queue_module, "POLL_SECONDS", 0.01)
    here.runs.queue.close()
    begun, go = threading.Event(), threading.Event()

    def score_slowly(request: SubmissionRequest, context: JobContext) -> JobResult:
        begun.set()
        assert go.wait(300)
        return task_job.handle(here.store, request, context)

    kind = replace(task_job.task_kind(here.store), handler=score_slowly)
    made = submit(here.store, here.task, ANNA, "f", here.checked())
    team = here.found(ANNA, made).team.id
    seen = select(jobs.c.seen).where(jobs.c.id == made)

    def beaten() -> bool:
        with here.store.transaction() as connection:
            return connection.scalar(seen) == here.clock.now

    with ThreadPoolExecutor(1) as command:
        done = command.submit(do_here, here.jobs, kind, made, team, lambda progress: None, never)
        assert begun.wait(300)
        for _ in range(5):
            here.clock.now += STALE_SECONDS
            until(beaten)
            assert here.jobs.claim({TASK: ()}, server="a page's", place="") is None
        go.set()
        assert done.result().id == made
    assert here.found(ANNA, made).scored
    here.clock.now += 10 * STALE_SECONDS
    assert here.jobs.claim({TASK: ()}, server="a page's", place="") is None


def test_a_backup_of_a_server_at_work_has_its_boards_and_goes_on(
    desk: Organised, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go, score = threading.Event(), threading.Event(), task_job.score_submission

    def score_once_told(*given: Any) -> JobResult:
        begun.set()
        assert go.wait(300)
        return score(*given)

    desk.submit(content=wrong())
    desk.submit(BERT)
    monkeypatch.setattr(task_job, "score_submission", score_once_told)
    desk.clock.now += 1
    at_work = submit(desk.store, desk.task, ANNA, "f", desk.checked())
    assert begun.wait(300)
    before = desk.board().rows
    back_up(desk.store, tmp_path / "backup.zip")
    go.set()
    until(lambda: desk.found(ANNA, at_work).scored)

    desk.clock.now += 2 * STALE_SECONDS
    store = Store(f"sqlite:///{tmp_path / 'other' / 'veridesk.db'}", clock=desk.clock)
    restore(store, tmp_path / "backup.zip")
    queue = JobQueue(JobStore(store))
    other = replace(desk, store=store, runs=Jobs(queue, replace(task_job.task_kind(store), name="none yet")))
    assert other.board().rows == before
    other.runs = Jobs(queue, task_job.task_kind(store))
    until(lambda: other.found(ANNA, at_work).scored)
    queue.close()
    assert other.board().rows == desk.board().rows != before


def test_a_submission_to_a_phase_that_was_just_removed_is_refused(
    here: Organised, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked, found = here.checked(), load_task(here.store, here.task, ANNA)
    remove_phase(here.store, here.task, here.organiser, "Trial")
    monkeypatch.setattr(submitting, "load_task", lambda *at: found)
    with pytest.raises(BadField):
        submit(here.store, here.task, ANNA, "f", checked)
    monkeypatch.undo()
    assert here.of(ANNA) == ()
