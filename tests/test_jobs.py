from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core import jobs as module
from core.errors import BadInput, Cancelled, StoreError, VerideskError
from core.interfaces import Stop
from core.jobs import Jobs, Result
from core.storage.store import State, Store, StoredCase
from core.types import Case, Claim
from core.verification.runner import OnProgress, Progress, Request

ANNA, BERT = "a" * 64, "b" * 64
REQUEST = Request(Claim("The moon is made of cheese.", speaker="Wallace"))


class Desk:
    """A store, and jobs whose work a test steers: it waits for `go`, then does what `script` says."""

    def __init__(self, folder: Path) -> None:
        self.store = Store(f"sqlite:///{folder / 'veridesk.db'}")
        self.go, self.begun = threading.Event(), threading.Event()
        self.script: Callable[[Request, OnProgress, Stop], Result] = done
        self.jobs = Jobs(self.store, self.work, longest=3, own_longest=2)

    def work(self, request: Request, on_progress: OnProgress, stop: Stop) -> Result:
        self.begun.set()
        while not self.go.wait(0.01):
            if stop():
                raise Cancelled("Stopped.")
        return self.script(request, on_progress, stop)

    def case(self, case_id: str, owner: str = ANNA) -> StoredCase:
        found = self.store.load(case_id, owner)
        assert found is not None
        return found

    def settled(self, case_id: str, owner: str = ANNA) -> StoredCase:
        deadline = time.monotonic() + 10
        while self.case(case_id, owner).state.live and time.monotonic() < deadline:
            time.sleep(0.01)
        return self.case(case_id, owner)


def done(request: Request, on_progress: OnProgress, stop: Stop) -> Result:
    on_progress(Progress("Search", 1, 2, 0.1, Case(request.claim)))
    on_progress(Progress("Search", 1, 2, 0.4, Case(request.claim), found="10 passages"))
    on_progress(Progress("PredictVeracity", 2, 2, 0.5, Case(request.claim), detail="pair 1 of 3"))
    return Result({"case": {}}, "Refuted", cannot_tell=False)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.jobs.close()


def test_a_case_runs_and_its_result_is_kept(desk: Desk) -> None:
    desk.go.set()
    case = desk.settled(desk.jobs.submit(ANNA, REQUEST))
    assert (case.state, case.label, case.result) == (State.DONE, "Refuted", {"case": {}})
    assert case.seconds is not None
    assert case.started is not None
    assert case.request["claim"]["speaker"] == "Wallace"
    assert desk.store.search(ANNA, "wallace").total == 1


def test_stages_and_what_they_found_are_stored_while_it_runs(desk: Desk) -> None:
    reached, release = threading.Event(), threading.Event()

    def pause(request: Request, on_progress: OnProgress, stop: Stop) -> Result:
        result = done(request, on_progress, stop)
        reached.set()
        release.wait(10)
        return result

    desk.script = pause
    desk.go.set()
    case_id = desk.jobs.submit(ANNA, REQUEST)
    assert reached.wait(10)
    progress = desk.case(case_id).progress
    release.set()
    assert progress is not None
    assert progress["done"] == [{"stage": "Search", "found": "10 passages", "seconds": 0.4}]
    # The detail came within DETAIL_SECONDS of the stage before it and is left out.
    assert (progress["position"], progress["stages"], progress["stage"]) == (1, 2, "Search")


def test_cases_wait_their_turn_and_know_how_many_are_ahead(desk: Desk) -> None:
    first = desk.jobs.submit(ANNA, REQUEST)
    assert desk.begun.wait(10)
    second, third = desk.jobs.submit(BERT, REQUEST), desk.jobs.submit(ANNA, REQUEST)
    assert [desk.jobs.ahead(case_id) for case_id in (first, second, third)] == [0, 1, 2]
    assert desk.case(third).state is State.WAITING
    desk.go.set()
    assert desk.settled(third).state is State.DONE
    assert desk.jobs.ahead(third) == 0


def test_a_model_is_in_use_while_a_case_that_wants_it_runs_or_waits(desk: Desk) -> None:
    running = desk.jobs.submit(ANNA, replace(REQUEST, model="small.gguf"))
    assert desk.begun.wait(10)
    waiting = desk.jobs.submit(ANNA, replace(REQUEST, model="large.gguf"))
    assert [desk.jobs.uses(model) for model in ("small.gguf", "large.gguf", "bundled")] == [True, True, False]
    desk.go.set()
    assert desk.settled(running).state is desk.settled(waiting).state is State.DONE


