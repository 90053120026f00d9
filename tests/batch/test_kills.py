"""Batches that are killed, or lose a worker of a Dask cluster: the same submission as one that nobody disturbed.

A server on this machine writes the questions, so that a claim costs little. All other models are the real ones.
"""

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.__main__ import main
from core.batch.batch_job import batch_kind
from core.batch.journal import journal_path
from core.jobs import queue as queueing
from core.jobs import store as keeping
from core.jobs.jobs import Jobs
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.jobs.types import State
from core.storage.store import Store
from core.verification.model_pool import ClusterPool
from core.verification.receipt import receipt_from_json
from core.verification.request import Request
from core.verification.verify_job import Cases, verify_kind
from tests.batch.batch_server import BEAT, STALE
from tests.batch.small_batch import CLAIMS, ROOT, SmallBatch
from tests.fakes import DOCUMENTS, TOWER
from tests.waiting import until

pytestmark = pytest.mark.slow

ANNA = "a" * 64
KILLS = (2, 0)
"""After how many lines of the journal a batch is killed: at work, and while it loads."""


def lines(journal: Path) -> int:
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def killed(small: SmallBatch, out: Path, more: int, chance: random.Random) -> int:
    """Start a batch, kill it and all that it started after `more` lines, and return how many it wrote."""
    journal = journal_path(out)
    before = lines(journal)
    run = subprocess.Popen(
        small.command(out),
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    until(lambda: lines(journal) >= before + more or run.poll() is not None)
    time.sleep(chance.uniform(0.0, 0.3))  # loading, in the middle of a claim, or while a line is written
    assert run.poll() is None, "the batch ended before it was killed"
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    return lines(journal) - before


def test_a_batch_killed_again_and_again_ends_with_the_same_submission(small: SmallBatch, tmp_path: Path) -> None:
    disturbed, chance = tmp_path / "disturbed.json", random.Random(8)
    written = [killed(small, disturbed, more, chance) for more in KILLS]
    assert sum(written) >= sum(KILLS)  # a kill fell into work, not only into loading
    assert not disturbed.exists()
    end = small.run(disturbed, "--out", str(tmp_path / "disturbed.csv"), "--workers", "2")
    assert end.returncode == 0, end.stderr
    worked_on = len(re.findall(r"^\d+/\d+ +claim ", end.stderr, re.MULTILINE))
    assert 0 < worked_on <= CLAIMS - sum(written) + 1  # no claim that was done was done again
    assert disturbed.read_bytes() == small.undisturbed(".json")
    assert (tmp_path / "disturbed.csv").read_bytes() == small.undisturbed(".csv")


def killed_server(url: str, folders: Path, journal: Path, more: int) -> None:
    """Start a server of batches, and kill it without its workers after so many more lines of the journal."""
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.batch.batch_server", url, str(folders)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
    )
    wanted = lines(journal) + more
    until(lambda: lines(journal) >= wanted)
    server.kill()
    server.communicate()


