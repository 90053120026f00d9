"""The queue: lanes, slots, cancelling, limits, failures, and a server that closes."""

import logging
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import BadInput, Cancelled, StoreError, VerideskError
from core.jobs import queue as module
from core.jobs.jobs import Jobs
from core.jobs.kinds import JobContext
from core.jobs.limits import JobLimits
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.jobs.types import Job, JobResult, Listed, State
from core.storage.store import Store
from core.storage.tables import jobs as jobs_table
from tests.jobs.kinds import plain_kind
from tests.waiting import until

ANNA, BERT = "a" * 64, "b" * 64
Handler = Callable[[str, JobContext], JobResult]


class Desk:
    """A queue whose work a test steers: it waits for `go`, then does what `script` says."""

    def __init__(self, folder: Path, *, workers: int = 1) -> None:
        self.jobs = JobStore(Store(f"sqlite:///{folder / 'veridesk.db'}"))
        self.go, self.begun = threading.Event(), threading.Event()
        self.script: Handler = done
        self.queue = JobQueue(self.jobs)
        self.slot = ""
        kind = replace(plain_kind("cook", self.work), listed=lambda word, folder: Listed("Soup", slot=self.slot))
        kind = replace(kind, limits=JobLimits(running=lambda slot: workers, waiting=3, waiting_per_owner=2))
        self.dishes = Jobs(self.queue, kind)

    def work(self, dish: str, context: JobContext) -> JobResult:
        self.begun.set()
        while not self.go.wait(0.01):
            if context.stop():
                raise Cancelled("Stopped.")
        return self.script(dish, context)

    def submit(self, owner: str = ANNA, *, slot: str = "") -> str:
        self.slot = slot
        return self.dishes.start(owner, "leek")

    def job(self, job_id: str, owner: str = ANNA) -> Job:
        found = self.jobs.load(job_id, owner)
        assert found
        return found

    def ahead(self, job_id: str, owner: str = ANNA) -> int:
        return self.jobs.ahead(self.job(job_id, owner))

    def settled(self, job_id: str, owner: str = ANNA) -> Job:
        until(lambda: not self.job(job_id, owner).state.live)
        return self.job(job_id, owner)


def done(dish: str, context: JobContext) -> JobResult:
    context.report({"stirred": 1})
    context.report({"stirred": 2}, minor=True)
    return JobResult({"dish": dish}, "good")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.queue.close()


def test_a_job_runs_and_its_result_is_kept(desk: Desk) -> None:
    desk.go.set()
    job = desk.settled(desk.submit())
    assert (job.state, job.label, job.result) == (State.DONE, "good", {"dish": "leek"})
    assert job.progress == {"stirred": 1}  # the second came at once, and was minor
    assert job.seconds is not None
    assert job.started is not None


def test_jobs_wait_their_turn_and_know_how_many_are_ahead(desk: Desk) -> None:
    first = desk.submit()
    assert desk.begun.wait(300)
    second, third = desk.submit(BERT), desk.submit()
    assert [desk.ahead(first), desk.ahead(second, BERT), desk.ahead(third)] == [0, 1, 2]
    assert desk.job(third).state is State.WAITING
    desk.go.set()
    assert desk.settled(third).state is State.DONE
    assert desk.ahead(third) == 0


def test_a_slot_has_its_workers_and_does_not_wait_for_another(tmp_path: Path) -> None:
    desk = Desk(tmp_path, workers=2)
    desk.dishes.kind = replace(
        desk.dishes.kind, limits=JobLimits(running=lambda slot: 2, waiting=9, waiting_per_owner=9)
    )
    ids = [desk.submit(), desk.submit(BERT), desk.submit(slot="other"), desk.submit()]
    until(lambda: len(desk.queue.running) == 3)
    states = [desk.job(job_id, owner).state for job_id, owner in zip(ids, (ANNA, BERT, ANNA, ANNA), strict=True)]
    desk.go.set()
    last = desk.settled(ids[3])
    desk.queue.close()
    assert states == [State.RUNNING, State.RUNNING, State.RUNNING, State.WAITING]
    assert last.state is State.DONE


def test_a_running_job_is_cancelled_by_its_owner_only(desk: Desk) -> None:
    job_id = desk.submit()
    assert desk.begun.wait(300)
    assert desk.queue.cancel(job_id, BERT) is None
    assert desk.job(job_id).state is State.RUNNING
    assert desk.queue.cancel(job_id, ANNA) is State.RUNNING
    ended = desk.settled(job_id)
    assert (ended.state, ended.error) == (State.CANCELLED, "You cancelled this.")


def test_a_waiting_job_is_cancelled_at_once_and_never_runs(desk: Desk) -> None:
    desk.submit()
    assert desk.begun.wait(300)
    waiting = desk.submit()
    assert desk.queue.cancel(waiting, BERT) is None
    assert desk.queue.cancel(waiting, ANNA) is State.WAITING
    assert desk.job(waiting).state is State.CANCELLED
    last = desk.submit()
    desk.go.set()
    assert desk.settled(last).state is State.DONE
    assert desk.job(waiting).state is State.CANCELLED