def test_a_running_case_is_cancelled_by_its_owner_only(desk: Desk) -> None:
    case_id = desk.jobs.submit(ANNA, REQUEST)
    assert desk.begun.wait(10)
    assert desk.jobs.cancel(case_id, BERT) is False
    assert desk.case(case_id).state is State.RUNNING
    assert desk.jobs.cancel(case_id, ANNA) is True
    assert desk.settled(case_id).state is State.CANCELLED


def test_a_waiting_case_is_cancelled_at_once_and_never_runs(desk: Desk) -> None:
    desk.jobs.submit(ANNA, REQUEST)
    assert desk.begun.wait(10)
    waiting = desk.jobs.submit(ANNA, REQUEST)
    assert desk.jobs.cancel(waiting, BERT) is False
    assert desk.jobs.cancel(waiting, ANNA) is True
    assert desk.case(waiting).state is State.CANCELLED
    last = desk.jobs.submit(ANNA, REQUEST)
    desk.go.set()
    assert desk.settled(last).state is State.DONE
    assert desk.case(waiting).state is State.CANCELLED


def test_the_queue_is_bounded_for_one_owner_and_for_all(desk: Desk) -> None:
    desk.jobs.submit(ANNA, REQUEST)
    assert desk.begun.wait(10)
    desk.jobs.submit(ANNA, REQUEST)
    desk.jobs.submit(ANNA, REQUEST)
    with pytest.raises(BadInput, match="2 of your claims are waiting"):
        desk.jobs.submit(ANNA, REQUEST)
    desk.jobs.submit(BERT, REQUEST)
    with pytest.raises(BadInput, match="3 claims are waiting already"):
        desk.jobs.submit(BERT, REQUEST)
    assert desk.store.search(BERT).total == 1


def test_an_error_becomes_its_sentence_and_the_next_case_runs(desk: Desk) -> None:
    def fail(request: Request, on_progress: OnProgress, stop: Stop) -> Result:
        raise VerideskError("The knowledge store has no documents: choose another.")

    desk.script = fail
    desk.go.set()
    case = desk.settled(desk.jobs.submit(ANNA, REQUEST))
    assert (case.state, case.error) == (State.FAILED, "The knowledge store has no documents: choose another.")
    desk.script = done
    assert desk.settled(desk.jobs.submit(ANNA, REQUEST)).state is State.DONE


def test_an_unforeseen_error_is_logged_and_named_by_the_case(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    def fail(request: Request, on_progress: OnProgress, stop: Stop) -> Result:
        raise ZeroDivisionError("secret detail")

    desk.script = fail
    desk.go.set()
    with caplog.at_level(logging.ERROR):
        case = desk.settled(desk.jobs.submit(ANNA, REQUEST))
    assert case.state is State.FAILED
    assert case.id in case.error
    assert "secret detail" not in case.error
    assert "secret detail" in caplog.text


def test_a_result_that_cannot_be_kept_is_said(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object, **values: object) -> None:
        raise StoreError("The disk is full.")

    monkeypatch.setattr(desk.store, "finish", full)
    desk.go.set()
    case = desk.settled(desk.jobs.submit(ANNA, REQUEST))
    assert (case.state, case.error) == (State.FAILED, "The result could not be kept. The disk is full.")


def test_a_store_that_cannot_note_progress_does_not_end_the_work(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(*args: object) -> None:
        raise StoreError("Another program is using the database.")

    monkeypatch.setattr(desk.store, "advance", locked)
    desk.go.set()
    assert desk.settled(desk.jobs.submit(ANNA, REQUEST)).state is State.DONE


def test_live_cases_beat_so_that_they_do_not_look_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BEAT_SECONDS", 0.02)
    desk = Desk(tmp_path)
    beaten: list[list[str]] = []
    monkeypatch.setattr(desk.store, "still_alive", beaten.append)
    running = desk.jobs.submit(ANNA, REQUEST)
    assert desk.begun.wait(10)
    waiting = desk.jobs.submit(ANNA, REQUEST)
    deadline = time.monotonic() + 10
    while [running, waiting] not in beaten and time.monotonic() < deadline:
        time.sleep(0.01)
    desk.jobs.close()
    assert [running, waiting] in beaten


def test_what_fails_in_preparation_does_not_end_the_worker(tmp_path: Path) -> None:
    def prepare() -> None:
        raise OSError("no model")

    store = Store(f"sqlite:///{tmp_path / 'veridesk.db'}")
    jobs = Jobs(store, done, prepare=prepare)
    case_id = jobs.submit(ANNA, REQUEST)
    deadline = time.monotonic() + 10
    while store.search(ANNA).entries[0].state.live and time.monotonic() < deadline:
        time.sleep(0.01)
    jobs.close()
    case = store.load(case_id, ANNA)
    assert case is not None
    assert case.state is State.DONE