def test_a_batch_of_the_queue_whose_server_is_killed_ends_as_the_command_does(
    small: SmallBatch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queueing, "BEAT_SECONDS", BEAT)
    monkeypatch.setattr(keeping, "STALE_SECONDS", STALE)
    url, folders = f"sqlite:///{tmp_path / 'jobs.db'}", tmp_path / "batches"
    jobs = JobStore(Store(url))
    asking = JobQueue(jobs, place="here")
    asking.close()  # it takes no batch itself
    batch = small.start(Jobs(asking, batch_kind(folders, jobs)), ANNA, workers=1)
    killed_server(url, folders, batch.tail.path, 2)
    assert not batch.files()
    last = JobQueue(jobs, place="here")
    last.register(batch_kind(folders, jobs))
    until(lambda: not batch.running)
    last.close()
    assert batch.status
    assert (batch.status.state, batch.status.error) == (State.DONE, "")
    assert batch.tail.path.read_bytes().count(b'"claim_id"') >= CLAIMS
    assert batch.files()[0].read_bytes() == small.undisturbed(".json")
    assert batch.files()[2].read_bytes() == small.undisturbed(".csv")
    assert all(batch.receipt(claim_id) for claim_id in batch.asked.ids)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster of two workers, which starts a lost one again."""
    distributed = pytest.importorskip("distributed", reason="the package distributed is not installed")
    options: dict[str, Any] = {"processes": True, "dashboard_address": None, "memory_limit": 0}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))  # of the workers' processes
        with distributed.LocalCluster(n_workers=2, threads_per_worker=1, **options) as local:
            yield local


def test_a_batch_on_a_cluster_that_loses_a_worker_ends_with_the_same_submission(
    cluster: Any, small: SmallBatch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIDESK_SCHEDULER", cluster.scheduler_address)
    jobs = JobStore(Store(f"sqlite:///{tmp_path / 'jobs.db'}"))
    queue, before = JobQueue(jobs), small.server.asked
    small.server.answering.clear()
    batch = small.start(Jobs(queue, batch_kind(tmp_path / "batches", jobs)), ANNA, workers=0)
    until(lambda: small.server.asked == before + 2)  # both are at work: one may load far longer than the other
    os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
    until(lambda: small.server.asked == before + 3)  # the lost worker was started again
    small.server.answering.set()
    until(lambda: not batch.running)
    queue.close()
    assert batch.trouble == ""
    assert batch.figures
    assert (batch.figures["claims"], batch.figures["failures"], batch.figures["workers"]) == (CLAIMS, {}, 2)
    assert batch.files()[0].read_bytes() == small.undisturbed(".json")


def test_a_scheduler_that_is_not_there_is_named(
    small: SmallBatch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    dask_executor = pytest.importorskip("core.dask_executor", reason="the package distributed is not installed")
    monkeypatch.setattr(dask_executor, "CONNECT_SECONDS", 0.2)
    assert main(small.command(tmp_path / "o.json", "--scheduler", "tcp://127.0.0.1:9")[3:]) == 2
    assert "tcp://127.0.0.1:9" in capsys.readouterr().err


def test_a_model_that_a_worker_does_not_have_is_named(
    cluster: Any, small: SmallBatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--scheduler", cluster.scheduler_address, "--model", "/nowhere/model.gguf")
    assert main(small.command(tmp_path / "o.json", *words)[3:]) == 2
    assert "/nowhere/model.gguf" in capsys.readouterr().err


@pytest.fixture
def cases(cluster: Any, tmp_path: Path) -> Iterator[Cases]:
    pool = ClusterPool(cluster.scheduler_address)
    jobs = JobStore(Store(f"sqlite:///{tmp_path / 'v.db'}"))
    queue = JobQueue(jobs)
    yield Jobs(queue, verify_kind(pool.verify, jobs, slot=pool.slot, running=pool.workers))
    queue.close()
    pool.close()


def test_claims_go_to_the_workers_two_at_once_and_one_can_be_cancelled(cases: Cases, small: SmallBatch) -> None:
    small.server.answering.clear()
    requests = [Request(TOWER, documents=DOCUMENTS, model=small.server.model, seed=seed) for seed in range(3)]
    ids = [cases.start(ANNA, request) for request in requests]
    until(lambda: len(cases.queue.running) == 2)
    cancelled = next(job_id for job_id in ids if job_id in cases.queue.running)
    assert cases.queue.cancel(cancelled, ANNA)
    small.server.answering.set()
    until(lambda: not any(entry.state.live for entry in cases.search(ANNA).entries))
    ended = {job_id: cases.store.load(job_id, ANNA) for job_id in ids}
    states = {job_id: stored.state for job_id, stored in ended.items() if stored}
    assert states == {job_id: State.CANCELLED if job_id == cancelled else State.DONE for job_id in ids}
    verdicts = [receipt_from_json(one.result)[1].verdict for one in ended.values() if one and one.result]
    assert len({verdict.label for verdict in verdicts if verdict}) == 1
