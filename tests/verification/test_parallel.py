"""Several claims at once where the model is a server that answers in parallel."""

from __future__ import annotations

import time
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

ANNA = "a" * 64


def seconds_for(claims: int, home: Path, model: str) -> float:
    """Verify so many claims with a server's model; return the seconds from the first submission to the last verdict."""
    pool = ModelPool()
    pool.encoder = WordEncoder()
    jobs = JobStore(Store(f"sqlite:///{home / 'veridesk.db'}"))
    queue = JobQueue(jobs)
    cases = Jobs(queue, verify_kind(pool.verify, jobs, slot=pool.slot, running=pool.workers))
    pool.models(model)  # asks the server how many it takes
    began = time.monotonic()
    for number in range(claims):
        cases.start(ANNA, Request(Claim(f"The tower was finished in {number}."), documents=DOCUMENTS, model=model))
    while any(entry.state.live for entry in cases.search(ANNA).entries):
        assert time.monotonic() - began < 120
        time.sleep(0.02)
    seconds = time.monotonic() - began
    queue.close()
    assert [(entry.state, entry.error) for entry in cases.search(ANNA).entries] == [(State.DONE, "")] * claims
    return seconds


@pytest.mark.slow
@pytest.mark.alone
def test_eight_claims_take_at_most_a_third_of_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    with parallel_server(delay=0.4, slots=8) as server:
        together = seconds_for(8, tmp_path / "together", server.model)
        prompts = server.asked
        monkeypatch.setenv("VERIDESK_PARALLEL", "1")
        alone = seconds_for(8, tmp_path / "alone", server.model)
        assert server.asked == 2 * prompts
    print(f"{prompts} prompts of 0.4 s: {alone:.1f} s one after the other, {together:.1f} s together")
    assert together <= alone / 3
