"""Batches with the real models, killed again and again: the same submission as one that was not."""

from __future__ import annotations

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
from core.jobs.jobs import Jobs
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.jobs.types import State
from core.storage.store import Store
from tests.batch.small_batch import CLAIMS, ROOT, batch_command, batch_of, run_command
from tests.waiting import until

pytestmark = pytest.mark.slow

KILLS = ((3, ()), (0, ("--workers", "2")), (2, ()))
"""After how many lines of the journal a batch is killed, and its further words.

Mostly one worker: loading the models takes longer than the claims do.
"""


def lines(journal: Path) -> int:
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def killed(folder: Path, out: Path, more: int, chance: random.Random, *words: str) -> int:
    """Start a batch, kill it and all that it started after `more` lines, and return how many it wrote."""
    journal = journal_path(out)
    before = lines(journal)
    run = subprocess.Popen(
        batch_command(folder, out, *words),
        cwd=ROOT,
        env={**os.environ, "VERIDESK_HOME": str(folder / "home")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 300
    while more and lines(journal) < before + more and run.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(chance.uniform(0.0, 0.6))  # loading, in the middle of a claim, or while a line is written
    assert run.poll() is None, "the batch ended before it was killed"
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    return lines(journal) - before


@pytest.mark.timeout(1800)
def test_a_batch_killed_again_and_again_ends_with_the_same_submission(folder: Path) -> None:
    disturbed, chance = folder / "disturbed.json", random.Random(8)
    written = [killed(folder, disturbed, more, chance, *words) for more, words in KILLS]
    assert sum(written) > len(KILLS)  # the kills fell into work, not only into loading
    assert not disturbed.exists()
    end = run_command(folder, disturbed, "--out", str(folder / "disturbed.csv"))
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
        env={**os.environ, "VERIDESK_HOME": str(folders.parent / "home")},
        stdout=subprocess.PIPE,
    )
    wanted = lines(journal) + more
    until(lambda: lines(journal) >= wanted, seconds=300)
    server.kill()
    server.communicate()


@pytest.mark.timeout(1800)
def test_a_batch_of_the_queue_whose_server_is_killed_ends_as_the_command_does(folder: Path) -> None:
    url, folders = f"sqlite:///{folder / 'jobs.db'}", folder / "batches"
    jobs = JobStore(Store(url))
    asking = JobQueue(jobs, place="here")
    asking.close()  # it takes no batch itself
    batch = batch_of(Jobs(asking, batch_kind(folders, jobs)), folder, "a" * 64, workers=2)
    for more in (3, 2):
        killed_server(url, folders, batch.tail.path, more)
    assert not batch.files()
    last = JobQueue(jobs, place="here")
    last.register(batch_kind(folders, jobs))
    until(lambda: not batch.running, seconds=400)
    last.close()
    assert batch.status
    assert (batch.status.state, batch.status.error) == (State.DONE, "")
    assert batch.tail.path.read_bytes().count(b'"claim_id"') >= CLAIMS
    assert batch.files()[0].read_bytes() == (folder / "undisturbed.json").read_bytes()
    assert batch.files()[2].read_bytes() == (folder / "undisturbed.csv").read_bytes()
    assert all(batch.receipt(claim_id) for claim_id in batch.asked.ids)
