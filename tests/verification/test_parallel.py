"""Several claims at once where the model is a server that answers in parallel."""

from pathlib import Path

import pytest

from core.jobs.jobs import Jobs
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.jobs.types import State
from core.storage.store import Store
from core.types import Claim
from core.verification.model_pool import ModelPool
from core.verification.request import Request
from core.verification.verify_job import verify_kind
from tests.fakes import DOCUMENTS, WordEncoder
from tests.llm.parallel_server import parallel_server
from tests.waiting import until

ANNA = "a" * 64
CLAIMS = 3


def test_as_many_claims_are_worked_on_as_the_server_answers_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    with parallel_server(delay=0.0, slots=CLAIMS) as server:
        pool = ModelPool()
        pool.encoder = WordEncoder()
        jobs = JobStore(Store(f"sqlite:///{tmp_path / 'veridesk.db'}"))
        queue = JobQueue(jobs)
        cases = Jobs(queue, verify_kind(pool.verify, jobs, slot=pool.slot, running=pool.workers))
        pool.models(server.model)  # asks the server how many it takes
        server.answering.clear()
        for number in range(CLAIMS):
            asked = Request(Claim(f"The tower was finished in {number}."), documents=DOCUMENTS, model=server.model)
            cases.start(ANNA, asked)
        until(lambda: len(queue.running) == CLAIMS)
        server.answering.set()
        until(lambda: not any(entry.state.live for entry in cases.search(ANNA).entries))
        queue.close()
    assert [(entry.state, entry.error) for entry in cases.search(ANNA).entries] == [(State.DONE, "")] * CLAIMS
