"""Batches with the real models, killed again and again: the same submission as one that was not."""

from __future__ import annotations

import json
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
from tests.batch.small_batch import ROOT, batch_command, batch_of, make_claims, run_command
from tests.waiting import until

pytestmark = pytest.mark.slow

CLAIMS = 24
KILLS = 4


def lines(journal: Path) -> int:
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def killed(folder: Path, out: Path, chance: random.Random, *words: str) -> int:
    """Start a batch, kill it and all that it started at a moment drawn by lot, and return how many lines it wrote."""
    journal = journal_path(out)
    before, more = lines(journal), chance.choice([0, 1, 2, 4, 6])
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
def test_a_batch_killed_again_and_again_ends_with_the_same_submission(tmp_path: Path) -> None:
    make_claims(tmp_path, CLAIMS)
    undisturbed, disturbed = tmp_path / "undisturbed.json", tmp_path / "disturbed.json"
    done = run_command(tmp_path, undisturbed, "--out", str(tmp_path / "undisturbed.csv"), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["claims"] == CLAIMS
    chance = random.Random(8)
    # Mostly one worker: loading the models takes longer than the claims do.
    several = [("--workers", "2") if number % 4 == 1 else () for number in range(KILLS)]
    written = [killed(tmp_path, disturbed, chance, *words) for words in several]
    assert sum(written) > KILLS  # the kills fell into work, not only into loading
    assert not disturbed.exists()
    end = run_command(tmp_path, disturbed, "--out", str(tmp_path / "disturbed.csv"))
    assert end.returncode == 0, end.stderr
    worked_on = sum(line.startswith("{") is False and "claim" in line for line in end.stderr.splitlines())
    assert 0 < worked_on <= CLAIMS - sum(written) + 1  # no claim that was done was done again
    assert disturbed.read_bytes() == undisturbed.read_bytes()
    assert (tmp_path / "disturbed.csv").read_bytes() == (tmp_path / "undisturbed.csv").read_bytes()


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
def test_a_batch_of_the_queue_whose_server_is_killed_ends_as_the_command_does(tmp_path: Path) -> None:
    make_claims(tmp_path, 12)
    undisturbed, url, folders = tmp_path / "undisturbed.json", f"sqlite:///{tmp_path / 'jobs.db'}", tmp_path / "batches"
    done = run_command(tmp_path, undisturbed, "--out", str(tmp_path / "undisturbed.csv"))
    assert done.returncode == 0, done.stderr
    jobs = JobStore(Store(url))
    asking = JobQueue(jobs, place="here")
    asking.close()  # it takes no batch itself
    batch = batch_of(Jobs(asking, batch_kind(folders, jobs)), tmp_path, "a" * 64, workers=2)
    for more in (4, 3):
        killed_server(url, folders, batch.tail.path, more)
    assert not batch.files()
    last = JobQueue(jobs, place="here")
    last.register(batch_kind(folders, jobs))
    until(lambda: not batch.running, seconds=400)
    last.close()
    assert batch.status
    assert (batch.status.state, batch.status.error) == (State.DONE, "")
    assert batch.tail.path.read_bytes().count(b'"claim_id"') >= 12
    assert batch.files()[0].read_bytes() == undisturbed.read_bytes()
    assert batch.files()[2].read_bytes() == (tmp_path / "undisturbed.csv").read_bytes()
    assert all(batch.receipt(claim_id) for claim_id in batch.asked.ids)
