"""A batch on a Dask cluster of separate processes, one of which is lost, and on many workers against one server."""

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.__main__ import main
from core.batch.batch_job import batch_kind
from core.jobs.jobs import Jobs
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.storage.store import Store
from tests.batch.small_batch import CLAIMS, ROOT, batch_command, batch_of, run_command
from tests.llm.test_server import Asked, LocalServer
from tests.waiting import until

distributed = pytest.importorskip("distributed", reason="the package distributed is not installed")

dask_executor = pytest.importorskip("core.dask_executor")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster of two workers, which starts a lost one again."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYTHONPATH", str(ROOT))  # of the workers' processes
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
        ) as local:
            yield local


def test_a_batch_on_a_cluster_that_loses_a_worker_ends_with_the_same_submission(
    cluster: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIDESK_SCHEDULER", cluster.scheduler_address)
    jobs = JobStore(Store(f"sqlite:///{tmp_path / 'jobs.db'}"))
    queue = JobQueue(jobs)
    batch = batch_of(Jobs(queue, batch_kind(tmp_path / "batches", jobs)), folder, "a" * 64, workers=0)
    # Both have done a claim: on a busy machine one loads far longer than the other.
    until(lambda: len({one.worker for one in batch.progress().values()}) == 2)
    os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
    until(lambda: not batch.running)
    queue.close()
    assert batch.trouble == ""
    assert batch.figures
    assert (batch.figures["claims"], batch.figures["failures"], batch.figures["workers"]) == (CLAIMS, {}, 2)
    assert batch.files()[0].read_bytes() == (folder / "undisturbed.json").read_bytes()


def test_a_scheduler_that_is_not_there_is_named(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dask_executor, "CONNECT_SECONDS", 0.2)
    words = batch_command(folder, tmp_path / "o.json", "--scheduler", "tcp://127.0.0.1:9")
    assert main(words[3:]) == 2
    assert "tcp://127.0.0.1:9" in capsys.readouterr().err


def test_a_model_that_a_worker_does_not_have_is_named(cluster: Any, folder: Path, tmp_path: Path) -> None:
    words = ("--scheduler", cluster.scheduler_address, "--model", "/nowhere/model.gguf")
    done = run_command(folder, tmp_path / "o.json", *words)
    assert done.returncode == 2
    assert "/nowhere/model.gguf" in done.stderr


def question(asked: Asked, body: dict[str, Any]) -> None:
    """Answer with the first five words that the passage begins with, as a question; slowly, as a model would."""
    time.sleep(0.05)
    words = " ".join(body["messages"][-1]["content"].split()[-5:])
    events = [
        {"choices": [{"delta": {"content": f"What of {words}?"}}]},
        {"choices": [{"delta": {}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 90, "completion_tokens": 9}},
    ]
    asked.text("".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n")


def test_workers_share_one_server(folder: Path, tmp_path: Path) -> None:
    local = LocalServer()
    local.answers["/v1/chat/completions"] = question
    local.answers["/tokenize"] = lambda asked, body: asked.json({"tokens": body["content"].split()})
    thread = threading.Thread(target=local.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        model = f"{local.url}#small"
        one, two = tmp_path / "one.json", tmp_path / "two.json"
        alone = run_command(folder, one, "--model", model, "--json")
        done = run_command(folder, two, "--model", model, "--workers", "2", "--json")
    finally:
        local.shutdown()
        thread.join()
        local.server_close()
    assert (alone.returncode, done.returncode) == (0, 0), done.stderr
    generations = [json.loads(run.stdout)["cost"]["generations"] for run in (alone, done)]
    assert generations[0] == generations[1] >= CLAIMS
    assert two.read_bytes() == one.read_bytes()
