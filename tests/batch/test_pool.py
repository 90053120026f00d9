"""Workers in processes of their own: claims shared out, workers that die, models that cannot be loaded."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from core.annotations import Prediction
from core.batch.pool import run_pool, shares_of_cores
from core.batch.types import BatchPlan, Done
from core.batch.worker import Worker
from core.errors import BadInput, ModelError
from core.interfaces import Models, Stop, never
from core.types import Claim, Label
from core.verification.request import Request
from core.verification.verdict.judges import ClassifierJudge
from tests.fakes import ScriptedModel, WordEncoder

pytestmark = pytest.mark.slow  # each worker is a process that imports everything


class Fragile(Worker):
    """Dies at a claim that says so: always, or the first time."""

    def work(self, claim: Claim, *, stop: Stop = never) -> Done:
        mark = self.plan.stores / claim.id
        if "deadly" in claim.text or ("once" in claim.text and not mark.exists()):
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.02)
        return Done(claim.id, Prediction(claim.id, claim.text, Label.REFUTED, ()), worker=str(os.getpid()))


def open_fragile(plan: BatchPlan) -> Worker:
    models = Models(WordEncoder(), ScriptedModel(), ClassifierJudge("quoted_passages"))
    return Fragile(plan, models)


def open_nothing(plan: BatchPlan) -> Worker:
    raise ModelError("The file is no model.")


def open_grave(plan: BatchPlan) -> Worker:
    os._exit(7)


def run(texts: list[str], folder: Path, workers: int = 2) -> dict[str, Done]:
    claims = [Claim(text, id=str(number)) for number, text in enumerate(texts)]
    plan = BatchPlan(Request(Claim("")), folder)
    done = list(run_pool(claims, plan, workers=workers, open_worker=open_fragile))
    assert len(done) == len({one.claim_id for one in done}) == len(claims)
    return {one.claim_id: one for one in done}


def test_every_claim_is_done_once_and_both_workers_work(tmp_path: Path) -> None:
    done = run(["fine"] * 30, tmp_path)
    assert all(one.prediction for one in done.values())
    assert len({one.worker for one in done.values()}) == 2


def test_a_claim_whose_worker_dies_is_tried_once_more_and_no_other_is_lost(tmp_path: Path) -> None:
    done = run(["fine", "dies once", "fine", "deadly", "fine", "fine"], tmp_path)
    assert [number for number, one in done.items() if one.prediction is None] == ["3"]
    assert "ended 2 times" in done["3"].error
    assert "SIGKILL" in done["3"].error


def test_a_model_that_cannot_be_loaded_ends_the_batch_with_its_sentence(tmp_path: Path) -> None:
    plan = BatchPlan(Request(Claim("")), tmp_path)
    with pytest.raises(ModelError, match="no model"):
        list(run_pool([Claim("a", id="0")], plan, workers=2, open_worker=open_nothing))
    with pytest.raises(ModelError, match="while it loaded its models \\(exit status 7\\)"):
        list(run_pool([Claim("a", id="0")], plan, workers=1, open_worker=open_grave))


def test_workers_end_when_nobody_takes_their_answers_any_more(tmp_path: Path) -> None:
    claims = [Claim("fine", id=str(number)) for number in range(30)]
    results = run_pool(claims, BatchPlan(Request(Claim("")), tmp_path), workers=2, open_worker=open_fragile)
    worker = int(next(results).worker)
    results.close()  # type: ignore[attr-defined]
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)


def test_cores_are_shared_out() -> None:
    cores = os.sched_getaffinity(0)
    assert shares_of_cores(1) == [cores]
    assert frozenset().union(*shares_of_cores(len(cores))) == cores
    assert [len(share) for share in shares_of_cores(len(cores) + 3)] == [1] * (len(cores) + 3)
    with pytest.raises(BadInput, match="at least one worker"):
        shares_of_cores(0)
