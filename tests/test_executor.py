"""The local executor: items shared out to processes, workers that die, models that cannot be loaded, a stop."""

import os
import signal
import time
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path

import pytest

from core.annotations import Prediction
from core.batch.run import give_up
from core.batch.types import BatchPlan, Done
from core.batch.worker import Worker, work_on
from core.errors import BadInput, Cancelled, ModelError
from core.executor import LocalExecutor, shares_of_cores
from core.interfaces import Models, Stop, never
from core.types import Claim, Label
from core.verification.request import Request
from core.verification.verdict.classifier_judge import ClassifierJudge
from tests.fakes import ScriptedModel, WordEncoder
from tests.waiting import until

pytestmark = pytest.mark.slow  # each worker is a process that imports everything


class Fragile(Worker):
    """Dies at a claim that says so: always, or the first time."""

    def work(self, claim: Claim, *, stop: Stop = never) -> Done:
        mark = self.plan.stores / claim.id
        if "deadly" in claim.text or ("once" in claim.text and not mark.exists()):
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if "deaf" in claim.text:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        if "together" in claim.text:
            (self.plan.stores / f"{os.getpid()}.here").touch()
            until(lambda: len(list(self.plan.stores.glob("*.here"))) == 2)
        return Done(claim.id, Prediction(claim.id, claim.text, Label.REFUTED, ()), worker=str(os.getpid()))


def open_fragile(plan: BatchPlan) -> Worker:
    models = Models(WordEncoder(), ScriptedModel(), ClassifierJudge("quoted_passages"))
    return Fragile(plan, models)


def open_nothing(plan: BatchPlan) -> Worker:
    raise ModelError("The file is no model.")


def open_too_much(plan: BatchPlan) -> Worker:
    raise MemoryError


def open_fault(plan: BatchPlan) -> Worker:
    return plan.nothing


def open_grave(plan: BatchPlan) -> Worker:
    os._exit(7)


def mapped(
    claims: list[Claim],
    folder: Path,
    open_worker: Callable[[BatchPlan], Worker] = open_fragile,
    *,
    workers: int = 2,
    stop: Stop = never,
) -> Generator[Done]:
    executor = LocalExecutor(partial(open_worker, BatchPlan(Request(Claim("")), folder)), workers)
    return executor.map(work_on, claims, give_up=give_up, stop=stop)


def run(texts: list[str], folder: Path, workers: int = 2) -> dict[str, Done]:
    claims = [Claim(text, id=str(number)) for number, text in enumerate(texts)]
    done = list(mapped(claims, folder, workers=workers))
    assert len(done) == len({one.claim_id for one in done}) == len(claims)
    return {one.claim_id: one for one in done}


def test_every_claim_is_done_once_and_both_workers_work(tmp_path: Path) -> None:
    done = run(["together"] * 4, tmp_path)
    assert all(one.prediction for one in done.values())
    assert len({one.worker for one in done.values()}) == 2


def test_a_claim_whose_worker_dies_is_tried_once_more_and_no_other_is_lost(tmp_path: Path) -> None:
    done = run(["fine", "dies once", "fine", "deadly", "fine", "fine"], tmp_path)
    assert [number for number, one in done.items() if one.prediction is None] == ["3"]
    assert "ended 2 times" in done["3"].error
    assert "SIGKILL" in done["3"].error


def test_a_model_that_cannot_be_loaded_ends_the_batch_with_its_sentence(tmp_path: Path) -> None:
    claims = [Claim("a", id="0")]
    with pytest.raises(ModelError, match="no model"):
        list(mapped(claims, tmp_path, open_nothing))
    with pytest.raises(ModelError, match=r"\(exit status 7\)"):
        list(mapped(claims, tmp_path, open_grave, workers=1))
    with pytest.raises(ModelError, match="enough memory"):
        list(mapped(claims, tmp_path, open_too_much, workers=1))
    with pytest.raises(ModelError, match="unexpected error"):
        list(mapped(claims, tmp_path, open_fault, workers=1))


def test_without_items_nothing_is_opened(tmp_path: Path) -> None:
    assert list(mapped([], tmp_path, open_grave)) == []


def test_workers_end_when_nobody_takes_their_answers_any_more(tmp_path: Path) -> None:
    results = mapped([Claim("fine", id=str(number)) for number in range(30)], tmp_path)
    worker = int(next(results).worker)
    results.close()
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)


def test_a_stop_ends_workers_that_are_busy_or_deaf(tmp_path: Path) -> None:
    claims = [Claim("fine", id="0"), *(Claim("deaf", id=str(number)) for number in range(1, 5))]
    asked: list[bool] = []
    results = mapped(claims, tmp_path, workers=1, stop=lambda: bool(asked))
    worker = int(next(results).worker)
    asked.append(True)
    with pytest.raises(Cancelled):
        next(results)
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)


def test_cores_are_shared_out() -> None:
    cores = os.sched_getaffinity(0)
    assert shares_of_cores(1) == [cores]
    assert frozenset().union(*shares_of_cores(len(cores))) == cores
    assert [len(share) for share in shares_of_cores(len(cores) + 3)] == [1] * (len(cores) + 3)
    with pytest.raises(BadInput, match="at least one worker"):
        shares_of_cores(0)
