"""Claims of the queue on a Dask cluster: two workers work on two at once, and one can be cancelled."""

from collections.abc import Iterator
from typing import Any

import pytest

from core.documents.examples import examples
from core.jobs.jobs import Jobs
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.jobs.types import State
from core.storage.store import Store
from core.verification.model_pool import ClusterPool
from core.verification.receipt import receipt_from_json
from core.verification.request import Request
from core.verification.verify_job import Cases, verify_kind
from tests.batch.small_batch import ROOT
from tests.fakes import DOCUMENTS, TOWER
from tests.llm.parallel_server import parallel_server
from tests.waiting import until

distributed = pytest.importorskip("distributed", reason="the package distributed is not installed")

pytestmark = pytest.mark.slow
ANNA = "a" * 64


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cases]:
    options: dict[str, Any] = {"processes": True, "dashboard_address": None, "memory_limit": 0}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))  # of the workers' processes
        with distributed.LocalCluster(n_workers=2, threads_per_worker=1, **options) as local:
            pool = ClusterPool(local.scheduler_address)
            jobs = JobStore(Store(f"sqlite:///{tmp_path_factory.mktemp('cluster') / 'v.db'}"))
            queue = JobQueue(jobs)
            yield Jobs(queue, verify_kind(pool.verify, jobs, slot=pool.slot, running=pool.workers))
            queue.close()
            pool.close()


def test_claims_go_to_the_workers_two_at_once(cases: Cases) -> None:
    with parallel_server(delay=0.2, slots=4) as server:
        asked = [Request(TOWER, documents=DOCUMENTS, model=server.model, seed=seed) for seed in range(4)]
        server.answering.clear()
        ids = [cases.start(ANNA, request) for request in asked]
        until(lambda: len(cases.queue.running) == 2)
        server.answering.set()
        until(lambda: not any(entry.state.live for entry in cases.search(ANNA).entries))
    kept = [stored for job_id in ids if (stored := cases.store.load(job_id, ANNA))]
    assert [(one.state, one.error) for one in kept] == [(State.DONE, "")] * 4
    verdicts = [receipt_from_json(one.result)[1].verdict for one in kept if one.result]
    assert len({verdict.label for verdict in verdicts if verdict}) == 1


def test_a_claim_on_the_cluster_can_be_cancelled(cases: Cases) -> None:
    example = examples()[0]
    job_id = cases.start(ANNA, Request(example.claim, example=example.id))
    until(lambda: cases.queue.running and cases.queue.cancel(job_id, ANNA))
    until(lambda: (status := cases.store.status(job_id, ANNA)) and not status.state.live)
    status = cases.store.status(job_id, ANNA)
    assert status
    assert status.state is State.CANCELLED
