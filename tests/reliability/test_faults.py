"""Faults while something runs: kills at every write, a full disk, a locked or lost database, a clock that jumps."""

import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import StoreError
from core.files import ASSETS, ROOT
from core.jobs import queue as queueing
from core.jobs.jobs import Jobs
from core.jobs.kinds import JobContext
from core.jobs.limits import JobLimits
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.jobs.types import JobResult, Listed, State
from core.storage import database
from core.storage.store import Store
from tests.fakes import Clock
from tests.jobs.kinds import plain_kind
from tests.postgres import cluster, programs
from tests.waiting import until

pytestmark = pytest.mark.slow
GOLD = str(ASSETS / "scoring" / "gold.json")
CAREFUL, HASTY = (str(ASSETS / "scoring" / f"{name}.json") for name in ("careful", "hasty"))
FEW_BYTES = 200


def python(*words: str, home: Path, **given: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "VERIDESK_HOME": str(home), "PYTHONPATH": str(ROOT)}
    environment.pop("VERIDESK_DATABASE", None)
    return subprocess.run([sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, text=True, **given)  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize(("name", "at_least"), [("campaign", 3), ("restore", 10), ("migration", 5), ("index", 5)])
def test_a_kill_at_any_write_leaves_all_or_nothing(name: str, at_least: int, tmp_path: Path) -> None:
    run = python("-m", "tests.reliability.kills", name, str(tmp_path), home=tmp_path)
    assert run.returncode == 0, run.stderr[-2000:]
    assert int(run.stdout.splitlines()[-1]) >= at_least


def full_disk() -> None:
    """Let this process write no file longer than a few bytes: as where the disk is full, and without one."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (FEW_BYTES, FEW_BYTES))


SCORE = ("score", "--submission", CAREFUL, HASTY, "--gold", GOLD)
STUDY = ("agreement", "--ratings", str(ASSETS / "agreement" / "ratings.csv"))
STUDY += ("--scores", str(ASSETS / "agreement" / "scores.csv"), "--resamples", "20")
WRITING = {
    "gold data": ("convert", GOLD, "{out}/gold.csv"),
    "scores": (*SCORE, "--metric", "verdict", "--items", "{out}/items.csv"),
    "a report": (*STUDY, "--report", "{out}/report.html"),
    "tables": (*STUDY, "--tables", "{out}/tables.zip"),
    "the database": ("campaign", "list"),
    "an index": ("index", "build", "--store", "{out}/store.jsonl"),
}


@pytest.mark.parametrize("name", WRITING)
def test_a_full_disk_is_a_sentence_and_leaves_no_half_file(name: str, tmp_path: Path) -> None:
    store = tmp_path / "store.jsonl"
    lines = [
        {"url": f"u{n}", "url2text": [f"Sentence {n} is about towers, and there are {n} of them."]} for n in range(90)
    ]
    store.write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = [word.replace("{out}", str(tmp_path)) for word in WRITING[name]]
    run = python("-m", "core", *words, home=tmp_path / "home", preexec_fn=full_disk)
    assert run.returncode == 2, (run.returncode, run.stderr)
    assert "Traceback" not in run.stderr
    assert "unexpected error" not in run.stderr
    assert "ree some space" in run.stderr, run.stderr
    assert [file.name for file in tmp_path.iterdir() if file.name not in ("home", "store.jsonl")] == []


def test_a_database_that_another_program_holds_is_waited_for_and_then_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PATIENCE_SECONDS", 1)
    store = Store(f"sqlite:///{tmp_path}/v.db")
    store.save_draft("a", "verify", {"text": "confirmed"})
    other = sqlite3.connect(tmp_path / "v.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreError, match="Another program"):
        store.save_draft("a", "verify", {"text": "later"})
    assert store.draft("a", "verify") == {"text": "confirmed"}  # it can be read meanwhile
    other.execute("ROLLBACK")
    store.save_draft("a", "verify", {"text": "later"})
    assert store.draft("a", "verify") == {"text": "later"}
    other.close()


def test_a_database_file_that_goes_and_comes_back(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path}/there/v.db")
    store.save_draft("a", "verify", {"text": "confirmed"})
    store.engine.dispose()
    (tmp_path / "there").rename(tmp_path / "away")
    with pytest.raises(StoreError, match="cannot be opened"):
        store.draft("a", "verify")
    (tmp_path / "away").rename(tmp_path / "there")
    assert store.draft("a", "verify") == {"text": "confirmed"}


def test_a_database_server_that_ends_and_comes_back() -> None:
    folder = programs()
    if folder is None:
        pytest.skip("PostgreSQL is not installed here: apt-get install postgresql")
    with cluster(folder, durable=True) as server:
        store = Store(server.new_database())
        store.save_draft("a", "verify", {"text": "confirmed"})
        server.kill()
        with pytest.raises(StoreError, match="does not answer"):
            store.save_draft("a", "verify", {"text": "later"})
        server.start()
        assert store.draft("a", "verify") == {"text": "confirmed"}
        store.save_draft("a", "verify", {"text": "later"})
        store.engine.dispose()


@pytest.mark.parametrize("jump", [-86_400.0, 86_400.0])
def test_a_clock_that_jumps_takes_no_job_twice(jump: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    table = JobStore(Store(f"sqlite:///{tmp_path}/v.db", clock=clock))
    begun: list[str] = []
    looks: list[object] = []
    claim = table.claim
    monkeypatch.setattr(queueing, "POLL_SECONDS", 0.05)
    monkeypatch.setattr(table, "claim", lambda *args, **named: looks.append(args) or claim(*args, **named))
    queue = JobQueue(table)

    def work(request: str, context: JobContext) -> JobResult:
        begun.append(context.job.id)
        clock.now += jump
        before = len(looks)
        until(lambda: len(looks) >= before + 3)
        return JobResult({"done": True})

    first = Jobs(queue, replace(plain_kind("x", work), limits=JobLimits(running=lambda slot: 4, tries=2))).start(
        "a", "one"
    )
    until(lambda: table.status(first, "a").state is State.DONE)  # type: ignore[union-attr]
    assert begun == [first]
    queue.close()


def test_a_server_that_died_before_the_clock_was_set_back_holds_its_job_no_longer(tmp_path: Path) -> None:
    clock = Clock()
    table = JobStore(Store(f"sqlite:///{tmp_path}/v.db", clock=clock))
    job = table.add("x", "a", Listed("one"), {}, tries=1)
    assert table.claim({"x": []}, server="dead", place="") is not None
    clock.now -= 86_400
    status = table.status(job, "a")
    assert status.state is State.INTERRUPTED


def test_a_reader_that_is_stopped_costs_a_sentence(tmp_path: Path) -> None:
    from core import confined as module
    from core.confined import confined
    from core.errors import BadInput
    from tests.test_confined import double

    workers = module._Workers()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_workers", workers)
        pid = confined(double, "a", b"")[0]
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(BadInput, match="more than 1 seconds"):
            confined(double, "b", b"", seconds=1.0)
        assert confined(double, "c", b"x")[2] == b"xx"
    workers.end()
