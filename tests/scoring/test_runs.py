from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest

from core.annotations import GoldClaim, Prediction, Submission
from core.errors import BadInput, Cancelled, ModelError
from core.scoring.items import ItemScore
from core.scoring.jobs import ScoringJob
from core.scoring.metrics import Measured, Metric
from core.scoring.opening import Opening
from core.scoring.runs import Run, Runs
from core.scoring.watch import UNWATCHED, Watch
from core.types import Claim, Label


@dataclass
class Gate:
    """A metric that waits until it is let through, and counts one claim meanwhile."""

    opened: threading.Event = field(default_factory=threading.Event)
    name: str = "gate"

    def measure(
        self, gold: Sequence[GoldClaim], predictions: Mapping[str, Prediction], watch: Watch = UNWATCHED
    ) -> Measured:
        watch.on_progress(1, 2)
        while not self.opened.wait(0.01):
            if watch.stop():
                raise Cancelled("stopped")
        return Measured((ItemScore("0", "gate:x", 1.0),), "sig", "gate:x")


@pytest.fixture
def runs() -> Iterator[Runs]:
    found = Runs()
    yield found
    found.close()


class Given(Opening):
    """An opening whose metrics are there already, or cannot be opened."""

    def __init__(self, metric: Metric | Exception) -> None:
        super().__init__(())
        self.metric = metric
        self.closed = False

    def metrics(self) -> list[Metric]:
        if isinstance(self.metric, Exception):
            raise self.metric
        return [self.metric]

    def close(self) -> None:
        self.closed = True


def job(metric: Metric | Exception) -> ScoringJob:
    gold = (GoldClaim(Claim("c", id="0"), Label.REFUTED, ()),)
    submission = Submission("system", (Prediction("0", "c", Label.REFUTED, ()),))
    return ScoringJob(gold, (submission,), Given(metric))


def test_the_runs_of_an_owner_are_told_while_others_start_theirs(runs: Runs) -> None:
    def start(number: int) -> None:
        runs.start(f"other {number}", job(ModelError("none")))

    mine = runs.start("me", job(ModelError("none")))
    until(found(runs, mine), "failed")
    with ThreadPoolExecutor(4) as others:
        started = others.map(start, range(11))
        while len(runs.known) < 12:
            assert [run.id for run in runs.of("me")] == [mine]
        list(started)


def until(run: Run, *states: str) -> Run:
    deadline = time.monotonic() + 10
    while run.state not in states:
        assert time.monotonic() < deadline, run.state
        time.sleep(0.01)
    return run


def found(runs: Runs, run_id: str) -> Run:
    run = runs.find(run_id, "me")
    assert run is not None
    return run


def test_a_run_shows_its_progress_and_ends_with_reports(runs: Runs) -> None:
    gate = Gate()
    run = until(found(runs, runs.start("me", job(gate))), "running")
    deadline = time.monotonic() + 10
    while run.done != 1:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert (run.doing, run.total) == ("system", 2)
    gate.opened.set()
    assert until(run, "done").reports[0].score("gate:x") is not None


def test_only_its_owner_finds_a_run_and_has_one_at_a_time(runs: Runs) -> None:
    gate = Gate()
    run_id = runs.start("me", job(gate))
    assert runs.find(run_id, "someone else") is None
    with pytest.raises(BadInput, match="has not ended"):
        runs.start("me", job(gate))
    gate.opened.set()
    until(found(runs, run_id), "done")
    assert runs.start("me", job(gate)) != run_id


def test_running_and_waiting_runs_are_cancelled(runs: Runs) -> None:
    gate = Gate()
    first = found(runs, runs.start("me", job(gate)))
    until(first, "running")
    waiting_id = runs.start("you", job(gate))
    runs.cancel(waiting_id, "me")  # not the owner: nothing happens
    waiting = runs.find(waiting_id, "you")
    assert waiting is not None
    assert waiting.state == "waiting"
    runs.cancel(waiting_id, "you")
    assert waiting.state == "cancelled"
    runs.cancel(first.id, "me")
    until(first, "cancelled")


def test_a_failure_is_a_sentence_and_the_next_run_goes_on(runs: Runs) -> None:
    refused = job(ModelError("The model is not here."))
    broken = found(runs, runs.start("me", refused))
    assert until(broken, "failed").message == "The model is not here."
    bug = found(runs, runs.start("me", job(ZeroDivisionError())))
    assert bug.id in until(bug, "failed").message
    assert isinstance(refused.opening, Given)
    assert refused.opening.closed
    gate = Gate()
    gate.opened.set()
    until(found(runs, runs.start("me", job(gate))), "done")


def test_old_runs_are_forgotten(runs: Runs) -> None:
    gate = Gate()
    gate.opened.set()
    ids = []
    for _ in range(14):
        ids.append(runs.start("me", job(gate)))
        until(found(runs, ids[-1]), "done")
    assert runs.find(ids[0], "me") is None
    assert runs.find(ids[-1], "me") is not None


def test_how_many_items_there_are_is_told_before_the_first_is_done() -> None:
    told: list[tuple[int, int]] = []
    items = Watch(lambda done, total: told.append((done, total))).over(["a", "b"])
    assert next(items) == "a"
    assert told == [(0, 2)]
    assert list(items) == ["b"]
    assert told == [(0, 2), (1, 2), (2, 2)]