def test_what_another_server_is_asked_to_stop_it_stops(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BEAT_SECONDS", 0.01)
    monkeypatch.setattr(module, "POLL_SECONDS", 0.01)
    job_id = desk.submit()
    assert desk.begun.wait(300)
    other = JobQueue(desk.jobs)
    assert other.cancel(job_id, ANNA) is State.RUNNING
    other.close()
    assert desk.settled(job_id).state is State.CANCELLED


def test_the_queue_is_bounded_for_one_owner_and_for_all(desk: Desk) -> None:
    desk.submit()
    assert desk.begun.wait(300)
    desk.submit()
    desk.submit()
    with pytest.raises(BadInput, match="2 of your dishes"):
        desk.submit()
    desk.submit(BERT)
    with pytest.raises(BadInput, match="3 dishes are waiting"):
        desk.submit(BERT)
    assert desk.jobs.search(BERT, "cook").total == 1


def test_an_error_becomes_its_sentence_and_the_job_can_be_resumed(desk: Desk) -> None:
    def fail(dish: str, context: JobContext) -> JobResult:
        raise VerideskError("No leeks.")

    desk.script = fail
    desk.go.set()
    job = desk.settled(desk.submit())
    assert (job.state, job.error, job.result) == (State.FAILED, "No leeks.", None)
    desk.script = done
    desk.dishes.resume(job, "beans")
    assert desk.settled(job.id).result == {"dish": "beans"}


def test_an_unforeseen_error_is_logged_and_named_by_the_job(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    def fail(dish: str, context: JobContext) -> JobResult:
        raise ZeroDivisionError("secret detail")

    desk.script = fail
    desk.go.set()
    with caplog.at_level(logging.ERROR):
        job = desk.settled(desk.submit())
    assert job.state is State.FAILED
    number = re.search(r"\(ID ([0-9A-F]{6})\)", job.error)
    assert f"ID {number[1]}" in caplog.text
    assert "secret detail" not in job.error
    assert "secret detail" in caplog.text


def test_a_result_that_cannot_be_kept_is_said(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    end = desk.jobs.end

    def full(job_id: str, server: str, state: State, *args: object, **values: object) -> bool:
        if state is State.DONE:
            raise StoreError("The disk is full.")
        return end(job_id, server, state, *args, **values)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(module, "BEAT_SECONDS", 0.02)
    monkeypatch.setattr(desk.jobs, "end", full)
    desk.go.set()
    job = desk.settled(desk.submit())
    assert (job.state, job.result) == (State.FAILED, None)
    assert job.error.endswith("The disk is full.")


def test_a_result_outlasts_a_database_that_is_away(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    away, refused = threading.Event(), threading.Event()
    away.set()
    end, beat = desk.jobs.end, desk.jobs.beat

    def ending(*args: object, **values: object) -> bool:
        if away.is_set():
            refused.set()
            raise StoreError("The database server does not answer.")
        return end(*args, **values)  # type: ignore[arg-type]

    def beating(server: str) -> dict[str, bool]:
        if away.is_set():
            raise StoreError("The database server does not answer.")
        return beat(server)

    monkeypatch.setattr(module, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(desk.jobs, "end", ending)
    monkeypatch.setattr(desk.jobs, "beat", beating)
    desk.go.set()
    job_id = desk.submit()
    assert refused.wait(300)
    refused.clear()
    assert refused.wait(300), "it was not tried again"
    away.clear()
    assert desk.settled(job_id).result == {"dish": "leek"}


def test_a_job_that_was_begun_anew_while_its_end_waited_ends_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[threading.Event] = []
    threads: list[threading.Thread] = []

    def work(dish: str, context: JobContext) -> JobResult:
        threads.append(threading.current_thread())
        begun.append(threading.Event())
        if len(begun) == 1:  # as if the server had been silent, and its owner had begun the job again
            desk.jobs._change(jobs_table.c.id == context.job.id, state=State.WAITING, started=None)
            until(lambda: len(begun) == 2)
        return JobResult({"turn": len(begun)})

    monkeypatch.setattr(module, "POLL_SECONDS", 0.01)
    desk.script = work
    desk.queue.register(replace(desk.dishes.kind, limits=JobLimits(running=lambda slot: 2)))
    desk.go.set()
    job = desk.settled(desk.submit())
    for thread in threads:
        thread.join(300)
    assert (job.state, len(begun), desk.queue.running) == (State.DONE, 2, {})


def test_a_store_that_cannot_note_progress_does_not_end_the_work(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(*args: object) -> None:
        raise StoreError("Another program is using the database.")

    monkeypatch.setattr(desk.jobs, "advance", locked)
    desk.go.set()
    assert desk.settled(desk.submit()).state is State.DONE


def test_a_store_that_could_not_be_read_is_asked_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    claim, refused = desk.jobs.claim, [True]

    def locked(*args: object, **values: object) -> Job | None:
        if refused.pop() if refused else False:
            raise StoreError("Another program is using the database.")
        return claim(*args, **values)  # type: ignore[arg-type]

    monkeypatch.setattr(desk.jobs, "claim", locked)
    monkeypatch.setattr(module, "POLL_SECONDS", 0.01)
    desk.go.set()
    assert desk.settled(desk.submit()).state is State.DONE


def test_jobs_at_work_beat_so_that_they_do_not_look_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BEAT_SECONDS", 0.02)
    monkeypatch.setattr(module, "POLL_SECONDS", 0.02)
    desk = Desk(tmp_path)
    beat, beaten = desk.jobs.beat, threading.Event()

    def noted(server: str) -> dict[str, bool]:
        ours = beat(server)
        if job_id in ours:
            beaten.set()
        return ours

    monkeypatch.setattr(desk.jobs, "beat", noted)
    job_id = desk.submit()
    assert beaten.wait(300)
    desk.queue.close()


def test_a_server_that_closes_leaves_what_ran_as_interrupted_and_what_waited_waiting(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    running = desk.submit()
    assert desk.begun.wait(300)
    waiting = desk.submit()
    desk.queue.close()
    assert (desk.job(running).state, desk.job(waiting).state) == (State.INTERRUPTED, State.WAITING)
    later = Desk(tmp_path)
    later.go.set()
    assert later.settled(waiting).state is State.DONE
    later.queue.close()
