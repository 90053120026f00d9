"""Batches with the real models, killed again and again: the same submission as one that was not."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.batch.batch_job import batch_kind
from core.batch.journal import journal_path
from core.jobs import queue as queueing
from core.jobs import store as keeping
from core.jobs.jobs import Jobs
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.jobs.types import State
from core.storage.store import Store
from tests.batch.batch_server import BEAT, STALE
from tests.batch.small_batch import CLAIMS, ROOT, batch_command, batch_of, run_command
from tests.waiting import until

pytestmark = pytest.mark.slow

KILLS = (2, 0)
"""After how many lines of the journal a batch is killed: at work, and while it loads."""


def lines(journal: Path) -> int:
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def killed(folder: Path, out: Path, more: int, chance: random.Random) -> int:
    """Start a batch, kill it and all that it started after `more` lines, and return how many it wrote."""
    journal = journal_path(out)
    before = lines(journal)
    run = subprocess.Popen(
        batch_command(folder, out),
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


def test_a_batch_killed_again_and_again_ends_with_the_same_submission(folder: Path) -> None:
    disturbed, chance = folder / "disturbed.json", random.Random(8)
    written = [killed(folder, disturbed, more, chance) for more in KILLS]
    assert sum(written) >= sum(KILLS)  # a kill fell into work, not only into loading
    assert not disturbed.exists()
    end = run_command(folder, disturbed, "--out", str(folder / "disturbed.csv"), "--workers", "2")
    assert end.returncode == 0, end.stderr
    worked_on = sum(line.startswith("{") is False and "claim" in line for line in end.stderr.splitlines())
    assert 0 < worked_on <= CLAIMS - sum(written) + 1  # no claim that was done was done again
    assert disturbed.read_bytes() == (folder / "undisturbed.json").read_bytes()
    assert (folder / "disturbed.csv").read_bytes() == (folder / "undisturbed.csv").read_bytes()


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
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queueing, "BEAT_SECONDS", BEAT)
    monkeypatch.setattr(keeping, "STALE_SECONDS", STALE)
    url, folders = f"sqlite:///{folder / 'jobs.db'}", folder / "batches"
    jobs = JobStore(Store(url))
    asking = JobQueue(jobs, place="here")
    asking.close()  # it takes no batch itself
    batch = batch_of(Jobs(asking, batch_kind(folders, jobs)), folder, "a" * 64, workers=1)
    killed_server(url, folders, batch.tail.path, 2)
    assert not batch.files()
    last = JobQueue(jobs, place="here")
    last.register(batch_kind(folders, jobs))
    until(lambda: not batch.running)
    last.close()
    assert batch.status
    assert (batch.status.state, batch.status.error) == (State.DONE, "")
    assert batch.tail.path.read_bytes().count(b'"claim_id"') >= CLAIMS
    assert batch.files()[0].read_bytes() == (folder / "undisturbed.json").read_bytes()
    assert batch.files()[2].read_bytes() == (folder / "undisturbed.csv").read_bytes()
    assert all(batch.receipt(claim_id) for claim_id in batch.asked.ids)
