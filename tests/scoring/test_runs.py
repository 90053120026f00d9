"""Scoring runs as jobs: progress, owners, what is kept, and what a monitor tells."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

import pytest

from core.annotations import GoldAnswer, GoldClaim, GoldQuestion, PredictedEvidence, Prediction, Problem, Submission
from core.averitec.answer_files import AnswerRecord
from core.errors import BadInput, Cancelled, ModelError
from core.jobs.jobs import Jobs
from core.jobs.limits import JobLimits
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.jobs.types import State, Status
from core.scoring.items import ItemScore
from core.scoring.judging import Judging
from core.scoring.metrics.ev2r import FactJudgement
from core.scoring.metrics.metric import Measured, Metric
from core.scoring.open_metrics import Opening
from core.scoring.progress import UNMONITORED, ProgressMonitor, seconds_left
from core.scoring.score_job import Runs, once_more, score_kind
from core.scoring.work import AnswersJob, Job, ScoringJob, Stressed, StressJob
from core.storage.shares import Shares
from core.storage.store import Store
from core.types import Claim, Label
from tests.waiting import until


@dataclass
class Gate:
    """A metric that waits until it is let through, and counts one claim meanwhile."""

    opened: threading.Event = field(default_factory=threading.Event)
    name: str = "hungarian-meteor"

    def measure(
        self, gold: Sequence[GoldClaim], predictions: Mapping[str, Prediction], monitor: ProgressMonitor = UNMONITORED
    ) -> Measured:
        monitor.on_progress(0, 2)
        while not self.opened.wait(0.01):
            if monitor.stop():
                raise Cancelled("stopped")
        items = tuple(ItemScore(claim.id, "hungarian-meteor:q+a", 0.5) for claim in gold)
        return Measured(items, "sig", "hungarian-meteor:q+a", facts={"0": (FactJudgement("reference", "f", True),)})


@dataclass
class Bench:
    """The runs of a server whose only metric is a gate; `closed` counts the openings that were let go."""

    runs: Runs
    gate: Gate
    closed: list[Opening] = field(default_factory=list)

    def status(self, run_id: str, owner: str = "me") -> Status:
        status = self.runs.status(run_id, owner)
        assert status
        return status

    def until(self, run_id: str, *states: State, owner: str = "me") -> Status:
        until(lambda: self.status(run_id, owner).state in states)
        return self.status(run_id, owner)


def on_disk(folder: Path) -> JobQueue:
    return JobQueue(JobStore(Store(f"sqlite:///{folder / 'v.db'}")))


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    queue = on_disk(tmp_path)
    found = Bench(Jobs(queue, score_kind()), Gate())
    metrics: list[Metric] = [found.gate]
    monkeypatch.setattr(Opening, "metrics", lambda self: metrics)
    monkeypatch.setattr(Opening, "close", lambda self: found.closed.append(self))
    yield found
    queue.close()


QUESTION = GoldQuestion("Is it?", (GoldAnswer("No", "Boolean", "It is not.", "https://a.example", "Web text"),))
GOLD = (GoldClaim(Claim("c", date=date(2020, 5, 1), id="0"), Label.REFUTED, (QUESTION,), "Because.", ("Event",)),)
PREDICTION = Prediction("0", "c", None, (PredictedEvidence("Is it?", "No.", "u"),), "odd", "j", 2.5)
JOB = ScoringJob(GOLD, (Submission("system", (PREDICTION,), (Problem("1", "label", "odd"),)),), Opening(("gate",)))


def test_a_run_shows_its_progress_and_ends_with_reports(bench: Bench) -> None:
    run_id = bench.runs.start("me", JOB)
    bench.until(run_id, State.RUNNING)
    until(lambda: bench.status(run_id).progress)
    assert bench.status(run_id).facts == {"parts": ["system"], "kind": "ScoringJob"}
    assert bench.status(run_id).progress == {"doing": "system", "done": 0, "total": 0}
    bench.gate.opened.set()
    bench.until(run_id, State.DONE)
    run = bench.runs.find(run_id, "me")
    assert run
    assert run.result.reports[0].score("hungarian-meteor:q+a") is not None
    assert run.result.reports[0].facts == {"0": (FactJudgement("reference", "f", True),)}
    assert run.result.reports[0].confusion.tolist() == [[0] * 5, [0] * 4 + [1], [0] * 5, [0] * 5]  # its label is none
    assert len(bench.closed) == 1


@pytest.mark.parametrize(
    "job",
    [
        JOB,
        AnswersJob((AnswerRecord("1", "Who?", "Anna"),), {"a": (AnswerRecord("1", "", "B", ("p",)),)}, Opening(())),
        StressJob(GOLD, {"0": PREDICTION}, Opening(("ev2r",), Judging("http://h/v1#m", "official", attempt=2)), 7),
    ],
)
def test_what_is_to_be_scored_is_kept_whole(bench: Bench, job: Job) -> None:
    run = bench.runs.find(bench.runs.start("me", job), "me")
    assert run
    assert run.request == job


def test_a_stress_test_is_kept_and_found_by_another_server(bench: Bench, tmp_path: Path) -> None:
    bench.gate.opened.set()
    run_id = bench.runs.start("me", StressJob(GOLD, {"0": PREDICTION}, Opening(("hungarian-meteor",))))
    bench.until(run_id, State.DONE)
    queue = on_disk(tmp_path)
    later = Jobs(queue, score_kind())
    queue.close()
    kept, now = later.find(run_id, "me"), bench.runs.find(run_id, "me")
    assert kept
    assert now
    assert isinstance(kept.result, Stressed)
    assert kept.result == now.result
    assert {movement.before for movement in kept.result.movements} == {None, 0.5}  # not all changed the evidence
    assert [run.id for run in later.search("me").entries] == [run_id]


def test_only_its_owner_finds_a_run(bench: Bench) -> None:
    run_id = bench.runs.start("me", JOB)
    assert bench.runs.find(run_id, "someone else") is None
    assert bench.runs.status(run_id, "someone else") is None
    assert bench.runs.of("someone else") == []


def test_running_and_waiting_runs_are_cancelled(bench: Bench) -> None:
    first = bench.runs.start("me", JOB)
    bench.until(first, State.RUNNING)
    waiting = bench.runs.start("you", JOB)
    bench.runs.queue.cancel(waiting, "me")  # not the owner: nothing happens
    assert bench.status(waiting, "you").state is State.WAITING
    bench.runs.queue.cancel(waiting, "you")
    assert bench.status(waiting, "you").state is State.CANCELLED
    bench.runs.queue.cancel(first, "me")
    bench.until(first, State.CANCELLED)


def test_a_failure_is_a_sentence_and_again_asks_with_other_chances(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(self: Opening) -> list[Metric]:
        raise ModelError("The model is not here.")

    with monkeypatch.context() as patch:
        patch.setattr(Opening, "metrics", absent)
        run_id = bench.runs.start("me", JOB)
        assert "not here" in bench.until(run_id, State.FAILED).error
    bench.gate.opened.set()
    run = bench.runs.find(run_id, "me")
    assert run
    bench.runs.resume(run.status, once_more(run.request))
    bench.until(run_id, State.DONE)
    again = bench.runs.find(run_id, "me")
    assert again
    assert again.request.opening.judging.attempt == 1
    assert len(bench.closed) == 2


def test_the_oldest_runs_are_forgotten(bench: Bench) -> None:
    bench.runs.kind = replace(bench.runs.kind, limits=JobLimits(kept=2))
    bench.gate.opened.set()
    ids = []
    for _ in range(3):
        ids.append(bench.runs.start("me", JOB))
        bench.until(ids[-1], State.DONE)
    assert [run.status.id for run in bench.runs.of("me")] == ids[:0:-1]


def test_a_run_with_a_name_stays_until_it_is_deleted(bench: Bench) -> None:
    bench.runs.kind = replace(bench.runs.kind, limits=JobLimits(kept=1))
    bench.gate.opened.set()
    first = bench.runs.start("me", JOB)
    bench.runs.rename(bench.until(first, State.DONE), " Spring ")
    for _ in range(2):
        bench.until(bench.runs.start("me", JOB), State.DONE)
    newest, named = bench.runs.search("me").entries
    assert (named.id, named.title, newest.title) == (first, "Spring", "system")
    with pytest.raises(BadInput, match="1 to 200 characters"):
        bench.runs.rename(named, " ")
    token = Shares(bench.runs.store.store).make(first, "me")
    bench.runs.delete(named)
    assert bench.runs.search("me").entries == (newest,)
    assert token
    assert Shares(bench.runs.store.store).find(token) is None


def test_how_many_items_there_are_is_told_before_the_first_is_done() -> None:
    told: list[tuple[int, int]] = []
    items = ProgressMonitor(lambda done, total: told.append((done, total))).over(["a", "b"])
    assert next(items) == "a"
    assert told == [(0, 2)]
    assert list(items) == ["b"]
    assert told == [(0, 2), (1, 2), (2, 2)]


def test_the_time_left_counts_the_systems_that_are_still_to_come() -> None:
    assert seconds_left(10.0, 5, 20) == 30.0
    assert seconds_left(10.0, 5, 20, more=2) == 110.0
    assert seconds_left(1.0, 2, 20) is None
